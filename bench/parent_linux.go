package main

import (
	"os/exec"
	"syscall"
)

// dieWithParent has a process end with the one that started it.
func dieWithParent(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
}
