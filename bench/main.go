// Command bench measures what protection costs: everything in one run, in
// turns, on a real redis-server that it starts, as ratios to limits that are
// measured in the same run.
//
//	go run . [-quick] [-shared] [-only REGEXP] [-growth RECORDS]
//
// On Linux the servers have a core of their own and this process has the others,
// as on two machines, and no core sleeps; -shared leaves all to all.
//
// The environment variable BENCH_QUICK=1 is -quick. It prints a row for each
// measurement: what, how many callers, and how many times the limit's
// throughput (or its inverse for a time or a size) was reached.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"regexp"
	"runtime"
	"time"
)

func main() {
	idle()
	if err := run(os.Args[1:], os.Stdout); err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(2)
	}
}

// A plan says how long and what to measure.
type plan struct {
	rounds  int
	slice   time.Duration // how long a contender runs in one round
	only    *regexp.Regexp
	quick   bool
	shared  bool
	growth  int // largest number of records
	records int // how many are written to weigh one
}

func parsePlan(args []string) (plan, error) {
	flags := flag.NewFlagSet("bench", flag.ContinueOnError)
	quick := flags.Bool("quick", os.Getenv("BENCH_QUICK") == "1", "end within 50 seconds")
	shared := flags.Bool("shared", false, "leave all cores to the servers and to this process")
	only := flags.String("only", "", "measure the rows that match")
	growth := flags.Int("growth", 1_000_000, "largest number of records, in a full run")
	if err := flags.Parse(args); err != nil {
		return plan{}, err
	}
	pattern, err := regexp.Compile(*only)
	if err != nil {
		return plan{}, err
	}
	p := plan{rounds: 9, slice: 400 * time.Millisecond, records: 100_000, growth: *growth}
	if *quick {
		p = plan{rounds: 5, slice: 100 * time.Millisecond, records: 20_000, quick: true}
	}
	p.only, p.shared = pattern, *shared
	return p, nil
}

// run measures all rows of the plan, section by section.
func run(args []string, out io.Writer) error {
	p, err := parsePlan(args)
	if err != nil {
		return err
	}
	if !p.shared {
		if err := separate(); err != nil {
			return err
		}
	}
	sleep, err := keepAwake()
	if err != nil {
		return err
	}
	defer sleep()
	began := time.Now()
	cool := warmHeap()
	defer cool()
	t := &table{out: out}
	t.head()
	sections := []func(plan, *table) error{
		storeRows, httpRows, wakeRows, processRows, sizeRows, generatorRows,
	}
	if !p.quick {
		sections = append(sections, growthRows, instanceRows, clusterRows)
	}
	for _, section := range sections {
		if err := section(p, t); err != nil {
			return err
		}
	}
	t.foot(time.Since(began))
	return nil
}

// warmHeap gives the process a heap as that of a service that has run for a while:
// memory is not new, and is collected now and then rather than all the time. The
// function that it returns gives it back.
func warmHeap() (cool func()) {
	const blocks, size, page = 256, 1 << 20, 4096
	ballast := make([]byte, blocks*size/2)
	warm := make([][]byte, blocks)
	for i := range warm {
		warm[i] = make([]byte, size)
		for at := 0; at < size; at += page {
			warm[i][at] = 1
		}
	}
	clear(warm)
	runtime.GC()
	return func() { runtime.KeepAlive(ballast) }
}
