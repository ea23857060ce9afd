package runtime

import (
	"context"
	"errors"
	"slices"
	"time"
)

// A waiter is a request that waits for the answer of another one.
type waiter struct {
	r *request
	// verdict gets at most one value, sent by whoever takes the waiter off
	// its flight's list.
	verdict chan verdict
}

// wait waits until the key is settled or becomes this request's own, at most
// the contract's waitTimeout.
func (r *request) wait(seen verdict) (Result, error) {
	e := r.op.engine
	r.waited = true
	if e.waiting.Add(1) > e.settings.maxWaiters {
		e.waiting.Add(-1)
		return r.inProgress(seen.left)
	}
	defer e.waiting.Add(-1)

	w := &waiter{r: r, verdict: make(chan verdict, 1)}
	e.join(w, seen)
	timeout := time.NewTimer(r.op.contract.WaitTimeout)
	defer timeout.Stop()
	select {
	case v := <-w.verdict:
		return r.actOn(v)
	case <-timeout.C:
	case <-r.ctx.Done():
	case <-e.ctx.Done():
	}
	left, late := e.leave(w)
	gone := r.ctx.Err() != nil && !errors.Is(r.ctx.Err(), context.DeadlineExceeded)
	switch {
	case late == nil && gone:
		return r.actOn(verdict{kind: abandoned, err: context.Cause(r.ctx)})
	case late == nil:
		return r.inProgress(left)
	case late.kind == owned && gone:
		late.attempt.release()
		return r.actOn(verdict{kind: abandoned, err: context.Cause(r.ctx)})
	}
	return r.actOn(*late)
}

// join puts w on its flight's list and sees to it that someone reads the store.
func (e *Engine) join(w *waiter, seen verdict) {
	key := w.r.id.store
	s := e.flights.lock(key)
	defer s.mu.Unlock()
	f := s.open(key, nil)
	f.waiters = append(f.waiters, w)
	if f.owner != nil && f.owner.settled != nil {
		f.deliver(Reply{Record: f.owner.settled}) // it was settled since w looked
		return
	}
	if f.watching {
		return
	}
	f.watching = true
	if f.nudge == nil {
		f.nudge = make(chan struct{}, 1)
	}
	f.seen, f.leaseEnd = seen.record, time.Now().Add(seen.left)
	e.work.begin(true)
	go e.watch(key, f, e.settings.pollInterval)
}

// leave takes w off its flight's list. If w has got its verdict already it
// returns that, else how long the lease of the owner lasts.
func (e *Engine) leave(w *waiter) (time.Duration, *verdict) {
	key := w.r.id.store
	s := e.flights.lock(key)
	defer s.mu.Unlock()
	f := s.m[key.sum]
	if f != nil {
		if i := slices.Index(f.waiters, w); i >= 0 {
			f.waiters = slices.Delete(f.waiters, i, i+1)
			if len(f.waiters) == 0 {
				f.wake() // nobody is left to watch for
			}
			return time.Until(f.leaseEnd), nil
		}
	}
	v := <-w.verdict // sent under the mutex, before w was taken off
	return 0, &v
}

// deliver gives every waiter for whom the reply is final its verdict and takes
// it off the list. Requests with another fingerprint than the record's never
// wait on.
func (f *flight) deliver(reply Reply) {
	f.waiters = slices.DeleteFunc(f.waiters, func(w *waiter) bool {
		v := w.r.judge(reply)
		if v.kind == inFlight || v.kind == vacant {
			return false
		}
		w.verdict <- v
		return true
	})
}

// fail gives every waiter the same verdict.
func (f *flight) fail(v verdict) {
	for _, w := range f.waiters {
		w.verdict <- v
	}
	f.waiters = nil
}
