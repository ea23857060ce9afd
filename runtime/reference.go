package runtime

import (
	"context"
	"sync/atomic"
)

// Replay says what is kept of an answer.
type Replay string

const (
	// Stored keeps the answer itself. The default.
	Stored Replay = "stored"
	// Reload keeps a reference that the handler leaves with [SetReference],
	// from which the generated server builds the answer of each replay.
	Reload Replay = "reload"
)

// SetReference leaves a reference from which the answer of this call can be
// built again, such as the id of what was created. It is what a contract with
// [Reload] keeps instead of the answer; the last one before the handler returns
// counts. Where none was set, or the empty one, or one longer than the
// contract's MaxResponseBytes, the answer is not retained: a retry is refused
// rather than carried out again.
//
// The reference is in the store as it is, so it must hold no secret. Outside of
// a protected handler, and under any other contract, SetReference has no
// effect. It may be called concurrently.
func SetReference(ctx context.Context, reference string) {
	if r, ok := ctx.Value(infoKey{}).(*running); ok {
		r.reference.set(reference)
	}
}

// A reference is what a handler has left so far.
type reference struct{ value atomic.Pointer[string] }

func (r *reference) set(value string) { r.value.Store(&value) }

func (r *reference) get() string {
	if value := r.value.Load(); value != nil {
		return *value
	}
	return ""
}

// kept is what the contract has kept of an answer: all of it, or a reference to
// it. Nil means that it is not retained.
func (r *request) kept(answer *Answer) *Answer {
	if r.op.contract.Replay != Reload {
		return answer
	}
	reference := r.reference.get()
	if reference == "" {
		return nil
	}
	return &Answer{Status: answer.Status, Reference: reference}
}
