//go:build !linux

package main

import "os/exec"

// dieWithParent does nothing where the system has no such signal.
func dieWithParent(*exec.Cmd) {}
