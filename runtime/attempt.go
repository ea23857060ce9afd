package runtime

import (
	"context"
	"errors"
	"time"
)

// An attempt is one run of a handler, and what this process may do to the key's
// record on its behalf.
type attempt struct {
	r       *request
	pending *Record
	lease   heartbeat
	running running  // what the handler can know
	handler detached // its context, unless interrupt is set
	step    detached // the context of the step that settles the key
	flight  flight   // the key's in this process, unless there is one already

	// interrupt cancels the handler's context where that is not detached from
	// its client's.
	interrupt context.CancelCauseFunc

	// err is the store error because of which the attempt runs without
	// protection, nil where its claim was accepted.
	err error
	// unseen is set when the reply of a call that may still take effect was
	// not seen: then a release leaves a tombstone.
	unseen bool
	// cached is set under the run policy: there is no claim, and the answer
	// is written only where the key has no record.
	cached bool
	// settled is the record that could not be written yet; guarded by the
	// mutex of the key's flight.
	settled *Record
}

// newAttempt returns an attempt whose claim was sent at the given time. Zero
// means that no claim is known to be accepted.
func newAttempt(r *request, pending *Record, sent time.Time) *attempt {
	a := &attempt{r: r, pending: pending}
	a.lease.init(a, sent)
	return a
}

// phase is how far an attempt has come; it tells an interrupted one what it
// must settle.
type phase int

const (
	handling phase = iota // the handler runs: the effect may have happened
	writing               // it returned, its answer is being written
	returned              // both returned
)

// errInterrupted is what a panic or Goexit of a handler is reported as. The
// panic itself passes through untouched.
var errInterrupted = errors.New("idem: handler panicked or ended its goroutine")

// run runs the handler and settles the key. It does not recover: whatever
// unwinds the stack passes by with its identity and its trace, after the key is
// settled.
func (a *attempt) run() (Result, error) {
	r := a.r
	started := r.now()
	if a.late(started) {
		return a.runLate()
	}
	a.lease.began = started
	ctx := a.handlerContext(started)
	at := handling
	defer func() {
		a.cancel(nil)
		if at != returned {
			a.interrupted(at, time.Since(started))
		}
	}()
	if !a.cached {
		r.op.engine.flights.own(a)
		a.lease.start()
	}

	write, err := r.handle(ctx)
	took := time.Since(started)
	if err != nil {
		at = returned
		a.giveBack()
		a.observeRun(took, err)
		return Result{}, err
	}
	at = writing
	var answer *Answer
	if write != nil {
		answer, err = write()
	}
	if answer == nil {
		answer = &Answer{Status: 200}
	}
	at = returned
	if err != nil {
		a.notRetained()
		a.observeRun(took, err)
		return Result{}, err
	}
	return a.settle(answer, took)
}

// late reports whether the claim was accepted so long ago that its lease may be
// over before the handler begins: the process was stopped in between.
func (a *attempt) late(now time.Time) bool {
	return !a.cached && !a.r.settling && a.lease.leftAt(now) <= 0
}

// runLate renews the claim before it runs the handler, if it can.
func (a *attempt) runLate() (Result, error) {
	r := a.r
	sent := r.now()
	step := r.newStep(sent)
	reply, err := r.op.engine.store.Renew(step, r.id.store, a.pending)
	step.end(nil)
	if err == nil && reply.Accepted {
		a.lease.init(a, sent)
		return a.run()
	}
	r.op.engine.flights.disown(a)
	if err != nil {
		a.releaseLater()
		return r.storeUnavailable(err)
	}
	return r.contend(reply)
}

// handlerContext is the request's context as the handler gets it: with what is
// known of the call, bounded by maxRun, and cancelled when the lease is lost.
// The request's deadline stays; its cancellation only where the contract says so.
func (a *attempt) handlerContext(now time.Time) context.Context {
	r := a.r
	c := &r.op.contract
	a.running = running{info: Info{Key: r.key, Attempt: a.pending.Attempt, Operation: c.Operation}, id: &r.id, reference: &r.reference}
	end, cause := now.Add(c.MaxRun), ErrMaxRun
	if deadline, ok := r.ctx.Deadline(); ok && deadline.Before(end) {
		end, cause = deadline, context.DeadlineExceeded
	}
	if c.OnDisconnect == Finish {
		a.handler.init(r.ctx, end, cause)
		a.handler.running = &a.running
		return &a.handler
	}
	ctx := context.WithValue(r.ctx, infoKey{}, &a.running)
	ctx, cancel := context.WithCancelCause(ctx)
	ctx, stop := context.WithDeadlineCause(ctx, end, cause)
	a.interrupt = func(cause error) {
		cancel(cause)
		stop()
	}
	return ctx
}

