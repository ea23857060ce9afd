package main

import (
	"os"
	"os/exec"
	"runtime"
)

// A child is a process that ends with this one however that ends.
type child struct {
	cmd   *exec.Cmd
	ended chan struct{}
}

// startChild starts a process from a thread that prepare has prepared: its cores
// and its priority are the process's too. The process is killed with the thread
// that started it, so that stays until then.
func startChild(cmd *exec.Cmd, prepare func() error) (*child, error) {
	dieWithParent(cmd)
	c := &child{cmd: cmd, ended: make(chan struct{})}
	started := make(chan error)
	go func() {
		runtime.LockOSThread() // for good: the thread ends with the goroutine
		err := prepare()
		if err == nil {
			err = cmd.Start()
		}
		started <- err
		if err == nil {
			cmd.Wait()
			close(c.ended)
		}
	}()
	return c, <-started
}

// stop sends a signal that ends the process, and waits until it has.
func (c *child) stop(signal os.Signal) {
	c.cmd.Process.Signal(signal)
	<-c.ended
}
