package chaos

import "syscall"

// dieWithParent has a process end with the one that started it, however that
// ends: a test that runs out of time calls no cleanup, and a stopped process
// does not notice that its input has ended.
func dieWithParent() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
}
