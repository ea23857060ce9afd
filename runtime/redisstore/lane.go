package redisstore

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"
)

const (
	// maxTrips is how many round trips to a server are under way until calls
	// wait for one to end. Measured: with fewer a call that comes alone waits,
	// with more the batches are smaller and cost more in all.
	maxTrips = 2
	// patience is how long the first call waits until another round trip is
	// begun in spite of maxTrips: the server is far away, or a connection is
	// dead. stalledTrips bounds those too.
	patience     = 5 * time.Millisecond
	stalledTrips = 16
	// maxBatch and maxBatchBytes bound what shares a round trip.
	maxBatch      = 256
	maxBatchBytes = 256 << 10
)

// A lane has the calls to one server.
type lane struct {
	mu    sync.Mutex
	trips int      // round trips that are under way or handed to a rider
	crowd int      // how many shared the last one
	queue []*rider // calls that wait, in order
}

// A rider is a call that waits for a round trip, or has one with others.
type rider struct {
	ctx  context.Context
	cmd  redis.Cmder
	size int // of the command, in bytes
	// turn gets turnLead at most once, and then what became of the command.
	turn chan turn

	// Guarded by the lane's mutex:
	since time.Time // when it began to wait
	leads bool      // a round trip was handed to it, and it has not begun
}

func newRider() *rider { return &rider{turn: make(chan turn, 2)} }

// A turn is what a rider is told.
type turn int

const (
	turnLead turn = iota // a round trip is handed to it
	turnDone             // the command has its reply or error
	turnLost             // the time is over; the command is not the rider's any more
)

// start begins a round trip for a call that need not wait.
func (l *lane) start() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.trips >= maxTrips || l.crowd > 2 {
		return false
	}
	l.trips++
	return true
}

// enter has r wait. Where the first of those who wait does so for too long, it
// is given another round trip.
func (l *lane) enter(r *rider) {
	l.mu.Lock()
	defer l.mu.Unlock()
	r.since, r.leads = time.Now(), false
	l.queue = append(l.queue, r)
	if l.trips < maxTrips || l.trips < stalledTrips && r.since.Sub(l.queue[0].since) > patience {
		l.trips++
		l.hand()
	}
}

// leave ends a round trip, and hands it to the first who waits.
func (l *lane) leave() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.hand()
}

// hand gives a round trip to the first who waits and has none. The caller holds
// the mutex.
func (l *lane) hand() {
	for _, r := range l.queue {
		if !r.leads {
			r.leads = true
			r.turn <- turnLead
			return
		}
	}
	l.trips--
}

// board takes those from the queue who share the round trip of r: none where r
// has gone with another's.
func (l *lane) board(r *rider) []*rider {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !r.leads {
		return nil
	}
	r.leads = false
	n, size := 0, 0
	for _, next := range l.queue[:min(len(l.queue), maxBatch)] {
		if size += next.size; size > maxBatchBytes && n > 0 {
			break
		}
		n++
	}
	batch := slices.Clone(l.queue[:n])
	l.crowd = n
	l.queue = slices.Delete(l.queue, 0, n)
	for _, other := range batch {
		if other.leads {
			other.leads = false
			l.hand()
		}
	}
	return batch
}

// withdraw takes r from the queue. It reports false where its command is on its
// way.
func (l *lane) withdraw(r *rider) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	i := slices.Index(l.queue, r)
	if i < 0 {
		return false
	}
	l.queue = slices.Delete(l.queue, i, i+1)
	if r.leads {
		l.hand()
	}
	return true
}
