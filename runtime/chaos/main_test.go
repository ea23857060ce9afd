//go:build unix

package chaos

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"strconv"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
)

// longVariable, set to 1, asks for the long part: make chaos sets it.
// seedVariable repeats a run's random choices.
const (
	longVariable = "IDEM_CHAOS_LONG"
	seedVariable = "IDEM_CHAOS_SEED"
	firstSeed    = "20261130"
)

// TestMain is also the main of the worker processes.
func TestMain(m *testing.M) {
	if config, ok := os.LookupEnv(workerVariable); ok {
		if err := runWorker(config); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	redis.SetLogger(silence{}) // the faults are meant
	os.Exit(m.Run())
}

// silence is a logger of go-redis.
type silence struct{}

func (silence) Printf(context.Context, string, ...any) {}

// A fault is something that goes wrong while requests are served.
type fault struct {
	name string
	may  string // which counts may exceed, and why
	// excuses are those that count; any other breach is one.
	excuses []string
	long    bool // not in the quick part
	// timed faults are about how long something takes, and run alone. In the
	// quick part the others run beside each other.
	timed bool
	run   func(s *scenario)
}

// faults are all of them, in the order of the summary.
func faults() []fault {
	var all []fault
	for _, some := range [][]fault{
		workerFaults(), clientFaults(), serverFaults(), linkFaults(), failoverFaults(), clusterFaults(), waitFaults(),
		silentFaults(),
	} {
		all = append(all, some...)
	}
	return all
}

// TestFaults tries each fault and prints the summary.
func TestFaults(t *testing.T) {
	long := os.Getenv(longVariable) == "1"
	seed, err := strconv.ParseUint(cmp.Or(os.Getenv(seedVariable), firstSeed), 10, 64)
	if err != nil {
		t.Fatalf("%s: %v", seedVariable, err)
	}
	t.Logf("%s=%d", seedVariable, seed)
	var rows []*row
	t.Cleanup(func() { writeSummary(os.Stdout, rows) })
	for _, f := range faults() {
		if f.long && !long {
			continue
		}
		r := &row{fault: f.name, may: f.may}
		t.Run(f.name, func(t *testing.T) {
			rows = append(rows, r)
			if !long && !f.timed {
				t.Parallel()
			}
			began := time.Now()
			defer func() {
				r.took = time.Since(began)
				r.bad = t.Failed()
			}()
			f.run(newScenario(t, r, f.excuses, seed, long))
		})
	}
}
