package main

import (
	"syscall"
	"time"
)

// threadCPU is the processor time that the calling thread has used.
func threadCPU() time.Duration { return used(1) } // RUSAGE_THREAD

// ownCPU is the processor time that this process has used.
func ownCPU() time.Duration { return used(syscall.RUSAGE_SELF) }

func used(who int) time.Duration {
	var usage syscall.Rusage
	if err := syscall.Getrusage(who, &usage); err != nil {
		return 0
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}
