package redisstore

import (
	"context"
	"runtime"
	"slices"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"
)

const (
	// maxTrips is how many round trips to a server are under way until calls
	// wait for one to end. With more the batches are smaller and cost more in
	// all; with one the server and this process would wait for each other.
	maxTrips = 2
	// crowded is how many shared the last round trip for a call to wait for
	// company: as long as it takes other goroutines to get their turn.
	crowded = 3
	// patience is how long the first call waits until another round trip is
	// begun in spite of maxTrips: the server is far away, or a connection is
	// dead. stalledTrips bounds those too.
	patience     = 5 * time.Millisecond
	stalledTrips = 16
	// maxBatch and maxBatchBytes bound what shares a round trip.
	maxBatch      = 256
	maxBatchBytes = 256 << 10
	// spread bounds how far the deadlines in a batch are apart, and so how much
	// later than its own a call ends whose server does not answer.
	spread = 50 * time.Millisecond
)

// A lane has the calls to one server.
type lane struct {
	mu     sync.Mutex // guards everything, and the riders' last part
	trips  int        // round trips that are under way or handed to a rider
	aboard int        // calls that have one
	crowd  int        // how many shared the last one
	queue  []*rider   // calls that wait, in order

	// expiry is when the timer takes those from the queue whose time is over,
	// zero where it is not set.
	expiry time.Time
	timer  *time.Timer

	began time.Time // what the riders' since is counted from
}

func newLane() *lane { return &lane{began: time.Now()} }

// A rider is a call that waits for a round trip, or has one with others.
type rider struct {
	ctx      context.Context
	deadline time.Time // of ctx
	cmd      redis.Cmder
	size     int // of the command, in bytes
	// turn gets turnLead at most once, and then what became of the command.
	turn chan turn

	since time.Duration // when it began to wait
	leads bool          // a round trip was handed to it, and it has not begun
	late  bool          // its time was over while it waited
}

func newRider() *rider { return &rider{turn: make(chan turn, 2)} }

// await returns what r is told, or false where done ends it before. To wait for
// one thing is cheaper than for two.
func (r *rider) await(done <-chan struct{}) (turn, bool) {
	if done == nil {
		return <-r.turn, true
	}
	select {
	case told := <-r.turn:
		return told, true
	case <-done:
		return 0, false
	}
}

// A turn is what a rider is told.
type turn int

const (
	turnLead turn = iota // a round trip is handed to it
	turnLate             // the time is over; the command was not sent
	turnDone             // the command has its reply or error
	turnLost             // the time is over; the command is not the rider's any more
)

// start begins a round trip for a call that need not wait.
func (l *lane) start() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.trips >= maxTrips || l.crowd >= crowded {
		return false
	}
	l.trips++
	l.aboard++
	return true
}

// gather waits while others come to wait, until a round trip is as full as it
// gets: each gives the goroutines that can run a turn.
func (l *lane) gather() {
	for before := 0; ; {
		runtime.Gosched()
		waiting, full := l.waiting()
		if full || waiting == before {
			return
		}
		before = waiting
	}
}

func (l *lane) waiting() (n int, full bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	n = len(l.queue)
	return n, n >= maxBatch || n >= l.aboard
}

// enter has r wait. Where the first of those who wait does so for too long, it
// is given another round trip.
func (l *lane) enter(r *rider, now time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	r.since, r.leads, r.late = now.Sub(l.began), false, false
	l.queue = append(l.queue, r)
	if l.trips < maxTrips || l.trips < stalledTrips && r.since-l.queue[0].since > patience {
		l.trips++
		l.hand()
	}
	if l.expiry.IsZero() || r.deadline.Before(l.expiry) {
		l.arm(r.deadline)
	}
}

// leave ends a round trip of so many calls, and hands it to the first who waits.
func (l *lane) leave(calls int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.aboard -= calls
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
	n := l.fits()
	batch := slices.Clone(l.queue[:n])
	l.queue = slices.Delete(l.queue, 0, n)
	l.crowd = n
	l.aboard += n
	for _, other := range batch {
		if other.leads {
			other.leads = false
			l.hand()
		}
	}
	if len(l.queue) > 0 && l.trips < maxTrips {
		l.trips++
		l.hand()
	}
	return batch
}

// fits returns how many of those who wait share the next round trip, at least
// one. They are not more than half of all calls: another half is on its way while
// the replies of this one are read.
func (l *lane) fits() int {
	most := max(1, min(len(l.queue), maxBatch, (len(l.queue)+l.aboard+maxTrips-1)/maxTrips))
	size := 0
	for n, r := range l.queue[:most] {
		size += r.size
		apart := r.deadline.Sub(l.queue[0].deadline).Abs()
		if n > 0 && (size > maxBatchBytes || apart > spread) {
			return n
		}
	}
	return most
}

// withdraw takes r from the queue. It reports false where its command is, or was,
// on its way.
func (l *lane) withdraw(r *rider) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	i := slices.Index(l.queue, r)
	if i < 0 {
		return r.late
	}
	l.queue = slices.Delete(l.queue, i, i+1)
	if r.leads {
		l.hand()
	}
	return true
}

// arm sets the timer. The caller holds the mutex.
func (l *lane) arm(at time.Time) {
	l.expiry = at
	if l.timer == nil {
		l.timer = time.AfterFunc(time.Until(at), l.expire)
		return
	}
	l.timer.Reset(time.Until(at))
}

// expire takes those from the queue whose time is over. The timer is not stopped
// where nobody waits any more: another call will come.
func (l *lane) expire() {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := time.Now()
	handed := 0
	l.queue = slices.DeleteFunc(l.queue, func(r *rider) bool {
		if r.deadline.After(now) {
			return false
		}
		if r.leads {
			handed++
		}
		r.leads, r.late = false, true
		r.turn <- turnLate
		return true
	})
	for range handed {
		l.hand()
	}
	l.expiry = time.Time{}
	for _, r := range l.queue {
		if l.expiry.IsZero() || r.deadline.Before(l.expiry) {
			l.arm(r.deadline)
		}
	}
}
