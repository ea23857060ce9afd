package proof

import "os"

// atLength returns whole where the tests shall run at full length, else quick.
func atLength(quick, whole int) int {
	if os.Getenv("IDEM_CHAOS_LONG") == "1" {
		return whole
	}
	return quick
}
