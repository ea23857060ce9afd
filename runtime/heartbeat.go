package runtime

import (
	"context"
	"errors"
	"sync"
	"time"
)

// leaseFraction is how many renewals fit into a lease.
const leaseFraction = 3

// A heartbeat keeps the lease of an attempt while its handler runs, and knows
// whether it is kept.
type heartbeat struct {
	a     *attempt
	began time.Time

	mu       sync.Mutex
	cancel   context.CancelCauseFunc
	timer    *time.Timer
	accepted time.Time     // when the last accepted claim or renewal was sent; zero for none
	unseen   bool          // the reply of a renewal was not seen
	gone     bool          // the lease is lost, and that is reported
	stopped  bool          // no renewal is sent any more
	renewing chan struct{} // closed when the renewal under way has ended; nil for none
}

func (h *heartbeat) init(a *attempt, sent time.Time) {
	h.a, h.accepted, h.began = a, sent, time.Now()
}

// start begins to renew. cancel is told when the lease is lost.
func (h *heartbeat) start(cancel context.CancelCauseFunc) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.stopped {
		return
	}
	h.began = time.Now()
	h.cancel = cancel
	h.timer = time.AfterFunc(h.interval(), h.beat)
}

func (h *heartbeat) interval() time.Duration { return h.a.pending.Lease / leaseFraction }

// beat renews once and plans the next renewal.
func (h *heartbeat) beat() {
	h.mu.Lock()
	if h.stopped || time.Since(h.began) >= h.a.r.op.contract.MaxRun {
		h.mu.Unlock()
		return
	}
	ended := make(chan struct{})
	h.renewing = ended
	h.mu.Unlock()

	sent := time.Now()
	ctx, cancel := h.a.r.storeContext()
	reply, err := h.a.r.op.engine.store.Renew(ctx, h.a.r.id.store, h.a.pending)
	cancel()

	h.mu.Lock()
	h.renewing = nil
	close(ended)
	var lost bool
	switch {
	case err == nil && reply.Accepted:
		h.accepted, h.gone = sent, false
	case err == nil:
		lost, h.stopped = true, true
	default:
		h.unseen = h.unseen || !errors.Is(err, ErrNotApplied)
		lost = h.expired()
	}
	if !h.stopped {
		h.timer.Reset(h.next())
	}
	h.mu.Unlock()
	if lost {
		h.lost(err)
	}
}

// next is when to renew again: after a third of the lease, but where the last
// renewals failed not later than the lease ends by the owner's own clock.
func (h *heartbeat) next() time.Duration {
	if h.accepted.IsZero() {
		return h.interval()
	}
	left := time.Until(h.accepted.Add(h.a.pending.Lease))
	if left <= 0 {
		return h.interval()
	}
	return min(left, h.interval())
}

// expired reports whether the lease is over by the owner's own clock: nothing
// that was sent within one lease is known to be accepted.
func (h *heartbeat) expired() bool {
	return !h.accepted.IsZero() && time.Since(h.accepted) >= h.a.pending.Lease
}

// lost reports, once, that the lease is lost: storeErr is nil where the store
// said so, else why it could not be asked. In the first case, and where the
// contract prefers one effect to an answer, the handler is cancelled. An attempt
// that never had the lease cannot lose it.
func (h *heartbeat) lost(storeErr error) {
	h.mu.Lock()
	again := h.gone
	h.gone = true
	had := !h.accepted.IsZero()
	cancel := h.cancel
	h.mu.Unlock()
	if !had {
		return
	}
	if cancel != nil && (storeErr == nil || h.a.r.op.contract.OnStoreError == RefuseRequest) {
		cancel(ErrLeaseLost)
	}
	if !again {
		h.a.r.observe(Event{Outcome: LeaseLost, Attempt: h.a.pending.Attempt, Err: storeErr})
	}
}

// stop ends the renewals, and returns when none is under way. It reports
// whether one may still take effect.
func (h *heartbeat) stop() (unseen bool) {
	h.mu.Lock()
	h.stopped = true
	if h.timer != nil {
		h.timer.Stop()
	}
	renewing := h.renewing
	h.mu.Unlock()
	if renewing != nil {
		<-renewing
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.unseen
}

// held reports whether any claim or renewal was accepted.
func (h *heartbeat) held() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return !h.accepted.IsZero()
}

// left is what is left of the lease by the owner's own clock.
func (h *heartbeat) left() time.Duration {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.accepted.IsZero() {
		return h.a.pending.Lease // unprotected: it is in flight here all the same
	}
	return time.Until(h.accepted.Add(h.a.pending.Lease))
}

// overran reports whether the handler ran longer than maxRun.
func (h *heartbeat) overran() bool {
	return time.Since(h.began) >= h.a.r.op.contract.MaxRun
}
