package proof

import (
	"encoding/binary"
	"time"

	"github.com/anishathalye/porcupine"

	idem "github.com/idemgen/idemgen/runtime"
)

// A state is what a key has, by the specification of [idem.Store].
type state struct {
	kind    idem.State // zero for no record
	token   idem.Token
	attempt uint32
	hold    bool
	body    string

	life, lease time.Duration
	// The store wrote the record, or renewed it, between these moments: then
	// its life and lease began.
	earliest, latest int64
}

// A branch is one thing that a step can do to a state.
type branch struct {
	accepted bool
	then     state
}

// model is the specification of a key as a nondeterministic state machine. It is
// not free to let any lease and life be over: those begin and end within the
// bounds that the calls' times give. Slack is what a store may round times by.
func model(slack time.Duration) porcupine.Model {
	m := porcupine.NondeterministicModel{
		Partition: byKey,
		Init:      func() []any { return []any{state{}} },
		Step: func(s, input, _ any) []any {
			var next []any
			for _, n := range s.(state).after(input.(*step), int64(slack)) {
				next = append(next, n)
			}
			return next
		},
		Hash: func(s any) uint64 {
			x := s.(state)
			return binary.BigEndian.Uint64(x.token[:]) ^ uint64(x.kind)<<8 ^ uint64(x.earliest)
		},
	}
	return m.ToModel()
}

func byKey(history []porcupine.Operation) [][]porcupine.Operation {
	var keys [][]porcupine.Operation
	for _, o := range history {
		key := o.Input.(*step).key
		for len(keys) <= key {
			keys = append(keys, nil)
		}
		keys[key] = append(keys[key], o)
	}
	return keys
}

// after returns the states that may follow s, given what the step's client saw.
func (s state) after(in *step, slack int64) []state {
	var next []state
	if s.kind != 0 && in.mayFindOver(s, s.life, slack) {
		next = append(next, state{}.do(in, slack)...)
	}
	if s.kind == 0 || !in.mustFindOver(s, s.life, slack) {
		next = append(next, s.do(in, slack)...)
	}
	return next
}

// mayFindOver reports whether a time that began with a state may be over for the
// step.
func (s *step) mayFindOver(of state, d time.Duration, slack int64) bool {
	return s.to == never || s.to >= of.earliest+int64(d)-slack
}

// mustFindOver reports whether it must be over.
func (s *step) mustFindOver(of state, d time.Duration, slack int64) bool {
	return of.latest != never && s.from > of.latest+int64(d)+slack
}

// do is after for a record whose life is not over.
func (s state) do(in *step, slack int64) []state {
	var next []state
	for _, b := range s.branches(in, slack) {
		if in.unknown || b.accepted == in.reply.Accepted && (b.accepted || s.isIn(in, slack)) {
			next = append(next, b.then)
		}
	}
	return next
}

// isIn reports whether the reply of a refused step tells of s.
func (s state) isIn(in *step, slack int64) bool {
	r := in.reply.Record
	if s.kind == 0 || r == nil {
		return s.kind == 0 && r == nil
	}
	if r.State != s.kind || r.Token != s.token || r.Attempt != s.attempt || r.Hold != s.hold || body(r) != s.body {
		return false
	}
	if !in.exactLeft || s.kind != idem.Pending {
		return true
	}
	left := int64(in.reply.LeaseLeft)
	early := s.earliest + int64(s.lease) - in.to - slack
	late := s.latest != never && left > s.latest+int64(s.lease)-in.from+slack
	return left >= early && !late
}

// branches is the specification. What a key has is s, whose life is not over.
func (s state) branches(in *step, slack int64) []branch {
	refused := []branch{{false, s}}
	kept := []branch{{true, s}}
	written := []branch{{true, in.written()}}
	if in.op == load {
		return refused
	}
	own := s.kind != 0 && s.token == in.record.Token
	switch in.op {
	case claim:
		switch {
		case s.kind == 0:
			return written
		case own && s.kind == in.record.State:
			return kept
		}
	case takeover:
		switch {
		case own && s.kind == idem.Pending:
			return kept
		case s.kind != 0 && s.token == in.seen:
			return s.taken(in, slack)
		}
	case renew:
		if s.kind == 0 || own && s.kind == idem.Pending {
			return written
		}
	case complete:
		switch {
		case s.kind == 0, s.kind == idem.Released, own && s.kind != idem.Done:
			return written
		case own:
			return kept
		}
	case release:
		switch {
		case s.kind == idem.Released, s.kind == 0 && !in.trace:
			return kept
		case s.kind == 0, own && s.kind != idem.Done:
			if in.trace {
				return written
			}
			return []branch{{true, state{}}}
		}
	}
	return refused
}

// taken is what a takeover does to the record it has seen.
func (s state) taken(in *step, slack int64) []branch {
	var all []branch
	lapses := s.kind == idem.Pending && !s.hold
	if s.kind == idem.Released || lapses && in.mayFindOver(s, s.lease, slack) {
		all = append(all, branch{true, in.written()})
	}
	if s.kind != idem.Released && !(lapses && in.mustFindOver(s, s.lease, slack)) {
		all = append(all, branch{false, s})
	}
	return all
}

// written is the state in which a step leaves the key whose record it writes.
func (s *step) written() state {
	r := s.record
	if r == nil {
		return state{}
	}
	return state{
		kind: r.State, token: r.Token, attempt: r.Attempt, hold: r.Hold, body: body(r),
		life: r.Life(), lease: r.Lease,
		earliest: s.from, latest: s.to,
	}
}
