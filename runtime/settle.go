package runtime

import (
	"context"
	"errors"
	"time"
)

// A tombstone stays for a lease, and at least for minTombstoneLife, where a call
// may still be on its way; else just long enough for those who wait to see it.
const (
	minTombstoneLife   = time.Minute
	shortTombstoneLife = 10 * time.Second
)

// maxChores bounds how many releases and holds are tried again at the same
// time. One that is dropped leaves its key to its lease.
const maxChores = 10_000

// Pauses between tries of something the store did not take.
const (
	firstPause = 50 * time.Millisecond
	lastPause  = time.Second
)

// write sends the settled record, once the heartbeat has ended. An attempt for
// which the store was never reached does not try: its client has waited once for
// a store that does not answer. What it has to write is sent later.
func (a *attempt) write(record *Record) (Reply, error) {
	if a.unprotected() {
		return Reply{}, a.err
	}
	unseen, waited := a.lease.stop()
	a.unseen = unseen || a.unseen
	now := record.Settled
	if waited {
		now = a.r.now()
	}
	step := a.stepContext(now)
	defer step.end(nil)
	return a.send(step, record)
}

func (a *attempt) send(ctx context.Context, record *Record) (Reply, error) {
	store, key := a.r.op.engine.store, a.r.id.store
	if a.cached {
		return store.Claim(ctx, key, record)
	}
	return store.Complete(ctx, key, record)
}

// notRetained settles the key without an answer: the effect has happened and its
// answer cannot be had again.
func (a *attempt) notRetained() {
	record := a.done(nil)
	reply, err := a.write(record)
	switch {
	case err != nil:
		a.keepTrying(record)
	case reply.Accepted:
		a.r.op.engine.flights.settle(a, record)
	default:
		a.r.op.engine.flights.disown(a)
		a.lease.lost(nil)
	}
}

// hold settles the key as of unknown outcome.
func (a *attempt) hold() {
	if a.cached {
		return
	}
	record := a.pending.copy()
	record.State = Held
	record.Settled = a.r.now()
	reply, err := a.write(record)
	switch {
	case err != nil:
		a.tryLater(func(ctx context.Context) error {
			_, err := a.send(ctx, record)
			return err
		})
		a.r.op.engine.flights.disown(a)
	case reply.Accepted:
		a.r.op.engine.flights.settle(a, record)
	default:
		a.r.op.engine.flights.disown(a)
		a.lease.lost(nil)
	}
}

// release gives the key back. It leaves a tombstone where a call's reply was not
// seen, where there were attempts before this one, and where others may wait:
// they tell by it that the key was given back and not lost.
func (a *attempt) release() {
	if a.cached {
		return
	}
	if a.unprotected() { // as in write
		a.releaseLater()
		a.r.op.engine.flights.disown(a)
		return
	}
	unseen, _ := a.lease.stop()
	a.unseen = unseen || a.unseen
	step := a.stepContext(a.r.now())
	life := shortTombstoneLife
	if a.unseen || a.pending.Attempt > 1 {
		life = max(a.pending.Lease, minTombstoneLife)
	}
	trace := life > shortTombstoneLife || a.r.op.contract.InFlight == Wait
	reply, err := a.sendRelease(step, life, trace)
	step.end(nil)
	switch {
	case err != nil:
		a.releaseLater()
	case !reply.Accepted:
		a.lease.lost(nil)
	}
	a.r.op.engine.flights.disown(a)
}

// releaseLater is release for one who has waited for the store long enough.
func (a *attempt) releaseLater() {
	a.tryLater(func(ctx context.Context) error {
		_, err := a.sendRelease(ctx, max(a.pending.Lease, minTombstoneLife), true)
		if err == nil {
			a.r.op.engine.flights.disown(a)
		}
		return err
	})
}

func (a *attempt) sendRelease(ctx context.Context, life time.Duration, trace bool) (Reply, error) {
	record := a.pending.copy()
	record.State, record.TTL, record.Lease = Released, life, 0
	return a.r.op.engine.store.Release(ctx, a.r.id.store, record, trace)
}

// tryLater repeats a release or hold until the store has taken it, at most as
// long as the claim could stand in the way.
func (a *attempt) tryLater(step func(ctx context.Context) error) {
	e := a.r.op.engine
	if e.chores.Add(1) > maxChores {
		e.chores.Add(-1)
		return
	}
	e.work.begin(true)
	go func() {
		defer e.work.done()
		defer e.chores.Add(-1)
		a.lease.stop()
		e.repeat(a.pending.Lease+minTombstoneLife, lastPause, step)
	}()
}

// keepTrying keeps a settled record that the store did not take, answers those
// who come to this process from it, and sends it until it is taken or refused.
// Its client has, or gets, its answer.
func (a *attempt) keepTrying(record *Record) {
	e := a.r.op.engine
	size := answerSize(record.Answer)
	if e.unrecorded.Add(size) > e.settings.unrecordedLimit && size > 0 {
		e.unrecorded.Add(-size)
		size = 0
		bare := *record
		bare.Answer, bare.NotRetained = nil, true
		record = &bare
	}
	a.r.observe(Event{Outcome: CompleteFailed, Attempt: record.Attempt})
	e.flights.keep(a, record)
	e.work.begin(true)
	go func() {
		defer e.work.done()
		defer e.unrecorded.Add(-size)
		a.lease.stop()
		renewed := time.Now()
		// As often as a heartbeat, so that a store that is back within the
		// lease is told within the lease.
		slowest := max(firstPause, min(a.pending.Lease/leaseFraction, lastPause))
		e.repeat(record.TTL, slowest, func(ctx context.Context) error {
			reply, err := a.send(ctx, record)
			if err != nil && !a.cached && time.Since(renewed) > a.pending.Lease/leaseFraction {
				// A store may refuse the record and yet take a renewal.
				renewed = time.Now()
				e.store.Renew(ctx, a.r.id.store, a.pending)
			}
			if err == nil && !reply.Accepted && !a.cached {
				a.lease.lost(nil)
			}
			return err
		})
		e.flights.disown(a)
	}()
}

func answerSize(a *Answer) int64 {
	if a == nil {
		return 0
	}
	n := len(a.Body) + len(a.Reference)
	for _, line := range a.Header {
		n += len(line.Name) + len(line.Value)
	}
	return int64(n)
}

// repeat calls step, each time with the store's time limit, until it returns nil
// or an unreadable record, life is over, or the engine stops. The pauses between
// grow to slowest.
func (e *Engine) repeat(life, slowest time.Duration, step func(ctx context.Context) error) {
	ctx, cancel := context.WithTimeout(e.ctx, life)
	defer cancel()
	pause := firstPause
	for {
		select {
		case <-ctx.Done():
			return
		case <-time.After(pause):
		}
		one, cancel := context.WithTimeout(ctx, e.settings.storeTimeout)
		err := step(one)
		cancel()
		if err == nil || errors.Is(err, ErrUnreadable) {
			return
		}
		pause = min(pause*2, slowest)
	}
}
