package runtime

import (
	"cmp"
	"slices"
	"sync/atomic"
)

// counters has one counter per outcome.
type counters [outcomeCount]atomic.Uint64

// OperationStats are the counts of one operation since its engine was made.
type OperationStats struct {
	API, Operation string
	// Counts has an entry for each outcome that happened.
	Counts map[Outcome]uint64
}

// Stats returns the counts of every operation that the engine has, ordered by
// API and operation.
func (e *Engine) Stats() []OperationStats {
	e.mu.Lock()
	defer e.mu.Unlock()
	all := make([]OperationStats, 0, len(e.counters))
	for name, c := range e.counters {
		stats := OperationStats{API: name.api, Operation: name.operation, Counts: map[Outcome]uint64{}}
		for outcome := range outcomeCount {
			if n := c[outcome].Load(); n > 0 {
				stats.Counts[outcome] = n
			}
		}
		all = append(all, stats)
	}
	slices.SortFunc(all, func(a, b OperationStats) int {
		return cmp.Or(cmp.Compare(a.API, b.API), cmp.Compare(a.Operation, b.Operation))
	})
	return all
}
