package main

import (
	"fmt"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// A contender does a thing in one way.
type contender struct {
	// caller returns what one of the callers does again and again.
	caller func(i int) func() error
	sent   *atomic.Int64 // commands that it has sent to Redis, nil for none
}

// A race has contenders do the same thing in turns. A limit is what the others
// are compared with; a nil peer is none.
type race struct {
	what    string
	callers int
	unit    string // what the callers are: callers, connections
	server  *server
	limit   contender
	ours    contender
	peer    *contender
	// before is called once, and between before each turn; nil for nothing.
	before, between func() error
}

// A sample is what one turn gave, per operation.
type sample struct {
	rate     float64 // operations per second
	allocs   float64
	commands float64
	cpu      float64 // of redis-server, in µs
	own      float64 // of this process, in µs: clients and all
}

// time is how long an operation takes in one caller, in ns.
func (s sample) time(callers int) float64 { return float64(callers) * 1e9 / s.rate }

// run lets the contenders run in turns and returns the row of the race.
func (r *race) run(p plan) (row, error) {
	all := []*contender{&r.limit, &r.ours}
	if r.peer != nil {
		all = append(all, r.peer)
	}
	if r.before != nil {
		if err := r.before(); err != nil {
			return row{}, err
		}
	}
	samples := make([][]sample, len(all))
	for round := -1; round < p.rounds; round++ {
		slice := p.slice
		if round < 0 {
			slice = p.slice / 4 // connections and pools fill
		}
		for turn := range all {
			i := (turn + round + 1) % len(all)
			if r.between != nil {
				if err := r.between(); err != nil {
					return row{}, err
				}
			}
			s, err := r.turn(all[i], slice)
			if err != nil {
				return row{}, fmt.Errorf("%s, %d %s, contender %d: %w", r.what, r.callers, r.unit, i, err)
			}
			if round >= 0 {
				samples[i] = append(samples[i], s)
			}
		}
	}
	return r.row(samples), nil
}

func (r *race) row(samples [][]sample) row {
	of := func(i int, value func(sample) float64) float64 { return median(collect(samples[i], value)) }
	ratio := func(i int) float64 {
		ratios := make([]float64, len(samples[i]))
		for round := range ratios {
			ratios[round] = samples[i][round].rate / samples[0][round].rate
		}
		return median(ratios)
	}
	figuresOf := func(i int) figures {
		return figures{
			time:   of(i, func(s sample) float64 { return s.time(r.callers) }),
			allocs: of(i, allocs), commands: of(i, commands), cpu: of(i, cpu), own: of(i, own),
		}
	}
	out := row{
		what: r.what, callers: r.callers, unit: r.unit, ratio: ratio(1),
		limit: figuresOf(0), ours: figuresOf(1), server: r.server != nil,
	}
	if r.peer != nil {
		out.peerRatio, out.peer = ratio(2), figuresOf(2)
	}
	return out
}

func allocs(s sample) float64   { return s.allocs }
func commands(s sample) float64 { return s.commands }
func cpu(s sample) float64      { return s.cpu }
func own(s sample) float64      { return s.own }

// turn runs one contender with all callers for a while.
func (r *race) turn(c *contender, slice time.Duration) (sample, error) {
	if r.server == nil {
		return r.alone(c, slice)
	}
	operations := make([]func() error, r.callers)
	for i := range operations {
		operations[i] = c.caller(i)
	}
	var before, after runtime.MemStats
	cpuBefore, ownBefore := r.server.cpu(), ownCPU()
	sentBefore := load(c.sent)
	runtime.ReadMemStats(&before)
	began := time.Now()
	done, err := together(operations, began.Add(slice))
	took := time.Since(began)
	own := ownCPU() - ownBefore
	runtime.ReadMemStats(&after)
	n := float64(done)
	s := sample{
		rate:     n / took.Seconds(),
		allocs:   float64(after.Mallocs-before.Mallocs) / n,
		commands: float64(load(c.sent)-sentBefore) / n,
		own:      float64(own) / 1e3 / n,
	}
	s.cpu = float64((r.server.cpu()-cpuBefore)/time.Nanosecond) / 1e3 / n
	return s, err
}

// alone runs one caller of a race that takes place in this process alone. It
// counts the processor time of its thread: so what else the machine does matters
// little, and the collector's own threads, which use what is idle, do not count.
func (r *race) alone(c *contender, slice time.Duration) (sample, error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	operation := c.caller(0)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	began, n := threadCPU(), 0
	for end := time.Now().Add(slice); time.Now().Before(end); {
		for range clockEvery {
			if err := operation(); err != nil {
				return sample{}, err
			}
			n++
		}
	}
	took := threadCPU() - began
	runtime.ReadMemStats(&after)
	return sample{rate: float64(n) / took.Seconds(), allocs: float64(after.Mallocs-before.Mallocs) / float64(n)}, nil
}

func load(n *atomic.Int64) int64 {
	if n == nil {
		return 0
	}
	return n.Load()
}

// clockEvery is how many operations of nanoseconds share a look at the clock.
const clockEvery = 64

// together has each caller repeat its operation until end. It returns how many
// operations there were, and the first error.
func together(operations []func() error, end time.Time) (int64, error) {
	var (
		callers sync.WaitGroup
		done    atomic.Int64
		failed  atomic.Pointer[error]
	)
	for _, operation := range operations {
		callers.Go(func() {
			n := int64(0)
			defer func() { done.Add(n) }()
			now := time.Now()
			for every := 1; now.Before(end) && failed.Load() == nil; {
				began := now
				for range every {
					if err := operation(); err != nil {
						failed.Store(&err)
						return
					}
					n++
				}
				now = time.Now()
				if now.Sub(began) < 10*time.Microsecond*time.Duration(every) {
					every = clockEvery
				}
			}
		})
	}
	callers.Wait()
	if err := failed.Load(); err != nil {
		return done.Load(), *err
	}
	return done.Load(), nil
}

func collect(samples []sample, value func(sample) float64) []float64 {
	out := make([]float64, len(samples))
	for i, s := range samples {
		out[i] = value(s)
	}
	return out
}

func median(values []float64) float64 {
	if len(values) == 0 {
		return 0
	}
	values = slices.Sorted(slices.Values(values))
	middle := len(values) / 2
	if len(values)%2 == 1 {
		return values[middle]
	}
	return (values[middle-1] + values[middle]) / 2
}
