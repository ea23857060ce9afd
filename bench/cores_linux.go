package main

import (
	"fmt"
	"os"
	"os/exec"
	"strconv"

	"golang.org/x/sys/unix"
)

// The environment tells another process of this program what it is.
const (
	serverCoreVar = "IDEMGEN_BENCH_SERVER_CORE" // the one that measures, with the core that it leaves to the servers
	idlerVar      = "IDEMGEN_BENCH_IDLER"       // one that keeps its core awake
)

// separate gives the servers a core of their own and this process the others, as
// if the servers were on another machine: a command then costs the server and
// those who send it what it costs them there, and not what is left of a core that
// both want. The process begins again for that, since the Go runtime counts its
// cores once. With one core there is nothing to separate.
func separate() error {
	if os.Getenv(serverCoreVar) != "" {
		return nil
	}
	var cores unix.CPUSet
	if err := unix.SchedGetaffinity(0, &cores); err != nil || cores.Count() < 2 {
		return err
	}
	first := coresOf(cores)[0]
	cores.Clear(first)
	if err := unix.SchedSetaffinity(0, &cores); err != nil {
		return fmt.Errorf("leaving a core to the servers: %w; -shared does without", err)
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	return unix.Exec(self, os.Args, append(os.Environ(), fmt.Sprintf("%s=%d", serverCoreVar, first)))
}

// keepAwake keeps the cores of separate from sleeping, with a process for each that
// takes what nobody else wants of it. A virtual machine gives a core that has
// nothing to do back to its host, and to get it again takes as long as some
// commands: a ratio would say how busy the host is, and little of the store.
func keepAwake() (stop func(), err error) {
	server, separated, err := serverCore()
	if err != nil || !separated {
		return func() {}, err
	}
	var cores unix.CPUSet
	if err := unix.SchedGetaffinity(0, &cores); err != nil {
		return nil, err
	}
	cores.Set(server)
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	var idlers []*child
	stop = func() {
		for _, idler := range idlers {
			idler.stop(unix.SIGKILL)
		}
	}
	for _, core := range coresOf(cores) {
		cmd := exec.Command(self)
		cmd.Env = append(os.Environ(), idlerVar+"=1")
		idler, err := startChild(cmd, func() error { return toIdle(core) })
		if err != nil {
			stop()
			return nil, fmt.Errorf("keeping core %d awake: %w; -shared does without", core, err)
		}
		idlers = append(idlers, idler)
	}
	return stop, nil
}

// idle does what a process of keepAwake is there for, if this is one: it does not
// return then.
func idle() {
	for os.Getenv(idlerVar) != "" {
		for range 1 << 30 {
		}
	}
}

// toIdle has the calling thread, and the processes that it starts, take what nobody
// else wants of a core.
func toIdle(core int) error {
	if err := bind(core); err != nil {
		return err
	}
	return unix.SchedSetAttr(0, &unix.SchedAttr{Size: unix.SizeofSchedAttr, Policy: unix.SCHED_IDLE}, 0)
}

// toServerCore moves the calling thread, and the processes that it starts, to the
// core of the servers.
func toServerCore() error {
	core, separated, err := serverCore()
	if err != nil || !separated {
		return err
	}
	return bind(core)
}

func bind(core int) error {
	var one unix.CPUSet
	one.Set(core)
	return unix.SchedSetaffinity(0, &one)
}

func serverCore() (core int, separated bool, err error) {
	text := os.Getenv(serverCoreVar)
	if text == "" {
		return 0, false, nil
	}
	core, err = strconv.Atoi(text)
	if err != nil {
		return 0, false, fmt.Errorf("%s: %w", serverCoreVar, err)
	}
	return core, true, nil
}

// coresOf lists the cores of a set.
func coresOf(set unix.CPUSet) []int {
	var cores []int
	for core := 0; len(cores) < set.Count(); core++ {
		if set.IsSet(core) {
			cores = append(cores, core)
		}
	}
	return cores
}