// cancel ends the handler's context. It is called once the handler runs.
func (a *attempt) cancel(cause error) {
	if a.interrupt != nil {
		a.interrupt(cause)
		return
	}
	a.handler.end(cause)
}

// stepContext is the context of a step that settles the key.
func (a *attempt) stepContext(now time.Time) *detached {
	if a.step.used() {
		return a.r.newStep(now)
	}
	a.r.setStep(&a.step, now)
	return &a.step
}

// interrupted settles the key of an attempt whose goroutine is unwinding.
func (a *attempt) interrupted(at phase, took time.Duration) {
	switch {
	case at == writing:
		a.notRetained()
	case a.r.holds():
		a.hold()
	default:
		a.release()
	}
	a.observeRun(took, errInterrupted)
}

// giveBack ends an attempt whose handler returned an error or an answer that is
// not to be kept. Under hold an overrun of maxRun leaves the outcome unknown.
func (a *attempt) giveBack() {
	if a.r.holds() && a.lease.overran() {
		a.hold()
		return
	}
	a.release()
}

// settle records the answer before its first byte leaves.
func (a *attempt) settle(answer *Answer, took time.Duration) (Result, error) {
	c := &a.r.op.contract
	own := Result{Answer: answer, Attempt: a.pending.Attempt}
	if !c.remembers(answer.Status) {
		a.giveBack()
		own.Unprotected = a.unprotected()
		a.observeRun(took, nil)
		return own, nil
	}
	record := a.done(a.r.kept(answer))
	reply, err := a.write(record)
	own.Unprotected = a.unprotected()
	if err == nil && !reply.Accepted {
		return a.superseded(own, reply, took)
	}
	a.observeRun(took, nil)
	if err != nil {
		a.keepTrying(record)
	} else {
		a.r.op.engine.flights.settle(a, record)
	}
	return own, nil
}

// done returns the settled record that keeps answer, or that it was too large.
func (a *attempt) done(answer *Answer) *Record {
	record := a.pending.copy()
	record.State, record.Lease = Done, 0
	record.Settled = a.r.now()
	limit := a.r.op.contract.MaxResponseBytes
	if answer == nil || answer.Oversized || int64(len(answer.Body)+len(answer.Reference)) > limit {
		record.NotRetained = true
		return record
	}
	record.Answer = answer
	return record
}

// superseded ends an attempt whose key has become another's. Two answers for
// one key are the bug: its client gets the stored one, after waiting for it if
// need be. Only where the key now belongs to a different request, or holds
// nothing to answer with under the run policy, does it get its own.
func (a *attempt) superseded(own Result, reply Reply, took time.Duration) (Result, error) {
	r := a.r
	r.op.engine.flights.disown(a)
	a.lease.lost(nil)
	v := r.judge(reply)
	if v.kind == mismatched || a.cached && v.kind != answered && v.kind != notRetained {
		own.Unprotected = true
		r.observe(Event{Outcome: RanUnprotected, Attempt: own.Attempt, Handler: took, Err: ErrLeaseLost})
		return own, nil
	}
	// From now on the request is one that waits, and if the key falls to it,
	// it settles with the answer that it has.
	r.settling, r.waited = true, false
	r.handle = func(context.Context) (WriteFunc, error) {
		return func() (*Answer, error) { return own.Answer, nil }, nil
	}
	return r.actOn(v)
}

// unprotected reports whether the handler ran without protection: its claim
// failed, and no renewal was accepted before the handler returned.
func (a *attempt) unprotected() bool { return a.err != nil && !a.lease.held() }

// observeTakeover reports that the attempt took the key from one that died.
func (a *attempt) observeTakeover(seen *Record) {
	if seen != nil && seen.State == Pending {
		a.r.observe(Event{Outcome: Takeover, Attempt: a.pending.Attempt})
	}
}

// observeRun reports that the handler has run.
func (a *attempt) observeRun(took time.Duration, err error) {
	event := Event{Outcome: Executed, Attempt: a.pending.Attempt, Handler: took, Err: err}
	if a.unprotected() {
		event.Outcome = RanUnprotected
		event.Err = errors.Join(a.err, err)
	}
	a.r.observe(event)
}

// known is what others in this process may know of the attempt's key. The
// caller holds the mutex of its flight. It reports false where the lease may be
// over: then the store must be asked.
func (a *attempt) known() (Reply, bool) {
	if a.settled != nil {
		return Reply{Record: a.settled}, true
	}
	left := a.lease.left()
	return Reply{Record: a.pending, LeaseLeft: left}, left > 0
}
