package runtime

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"time"
)

// pollFraction is the part of the poll interval at which polling starts.
const pollFraction = 5

// watch reads the store for all waiters of one key in this process, as long as
// there are any. It reads when the store says that something changed, when the
// owner's lease ends, and now and then in any case. Each read is an attempt to
// take the key for the waiter that came first, so that a key which became free
// is never seen by one and taken by another.
func (e *Engine) watch(key StoreKey, f *flight, slowest time.Duration) {
	defer e.work.done()
	changed, stop := e.store.Watch(key)
	defer stop()
	pause := slowest / pollFraction
	timer := time.NewTimer(e.nextPoll(key, f, pause))
	defer timer.Stop()
	for {
		select {
		case <-changed:
		case <-f.nudge:
		case <-timer.C:
			pause = min(pause*3/2, slowest)
		case <-e.ctx.Done():
		}
		if !e.poll(key, f) {
			return
		}
		timer.Reset(e.nextPoll(key, f, pause))
	}
}

// nextPoll is when to read without being told: after pause, give or take a
// tenth, but not later than the lease of the owner ends.
func (e *Engine) nextPoll(key StoreKey, f *flight, pause time.Duration) time.Duration {
	s := e.flights.lock(key)
	defer s.mu.Unlock()
	pause += time.Duration((rand.Float64() - 0.5) / 5 * float64(pause))
	if left := time.Until(f.leaseEnd); f.seen != nil && f.seen.State == Pending && left > 0 && left < pause {
		return left + time.Millisecond
	}
	return pause
}

// poll reads once, or several times where it learns something that calls for
// it. It reports false when nobody waits any more.
func (e *Engine) poll(key StoreKey, f *flight) bool {
	for {
		w, seen := e.firstWaiter(key, f)
		if w == nil {
			return false
		}
		sent := w.r.now()
		pending := w.r.newPending(nextAttempt(seen), sent)
		ctx, cancel := context.WithTimeout(e.ctx, w.r.op.engine.settings.storeTimeout)
		reply, err := e.take(ctx, key, seen, pending)
		cancel()
		switch {
		case err != nil:
			return e.pollFailed(key, f, newAttempt(w.r, pending, sent), err)
		case reply.Accepted:
			e.hand(key, f, w, seen, newAttempt(w.r, ownRecord(pending, reply), sent))
		default:
			if e.learn(key, f, reply) {
				w, _ := e.firstWaiter(key, f)
				return w != nil
			}
		}
	}
}

// firstWaiter returns the waiter that came first and the record seen last. When
// there is no waiter, watching has ended.
func (e *Engine) firstWaiter(key StoreKey, f *flight) (*waiter, *Record) {
	s := e.flights.lock(key)
	defer s.mu.Unlock()
	if len(f.waiters) == 0 || e.ctx.Err() != nil {
		f.watching, f.seen = false, nil
		s.tidy(key, f)
		return nil, nil
	}
	return f.waiters[0], f.seen
}

// pollFailed leaves everyone waiting: who has seen the key in flight never runs
// on a store error. What the poll may have taken is given back.
func (e *Engine) pollFailed(key StoreKey, f *flight, a *attempt, err error) bool {
	if errors.Is(err, ErrUnreadable) {
		s := e.flights.lock(key)
		f.fail(verdict{kind: unreadable, err: err})
		s.mu.Unlock()
		return true
	}
	if !errors.Is(err, ErrNotApplied) {
		a.releaseLater()
	}
	return true
}

// hand gives a key that was taken for w to w, or back where w waits no longer.
func (e *Engine) hand(key StoreKey, f *flight, w *waiter, seen *Record, a *attempt) {
	s := e.flights.lock(key)
	i := slices.Index(f.waiters, w)
	if i >= 0 {
		f.waiters = slices.Delete(f.waiters, i, i+1)
		f.owner = a
		f.seen, f.leaseEnd = a.pending, time.Now().Add(a.pending.Lease)
		w.verdict <- verdict{kind: owned, attempt: a}
	}
	s.mu.Unlock()
	if i < 0 {
		a.release()
		return
	}
	a.observeTakeover(seen)
}

// learn takes in what the store has. It reports false where the key can be
// taken now that this has been seen.
//
// A record that vanished while its lease lasts was lost by the store: who gives
// a key back that others may wait for leaves a tombstone. Its owner lives, or
// may, and writes it again with the next renewal; so the waiters act as if it
// were still there, until the lease that they have seen is over.
func (e *Engine) learn(key StoreKey, f *flight, reply Reply) bool {
	s := e.flights.lock(key)
	defer s.mu.Unlock()
	if reply.Record == nil {
		if f.seen != nil && f.seen.State == Pending && time.Until(f.leaseEnd) > 0 {
			return true
		}
		f.seen = nil
		return false
	}
	f.deliver(reply)
	f.seen, f.leaseEnd = reply.Record, time.Now().Add(reply.LeaseLeft)
	for _, w := range f.waiters {
		if w.r.judge(reply).kind == vacant {
			// Let one that may take it be the one who tries.
			i := slices.Index(f.waiters, w)
			f.waiters[0], f.waiters[i] = f.waiters[i], f.waiters[0]
			return false
		}
	}
	return true
}

// take claims key for one who has seen its record, or nothing.
func (e *Engine) take(ctx context.Context, key StoreKey, seen, pending *Record) (Reply, error) {
	if seen == nil {
		return e.store.Claim(ctx, key, pending)
	}
	return e.store.Takeover(ctx, key, seen, pending)
}
