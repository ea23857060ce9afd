package redisstore

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	idem "github.com/idemgen/idemgen/runtime"
)

const (
	// probeLimit is how long a probe waits for its answer.
	probeLimit = 400 * time.Millisecond
	// firstProbePause and lastProbePause bound the pause between two probes. It
	// doubles each time.
	firstProbePause = 50 * time.Millisecond
	lastProbePause  = 500 * time.Millisecond
)

// breakers spare requests the wait for servers that fail: one breaker per
// server, which is closed while the server works. They count the steps that
// they guard, which are those that come before an effect: the claim of a new
// attempt, and a load. Everything later is always sent.
//
// A server that has failed often enough is left alone by these steps, and a
// goroutine sends it a write of its own until one is taken.
type breakers struct {
	nodes  nodes
	probe  func(ctx context.Context, name string) error
	limit  int // failures in a row that open a breaker; 0 for never
	logger *slog.Logger
	ctx    context.Context // ends with close
	end    context.CancelFunc
	work   sync.WaitGroup // all probing goroutines

	// troubles is the size of troubled, to be read without the mutex.
	troubles atomic.Int32
	// repairs counts the servers that came to work again. Failures of steps
	// that were sent before the last of them say nothing of now.
	repairs atomic.Uint64

	mu       sync.Mutex // guards what follows, and each breaker
	troubled map[string]*breaker
	closed   bool
}

// A breaker is what is known of a server that failed when it was last asked.
type breaker struct {
	addr     string
	failures int    // in a row
	last     error  // the last of them
	name     string // of the record that was asked for last
	open     bool
	repaired chan struct{} // closed when the server works again
}

// server names the server to people.
func (t *breaker) server() string {
	if t.addr == "" {
		return "a server not known by address"
	}
	return t.addr
}

// A pass goes with a guarded step, and has its result counted.
type pass struct {
	addr    string // of the server that has the record
	name    string
	repairs uint64
}

func newBreakers(nodes nodes, limit int, logger *slog.Logger, probe func(context.Context, string) error) *breakers {
	b := &breakers{nodes: nodes, probe: probe, limit: limit, logger: logger, troubled: make(map[string]*breaker)}
	b.ctx, b.end = context.WithCancel(context.Background())
	return b
}

// enter returns a pass for a step on a record, and an error where its server is
// to be left alone. The error wraps the failure that was the last.
func (b *breakers) enter(name string) (pass, error) {
	if b.limit == 0 {
		return pass{}, nil
	}
	p := pass{addr: b.nodes.addr(name), name: name, repairs: b.repairs.Load()}
	if b.troubles.Load() == 0 {
		return p, nil
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	t := b.troubled[p.addr]
	if t == nil || !t.open {
		return p, nil
	}
	t.name = name
	return p, fmt.Errorf("%w: redisstore: %s is not asked after %d failures in a row, the last: %w",
		idem.ErrNotApplied, t.server(), t.failures, t.last)
}

// wrote counts the result of a write.
func (b *breakers) wrote(p pass, err error) { b.count(p, err, true) }

// read counts the result of a read. That a read succeeds says nothing of a
// server that refuses to write.
func (b *breakers) read(p pass, err error) { b.count(p, err, false) }

func (b *breakers) count(p pass, err error, write bool) {
	trouble := isTrouble(err)
	if b.limit == 0 || !trouble && b.troubles.Load() == 0 {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	t := b.troubled[p.addr]
	switch {
	case trouble:
		b.failed(t, p, err)
	case t != nil && err == nil && (write || !stillReads(t.last)):
		b.repair(t)
	}
}

// failed counts a failure. The caller holds the mutex.
func (b *breakers) failed(t *breaker, p pass, err error) {
	if b.closed || p.repairs != b.repairs.Load() {
		return
	}
	if t == nil {
		t = &breaker{addr: p.addr, repaired: make(chan struct{})}
		b.troubled[p.addr] = t
		b.troubles.Add(1)
	}
	t.failures++
	t.last, t.name = err, p.name
	if t.failures < b.limit || t.open {
		return
	}
	t.open = true
	b.logger.Warn("idem: a Redis server fails and is not asked for first claims until it works again",
		"server", t.server(), "failures", t.failures, "error", err)
	b.work.Go(func() { b.keepProbing(t) })
}

// repair takes in that a server works. The caller holds the mutex.
func (b *breakers) repair(t *breaker) {
	delete(b.troubled, t.addr)
	b.troubles.Add(-1)
	b.repairs.Add(1)
	close(t.repaired)
	if t.open {
		b.logger.Info("idem: a Redis server works again", "server", t.server())
	}
}

// keepProbing probes a server until it works.
func (b *breakers) keepProbing(t *breaker) {
	for next := firstProbePause; ; next = min(2*next, lastProbePause) {
		ctx, cancel := context.WithTimeout(b.ctx, probeLimit)
		err := b.probe(ctx, b.wanted(t))
		cancel()
		b.probed(t, err)
		select {
		case <-t.repaired:
			return
		case <-b.ctx.Done():
			return
		case <-time.After(next):
		}
		// Another server of a Cluster may have the slots by now.
		b.nodes.moved(b.ctx)
	}
}

// wanted is the name of the record by which to probe: one that is in demand,
// since slots move between servers.
func (b *breakers) wanted(t *breaker) string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return t.name
}

// probed takes in the result of a probe.
func (b *breakers) probed(t *breaker, err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch {
	case b.troubled[t.addr] != t: // a step that was still on its way has repaired it
	case err == nil:
		b.repair(t)
	case isTrouble(err):
		t.last = err
	}
}

// close ends all probes and waits for them.
func (b *breakers) close() {
	b.mu.Lock()
	b.closed = true
	b.mu.Unlock()
	b.end()
	b.work.Wait()
}
