package redistest

import "testing"

// TestSlotOf has the example of the Cluster specification.
func TestSlotOf(t *testing.T) {
	t.Parallel()
	if got := SlotOf("123456789"); got != 0x31c3 {
		t.Errorf("slot %#x, want 0x31c3", got)
	}
}
