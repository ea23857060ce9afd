package redistest

import "syscall"

// dieWithParent has a process end with the one that started it, however that
// ends: a test that runs out of time calls no cleanup.
func dieWithParent() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
}
