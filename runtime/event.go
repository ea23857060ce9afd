package runtime

import (
	"context"
	"fmt"
	"time"
)

// An Outcome is what an [Event] tells of.
type Outcome uint8

// Each request has one of these outcomes.
const (
	// Executed: the handler ran as the key's owner. Err is its error, if any.
	Executed Outcome = iota
	// Replayed: the stored answer was given.
	Replayed
	// Waited: as Replayed, after waiting for another request.
	Waited
	// Rejected: another request with the key runs, and this one would or
	// could not wait on; or its body, part of the fingerprint, could not be
	// read.
	Rejected
	// Mismatch: the key was used for a different request.
	Mismatch
	// KeyMissing: there was no key. The request was refused, or where the
	// contract lets it, run without protection.
	KeyMissing
	// KeyInvalid: the key was malformed.
	KeyInvalid
	// ScopeMissing: it is not known who the key belongs to.
	ScopeMissing
	// StoreError: refused since the store could not be reached or is full.
	StoreError
	// RanUnprotected: the handler ran though the store could not be reached.
	RanUnprotected
	// KeyHeld: refused since the outcome of an earlier attempt is unknown.
	KeyHeld
	// NotRetained: refused since the answer was not kept.
	NotRetained
	// RecordUnreadable: refused since the record cannot be read.
	RecordUnreadable

	// These come in addition to a request's outcome.

	// LeaseLost: an owner's key may be another's now.
	LeaseLost
	// Takeover: a further attempt took a key over from one that died.
	Takeover
	// CompleteFailed: the handler has run and its answer could not be
	// recorded yet. The engine goes on trying.
	CompleteFailed

	outcomeCount
)

var outcomeNames = [outcomeCount]string{
	"executed", "replayed", "waited", "rejected", "mismatch", "key_missing", "key_invalid", "scope_missing",
	"store_error", "run_unprotected", "held", "not_retained", "record_unreadable",
	"lease_lost", "takeover", "complete_failed",
}

// String returns the outcome as metrics and logs name it.
func (o Outcome) String() string {
	if o < outcomeCount {
		return outcomeNames[o]
	}
	return fmt.Sprintf("outcome(%d)", uint8(o))
}

// An Event is something that happened to a request. It never holds the key, the
// scope, or anything of the request or its answer.
type Event struct {
	Outcome        Outcome
	API, Operation string
	// Attempt is the number of the attempt, zero where there was none.
	Attempt uint32
	// Total is the time since the engine got the request; Handler the time
	// that the handler took, zero where it did not run.
	Total, Handler time.Duration
	// Err is the handler's or the store's error, nil for none.
	Err error
}

// An Observer is told of every event, on the goroutine where it happens: it
// should be quick. It is called concurrently. The context has the values of the
// request's.
type Observer interface {
	Observe(ctx context.Context, event Event)
}

// ObserverFunc is a function as an [Observer].
type ObserverFunc func(ctx context.Context, event Event)

// Observe calls f.
func (f ObserverFunc) Observe(ctx context.Context, event Event) { f(ctx, event) }

// observe counts, logs and passes on.
func (o *Operation) observe(ctx context.Context, event Event) {
	event.API, event.Operation = o.contract.API, o.contract.Operation
	o.counters[event.Outcome].Add(1)
	if l := o.engine.settings.logger; l != nil {
		logEvent(ctx, l, event)
	}
	if ob := o.engine.settings.observer; ob != nil {
		ob.Observe(ctx, event)
	}
}
