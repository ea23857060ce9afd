package runtime

import (
	"context"
	"errors"
	"time"
)

// A request is one call on its way through the engine.
type request struct {
	op     *Operation
	ctx    context.Context
	began  time.Time
	handle Handler

	key         string
	scope       [3]string // memory of the scope's values
	id          identity
	fields      *fieldList // of the fingerprint
	fingerprint Fingerprint
	digests     [4]FieldDigest // where the fingerprint's Fields are, if they fit
	reference   reference      // what the handler has left

	asked claim // its first one, as others see it

	// The first claim's record and context: most requests need no others.
	first Record
	step  detached

	// settling is set once the handler of this request has returned and
	// another attempt's record stands in the way: from then on the request
	// never runs its handler again and waits whatever the contract says.
	settling bool
	waited   bool
}

// withoutKey runs or refuses a call that carries no key.
func (r *request) withoutKey() (Result, error) {
	if !r.op.contract.OptionalKey {
		return r.refuse(KeyMissing, &Error{Code: CodeMissingKey, Detail: "This operation needs an idempotency key."})
	}
	started := time.Now()
	write, err := r.handle(r.ctx)
	r.observe(Event{Outcome: KeyMissing, Handler: time.Since(started), Err: err})
	return Result{Unrecorded: write, Unprotected: true}, err
}

// identify derives what the engine goes by from what the client sent. It fails
// where the fingerprint needs a body that cannot be read.
func (r *request) identify(scope []string, key string, fingerprint func(*Hasher)) error {
	r.key = key
	r.id = r.op.identityOf(scope, key)
	h := r.op.hasher(&r.id)
	if fingerprint != nil {
		fingerprint(h)
	}
	r.fingerprint, r.fields = h.sum(r.digests[:0]), h.list
	failed := h.failed
	r.op.keep(h)
	return failed
}

// unread ends a request whose body could not be read.
func (r *request) unread(failed error) (Result, error) {
	err := refusalOf(failed)
	if refusal, ok := errors.AsType[*Error](err); ok {
		return r.refuse(Rejected, refusal)
	}
	r.observe(Event{Outcome: Rejected, Err: err})
	return Result{}, err
}

// newPending returns the record of a new attempt, with a token of its own.
func (r *request) newPending(attempt uint32, now time.Time) *Record {
	record := new(Record)
	r.setPending(record, attempt, now)
	return record
}

func (r *request) setPending(record *Record, attempt uint32, now time.Time) {
	c := &r.op.contract
	record.State = Pending
	record.Token = newToken()
	record.Attempt = attempt
	record.Hold = c.OnCrash == Hold
	record.TTL, record.Lease = c.TTL, c.Lease
	record.Contract = r.op.digest
	record.Fingerprint = r.fingerprint
	record.Claimed = now
}

// newStep returns what a call to the store runs under: not the client's
// cancellation, so that no call is left half known, but a short limit.
func (r *request) newStep(now time.Time) *detached {
	step := new(detached)
	r.setStep(step, now)
	return step
}

// now is time.Now, at half its cost: by the clock as it was when r began.
func (r *request) now() time.Time { return r.began.Add(time.Since(r.began)) }

func (r *request) setStep(step *detached, now time.Time) {
	step.init(r.ctx, now.Add(r.op.engine.settings.storeTimeout), nil)
}

// claim is the way of a first request: take the key, or act on what it has.
func (r *request) claim() (Result, error) {
	for {
		reply, known, other := r.op.engine.flights.ask(r)
		if known {
			if v, ok := r.judgeInProcess(reply); ok {
				return r.actOn(v)
			}
		}
		if other == nil {
			return r.askStore()
		}
		<-other.done
		switch {
		case other.replied:
			if v := r.judge(other.reply); v.kind != vacant {
				return r.actOn(v)
			}
		case errors.Is(other.err, ErrUnreadable):
			return r.actOn(verdict{kind: unreadable, err: other.err})
		case other.err != nil && r.op.contract.OnStoreError == RefuseRequest:
			return r.storeUnavailable(other.err)
		}
		// Nothing that was said to another one lets this one run: it asks too.
	}
}

// askStore asks the store for the key.
func (r *request) askStore() (Result, error) {
	defer r.tell(said{}) // where a panic of the store ends it
	sent := r.now()
	pending := &r.first
	r.setPending(pending, 1, sent)
	r.setStep(&r.step, sent)
	reply, err := r.op.engine.store.Claim(&r.step, r.id.store, pending)
	r.step.end(nil)
	if err != nil {
		return r.claimFailed(err, pending)
	}
	if reply.Accepted {
		return newAttempt(r, ownRecord(pending, reply), sent).run()
	}
	return r.contend(reply)
}

// ownRecord is the record that an accepted claim stands for: that of an earlier
// sending, if the store says so, else the one just sent.
func ownRecord(sent *Record, reply Reply) *Record {
	if reply.Record != nil && reply.Record.Token == sent.Token {
		return reply.Record
	}
	return sent
}

// inProcess judges by what this process knows without asking the store: an
// answer that could not be recorded yet, or a request in flight that this one
// would wait for.
func (r *request) inProcess() (verdict, bool) {
	reply, ok := r.op.engine.flights.known(r.id.store)
	if !ok {
		return verdict{}, false
	}
	return r.judgeInProcess(reply)
}

func (r *request) judgeInProcess(reply Reply) (verdict, bool) {
	v := r.judge(reply)
	switch v.kind {
	case answered, mismatched, notRetained, held:
		return v, true
	case inFlight:
		return v, r.op.contract.InFlight == Wait
	}
	return verdict{}, false
}

