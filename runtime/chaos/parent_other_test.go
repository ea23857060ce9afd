//go:build unix && !linux

package chaos

import "syscall"

// dieWithParent is for Linux alone. Elsewhere a process outlives a test that
// runs out of time.
func dieWithParent() *syscall.SysProcAttr { return nil }
