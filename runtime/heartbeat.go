package runtime

import (
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
	link  beatLink
	began time.Time // when the handler was called

	mu       sync.Mutex
	expiry   *time.Timer   // runs out with the lease; made with the first renewal
	accepted time.Time     // when the last accepted claim or renewal was sent; zero for none
	err      error         // why the last renewal failed
	renewing chan struct{} // closed when the renewal under way has ended; nil for none
	started  bool          // the handler's context can be cancelled
	unseen   bool          // the reply of a renewal was not seen
	gone     bool          // the lease is lost, and that is reported
	stopped  bool          // no renewal is sent any more
}

func (h *heartbeat) init(a *attempt, sent time.Time) {
	h.a, h.accepted = a, sent
}

// start begins to renew. The handler is cancelled when the lease is lost.
func (h *heartbeat) start() {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.stopped {
		return
	}
	h.started = true
	h.a.r.op.pulse.add(h, h.began)
}

func (h *heartbeat) interval() time.Duration { return h.a.pending.Lease / leaseFraction }

// beat renews once and plans the next renewal.
func (h *heartbeat) beat() {
	ended := make(chan struct{})
	h.mu.Lock()
	if h.stopped || h.overran() {
		h.mu.Unlock()
		return
	}
	h.renewing = ended
	if h.expiry == nil && !h.accepted.IsZero() {
		h.expiry = time.AfterFunc(h.untilExpiry(), h.expire)
	}
	h.mu.Unlock()

	sent := h.a.r.now()
	step := h.a.r.newStep(sent)
	reply, err := h.a.r.op.engine.store.Renew(step, h.a.r.id.store, h.a.pending)
	step.end(nil)

	h.mu.Lock()
	h.renewing = nil
	close(ended)
	refused := err == nil && !reply.Accepted
	switch {
	case refused:
		h.stopped = true
	case err != nil:
		h.err = err
		h.unseen = h.unseen || !errors.Is(err, ErrNotApplied)
	default:
		h.accept(sent)
	}
	if !h.stopped {
		h.a.r.op.pulse.add(h, h.a.r.now())
	}
	h.mu.Unlock()
	if refused {
		h.lost(nil)
	}
}

// accept notes that a renewal sent at the given time was accepted.
func (h *heartbeat) accept(sent time.Time) {
	h.accepted, h.gone = sent, false
	if h.stopped {
		return
	}
	if h.expiry == nil {
		h.expiry = time.AfterFunc(h.untilExpiry(), h.expire)
	} else {
		h.expiry.Reset(h.untilExpiry())
	}
}

func (h *heartbeat) untilExpiry() time.Duration {
	return time.Until(h.accepted.Add(h.a.pending.Lease))
}

// expire is called when the lease is over by the owner's own clock: nothing that
// was sent within one lease is known to be accepted. The store counts from when
// it got the claim, so this is never later than by its clock.
func (h *heartbeat) expire() {
	h.mu.Lock()
	over := !h.stopped && h.untilExpiry() <= 0
	err := h.err
	if err == nil {
		err = errSilent
	}
	h.mu.Unlock()
	if over {
		h.lost(err)
	}
}

// errSilent is what an owner reports that did not come to renew in time, or that
// renews no longer.
var errSilent = errors.New("idem: not renewed in time")

// lost reports, once, that the lease is lost: storeErr is nil where the store
// said so, else why it could not be asked. In the first case, and where the
// contract prefers one effect to an answer, the handler is cancelled. An attempt
// that never had the lease cannot lose it.
func (h *heartbeat) lost(storeErr error) {
	h.mu.Lock()
	again := h.gone
	h.gone = true
	had := !h.accepted.IsZero()
	started := h.started
	h.mu.Unlock()
	if !had {
		return
	}
	if started && (storeErr == nil || h.a.r.op.contract.OnStoreError == RefuseRequest) {
		h.a.cancel(ErrLeaseLost)
	}
	if !again {
		h.a.r.observe(Event{Outcome: LeaseLost, Attempt: h.a.pending.Attempt, Err: storeErr})
	}
}

// stop ends the renewals, and returns when none is under way. It reports
// whether one may still take effect, and whether one had to be waited for.
func (h *heartbeat) stop() (unseen, waited bool) {
	h.mu.Lock()
	h.stopped = true
	if h.expiry != nil {
		h.expiry.Stop()
	}
	renewing := h.renewing
	h.mu.Unlock()
	h.a.r.op.pulse.remove(h)
	if renewing != nil {
		<-renewing
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.unseen, renewing != nil
}

// held reports whether any claim or renewal was accepted.
func (h *heartbeat) held() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return !h.accepted.IsZero()
}

// left is what is left of the lease by the owner's own clock.
func (h *heartbeat) left() time.Duration { return h.leftAt(time.Now()) }

func (h *heartbeat) leftAt(now time.Time) time.Duration {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.accepted.IsZero() {
		return h.a.pending.Lease // unprotected: it is in flight here all the same
	}
	return h.accepted.Add(h.a.pending.Lease).Sub(now)
}

// overran reports whether the handler ran longer than maxRun.
func (h *heartbeat) overran() bool {
	return time.Since(h.began) >= h.a.r.op.contract.MaxRun
}
