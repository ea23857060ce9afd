package redisstore

import (
	"context"
	"sync"
	"sync/atomic"
	"time"
)

// tickLength is how much later than its deadline a [limited] context may say so.
const tickLength = 10 * time.Millisecond

// A limited context is what the client is given for a command, or for many: it has
// the values of another one, and ends by a deadline alone, within tickLength. The
// client asks each for its channel, even where it need not wait; so those with
// deadlines that are close share one, and a timer.
type limited struct {
	context.Context
	deadline time.Time
	ticks    *ticks
}

// Deadline implements context.Context.
func (l *limited) Deadline() (time.Time, bool) { return l.deadline, true }

// Done implements context.Context.
func (l *limited) Done() <-chan struct{} { return l.ticks.after(l.deadline) }

// Err implements context.Context. It goes by the clock: whoever finds the channel
// closed must find an error, also long after its tick is forgotten.
func (l *limited) Err() error {
	if time.Until(l.deadline) > 0 {
		return nil
	}
	return context.DeadlineExceeded
}

// ticks are the channels of limited contexts.
type ticks struct {
	began time.Time
	last  atomic.Pointer[tick] // that was asked for
	mu    sync.Mutex
	next  map[int64]*tick // that have not come, by number; guarded by mu
}

// A tick is a moment, and closes a channel when it has come.
type tick struct {
	number int64 // how many tickLengths after began
	come   chan struct{}
}

func newTicks() *ticks { return &ticks{began: time.Now(), next: make(map[int64]*tick)} }

// past is the channel of every tick that has come and is forgotten.
var past = func() chan struct{} {
	come := make(chan struct{})
	close(come)
	return come
}()

// after returns the channel of the first tick that is not before a time.
func (t *ticks) after(at time.Time) <-chan struct{} {
	number := int64((at.Sub(t.began) + tickLength - 1) / tickLength)
	if last := t.last.Load(); last != nil && last.number == number {
		return last.come
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	found := t.next[number]
	if found == nil {
		left := time.Until(t.began.Add(time.Duration(number) * tickLength))
		if left <= 0 {
			return past
		}
		found = &tick{number: number, come: make(chan struct{})}
		t.next[number] = found
		time.AfterFunc(left, func() { t.let(found) })
	}
	t.last.Store(found)
	return found.come
}

// let has a tick come.
func (t *ticks) let(come *tick) {
	t.mu.Lock()
	delete(t.next, come.number)
	t.mu.Unlock()
	close(come.come)
}
