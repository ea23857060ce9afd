//go:build unix

package chaos

import (
	"fmt"
	"slices"
	"sync"
	"time"
)

// latencies are measured times. The zero value is ready for use, by several
// goroutines.
type latencies struct {
	mu  sync.Mutex
	all []time.Duration
}

func (l *latencies) add(d time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.all = append(l.all, d)
}

func (l *latencies) count() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.all)
}

// quantile returns the time that so large a part of all does not exceed: 1 for
// the longest.
func (l *latencies) quantile(q float64) time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.all) == 0 {
		return 0
	}
	slices.Sort(l.all)
	return l.all[min(int(q*float64(len(l.all))), len(l.all)-1)]
}

// String gives number, median and maximum.
func (l *latencies) String() string {
	round := func(d time.Duration) time.Duration { return d.Round(100 * time.Microsecond) }
	return fmt.Sprintf("%d in %v at the median, %v at most", l.count(), round(l.quantile(0.5)), round(l.quantile(1)))
}