// claimFailed decides what a first claim's store error means.
func (r *request) claimFailed(err error, pending *Record) (Result, error) {
	if r.op.contract.OnStoreError == RefuseRequest || errors.Is(err, ErrUnreadable) {
		r.tell(said{err: err})
	}
	switch {
	case errors.Is(err, ErrUnreadable):
		return r.actOn(verdict{kind: unreadable, err: err})
	case errors.Is(err, ErrFull):
		return r.storeUnavailable(err)
	}
	a := newAttempt(r, pending, time.Time{})
	a.err = err
	a.unseen = !errors.Is(err, ErrNotApplied)
	if r.op.contract.OnStoreError == RunUnprotected {
		if v, busy := r.takeInProcess(a); busy {
			return r.actOn(v)
		}
		return a.run()
	}
	if a.unseen {
		a.releaseLater() // the claim may still arrive and would block the key for a lease
	}
	if v, ok := r.inProcess(); ok {
		return r.actOn(v)
	}
	return r.storeUnavailable(err)
}

// takeInProcess makes a the process's owner of its key, unless there is one:
// who has seen the key in flight never runs on a store error.
func (r *request) takeInProcess(a *attempt) (verdict, bool) {
	reply, taken := r.op.engine.flights.ownIfFree(a)
	if taken {
		return verdict{}, false
	}
	if a.unseen {
		a.releaseLater()
	}
	return r.judge(reply), true
}

// contend acts on the record that a claim found, taking the key over where it
// is claimable.
func (r *request) contend(reply Reply) (Result, error) {
	for {
		v := r.judge(reply)
		if v.kind != vacant {
			r.tell(said{reply: reply, replied: true})
			return r.actOn(v)
		}
		// Where the record seen is gone by now, its lease was over or it was
		// a tombstone: nobody who is alive has lost it.
		sent := r.now()
		pending := r.newPending(nextAttempt(v.record), sent)
		step := r.newStep(sent)
		next, err := r.op.engine.take(step, r.id.store, v.record, pending)
		step.end(nil)
		switch {
		case errors.Is(err, ErrUnreadable):
			return r.actOn(verdict{kind: unreadable, err: err})
		case errors.Is(err, ErrFull):
			return r.storeUnavailable(err)
		case err != nil:
			if !errors.Is(err, ErrNotApplied) {
				newAttempt(r, pending, sent).releaseLater()
			}
			return r.actOn(verdict{kind: inFlight, record: v.record})
		case next.Accepted:
			a := newAttempt(r, ownRecord(pending, next), sent)
			a.observeTakeover(v.record)
			return a.run()
		}
		reply = next
	}
}

// nextAttempt is the attempt number after the record seen.
func nextAttempt(seen *Record) uint32 {
	if seen == nil {
		return 1
	}
	return seen.Attempt + 1
}

// actOn ends the request as the verdict says, or has it wait.
func (r *request) actOn(v verdict) (Result, error) {
	r.tell(said{})
	switch v.kind {
	case owned:
		return v.attempt.run()
	case answered:
		outcome := Replayed
		if r.waited {
			outcome = Waited
		}
		r.observe(Event{Outcome: outcome, Attempt: v.record.Attempt})
		return Result{Answer: v.record.Answer, Replayed: true, Attempt: v.record.Attempt}, nil
	case inFlight:
		if !r.waited && (r.op.contract.InFlight == Wait || r.settling) {
			return r.wait(v)
		}
		return r.inProgress(v.left)
	case vacant:
		return r.contend(Reply{Record: v.record, LeaseLeft: v.left})
	case mismatched:
		return r.refuse(Mismatch, r.mismatch(v.record))
	case held:
		return r.refuse(KeyHeld, &Error{Code: CodeOutcomeUnknown,
			Detail: "An earlier attempt ended without a known outcome. Do not retry with a new key; ask the operator of this service."})
	case notRetained:
		return r.refuse(NotRetained, &Error{Code: CodeResponseNotRetained,
			Detail: "The request was carried out, but its answer was not kept."})
	case unreadable:
		return r.refuse(RecordUnreadable, &Error{Code: CodeRecordUnreadable,
			Detail: "The record of this key cannot be read.", Err: v.err})
	case abandoned:
		r.observe(Event{Outcome: Rejected, Err: v.err})
		return Result{}, v.err
	}
	panic("idem: unknown verdict")
}

// inProgress refuses since another request with the key runs.
func (r *request) inProgress(left time.Duration) (Result, error) {
	return r.refuse(Rejected, &Error{Code: CodeInProgress, RetryAfter: max(left, time.Second),
		Detail: "Another request with this key is being processed."})
}

func (r *request) storeUnavailable(err error) (Result, error) {
	return r.refuse(StoreError, &Error{Code: CodeStoreUnavailable, RetryAfter: time.Second, Err: err,
		Detail: "The request was not carried out: its key cannot be checked at the moment."})
}

func (r *request) mismatch(stored *Record) *Error {
	e := &Error{Code: CodeKeyReused, Sent: r.fingerprint.clone(), Stored: stored.Fingerprint,
		Detail: "This key was used for a different request."}
	for _, i := range r.fingerprint.differing(&stored.Fingerprint) {
		e.Fields = append(e.Fields, r.fields.names[i])
	}
	return e
}

// refuse ends the request with an error of the engine.
func (r *request) refuse(outcome Outcome, e *Error) (Result, error) {
	r.tell(said{})
	e.Operation = r.op.contract.Operation
	r.observe(Event{Outcome: outcome, Err: e})
	return Result{}, e
}

func (r *request) observe(event Event) {
	event.Total = time.Since(r.began)
	r.op.observe(r.ctx, event)
}
