// Command bench measures what protection costs: everything in one run, in
// turns, on a real redis-server that it starts, as ratios to limits that are
// measured in the same run.
//
//	go run . [-quick] [-only REGEXP] [-growth RECORDS]
//
// The environment variable BENCH_QUICK=1 is -quick. It prints a row for each
// measurement: what, how many callers, and how many times the limit's
// throughput (or its inverse for a time or a size) was reached.
package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"regexp"
	"time"
)

func main() {
	if err := run(os.Args[1:], os.Stdout); err != nil {
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
	growth  int // largest number of records
	records int // how many are written to weigh one
}

func parsePlan(args []string) (plan, error) {
	flags := flag.NewFlagSet("bench", flag.ContinueOnError)
	quick := flags.Bool("quick", os.Getenv("BENCH_QUICK") == "1", "end within 50 seconds")
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
	p.only = pattern
	return p, nil
}

// run measures all rows of the plan, section by section.
func run(args []string, out io.Writer) error {
	p, err := parsePlan(args)
	if err != nil {
		return err
	}
	began := time.Now()
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
