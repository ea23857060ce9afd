package runtime

import (
	"context"
	"errors"
	"fmt"
	"net/textproto"
	"slices"
	"time"
)

// An Inspection is what an operator can know of a key.
type Inspection struct {
	// State is State of the record, zero where the key has none.
	State State
	// Lapsed is set for a Pending record whose lease is over: its worker died
	// or lost it.
	Lapsed bool
	// Held is set where requests are refused until the key is settled or
	// released: State is Held, or Lapsed is set and outcomes are held.
	Held bool
	// Attempt is the number of the last attempt.
	Attempt uint32
	// LeaseLeft is what is left of a Pending record's lease.
	LeaseLeft time.Duration
	// Claimed and Settled are by the clocks of the processes that did it.
	Claimed, Settled time.Time
	// Retained is set where an answer is kept; Status and BodyBytes are its.
	Retained  bool
	Status    int
	BodyBytes int
	// SameContract is set where the record was written under this version of
	// the contract.
	SameContract bool
	// StoreKey is the name of the record in the store, without its prefix.
	StoreKey string
}

// Errors of the operator's methods.
var (
	// ErrNoRecord: the key has no record.
	ErrNoRecord = errors.New("idem: the key has no record")
	// ErrNotHeld: the key's outcome is not unknown: a request with it runs,
	// or it is settled, or free.
	ErrNotHeld = errors.New("idem: the key is not held")
)

// Inspect tells where a key stands. Scope has the values of the contract's
// scope, in its order, the principal's included.
func (e *Engine) Inspect(ctx context.Context, contract Contract, scope []string, key string) (Inspection, error) {
	op, id, reply, err := e.lookUp(ctx, contract, scope, key)
	if err != nil {
		return Inspection{}, err
	}
	in := Inspection{StoreKey: id.store.String()}
	record := reply.Record
	if record == nil {
		return in, nil
	}
	in.State, in.Attempt = record.State, record.Attempt
	in.Claimed, in.Settled = record.Claimed, record.Settled
	in.SameContract = record.Contract == op.digest
	if record.State == Pending {
		in.LeaseLeft = max(reply.LeaseLeft, 0)
		in.Lapsed = reply.LeaseLeft <= 0
	}
	in.Held = isHeld(op, reply)
	if record.Answer != nil {
		in.Retained, in.Status, in.BodyBytes = true, record.Answer.Status, len(record.Answer.Body)
	}
	return in, nil
}

// Settle gives a held key the answer that every retry will get, for an operator
// who has found out what happened. The answer is the whole HTTP answer: status,
// header lines and body; for a key of [Do] its body is the result as JSON.
// It returns ErrNoRecord or ErrNotHeld where there is nothing to settle.
func (e *Engine) Settle(ctx context.Context, contract Contract, scope []string, key string, answer Answer) error {
	return e.decide(ctx, contract, scope, key, func(id identity, held *Record) (Reply, error) {
		record := *held
		record.State, record.Settled, record.Answer = Done, time.Now(), canonical(answer)
		return e.store.Complete(ctx, id.store, &record)
	})
}

// Release gives a held key back, for an operator who has found out that nothing
// happened: the next request with it runs. It returns ErrNoRecord or ErrNotHeld
// where there is nothing to release.
func (e *Engine) Release(ctx context.Context, contract Contract, scope []string, key string) error {
	return e.decide(ctx, contract, scope, key, func(id identity, held *Record) (Reply, error) {
		record := *held
		record.State, record.TTL, record.Lease = Released, max(held.Lease, minTombstoneLife), 0
		return e.store.Release(ctx, id.store, &record, true)
	})
}

// decide does step to a held key, and fails if the key changes meanwhile.
func (e *Engine) decide(ctx context.Context, contract Contract, scope []string, key string, step func(identity, *Record) (Reply, error)) error {
	op, id, reply, err := e.lookUp(ctx, contract, scope, key)
	if err != nil {
		return err
	}
	if reply.Record == nil {
		return ErrNoRecord
	}
	if !isHeld(op, reply) {
		return ErrNotHeld
	}
	reply, err = step(id, reply.Record)
	if err == nil && !reply.Accepted {
		return ErrNotHeld
	}
	return err
}

// lookUp loads the record of a key that an operator names.
func (e *Engine) lookUp(ctx context.Context, contract Contract, scope []string, key string) (*Operation, identity, Reply, error) {
	op, err := e.operationOf(contract)
	if err != nil {
		return nil, identity{}, Reply{}, err
	}
	if problem := op.checkKey(KeyOf(key)); problem != "" {
		return nil, identity{}, Reply{}, fmt.Errorf("idem: %s: %s", contract.Operation, problem)
	}
	if len(scope) != len(op.contract.Scope) || slices.Contains(scope, "") {
		return nil, identity{}, Reply{}, fmt.Errorf("idem: %s: scope needs a value for each of %q", contract.Operation, op.contract.Scope)
	}
	id := op.identityOf(scope, key)
	reply, err := e.store.Load(ctx, id.store)
	return op, id, reply, err
}

func isHeld(op *Operation, reply Reply) bool {
	switch record := reply.Record; record.State {
	case Held:
		return true
	case Pending:
		return reply.LeaseLeft <= 0 && (record.Hold || op.contract.OnCrash == Hold)
	}
	return false
}

// canonical writes header names as HTTP libraries look them up, so that a
// hand-written content-type is found.
func canonical(a Answer) *Answer {
	header := make([]HeaderLine, len(a.Header))
	for i, line := range a.Header {
		header[i] = HeaderLine{Name: textproto.CanonicalMIMEHeaderKey(line.Name), Value: line.Value}
	}
	a.Header = header
	return &a
}
