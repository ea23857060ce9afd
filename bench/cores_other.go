//go:build !linux

package main

// separate does nothing where the system cannot bind a process to cores.
func separate() error { return nil }

func keepAwake() (stop func(), err error) { return func() {}, nil }

func idle() {}

func toServerCore() error { return nil }
