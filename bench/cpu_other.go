//go:build unix && !linux

package main

import (
	"syscall"
	"time"
)

// start is what time is counted from.
var start = time.Now()

// threadCPU is the time that has passed: the system does not tell a thread's.
func threadCPU() time.Duration { return time.Since(start) }

// ownCPU is the processor time that this process has used.
func ownCPU() time.Duration {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		return 0
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}
