//go:build unix && !linux

package redistest

import "syscall"

// dieWithParent is for Linux alone. Elsewhere a server outlives a test that
// runs out of time.
func dieWithParent() *syscall.SysProcAttr { return nil }
