package runtime

import (
	"errors"
	"time"
)

// runAlso is the run policy: a stored answer is replayed, and otherwise the
// handler runs, whoever else may. The answer that is stored first is
// everybody's.
func (r *request) runAlso() (Result, error) {
	if v, ok := r.inProcess(); ok && v.kind != inFlight {
		return r.actOn(v)
	}
	now := r.now()
	r.setStep(&r.step, now)
	reply, err := r.op.engine.store.Load(&r.step, r.id.store)
	r.step.end(nil)
	r.setPending(&r.first, 1, now)
	a := newAttempt(r, &r.first, time.Time{})
	a.cached = true
	switch {
	case errors.Is(err, ErrUnreadable):
		return r.actOn(verdict{kind: unreadable, err: err})
	case err != nil && r.op.contract.OnStoreError == RefuseRequest:
		return r.storeUnavailable(err)
	case err != nil:
		a.err = err
		return a.run()
	}
	switch v := r.judge(reply); v.kind {
	case inFlight, vacant:
		a.pending.Attempt = nextAttempt(v.record)
		return a.run()
	default:
		return r.actOn(v)
	}
}
