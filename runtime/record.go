package runtime

import (
	"crypto/rand"
	"time"
)

// A State is where the record of a key stands.
type State byte

const (
	// Pending: an attempt runs, or died and left its lease to run out.
	Pending State = 'P'
	// Done: the key is settled; its answer is kept, or known not to be.
	Done State = 'D'
	// Held: the outcome is unknown and an operator must decide.
	Held State = 'H'
	// Released: a tombstone. Nobody owns the key and the next request may
	// take it; it remembers the attempt number and keeps late claims out.
	Released State = 'R'
)

// A Token identifies one attempt's ownership of a key. Every step after the
// claim carries it and is refused for anyone else: it is the fence against a
// worker that lost its lease and does not know.
type Token [16]byte

func newToken() (t Token) {
	rand.Read(t[:]) // never fails, says crypto/rand
	return t
}

// A Record is what a store holds for one key. Records are values between engine
// and store: neither changes one after handing it over.
type Record struct {
	State   State
	Token   Token
	Attempt uint32 // 1 for the first

	// Hold is set where the contract holds keys whose outcome is unknown.
	Hold bool
	// NotRetained is set in a Done record whose answer was not kept.
	NotRetained bool

	// TTL is how long the record lives once nobody works on it; Lease is
	// what a pending one has on top of that. Both are in whole milliseconds.
	TTL, Lease time.Duration

	Contract    ContractDigest
	Fingerprint Fingerprint

	// Claimed and Settled are by the clock of the process that wrote them,
	// in whole milliseconds. They inform; nothing is decided by them.
	Claimed, Settled time.Time

	// Answer is the kept answer of a Done record; nil otherwise.
	Answer *Answer
}

// copy returns a copy that shares no memory with r but the answer: it may outlive
// the request that r is part of by far.
func (r *Record) copy() *Record {
	c := new(struct {
		Record
		fields [4]FieldDigest
	})
	c.Record = *r
	c.Fingerprint.Fields = append(c.fields[:0], r.Fingerprint.Fields...)
	return &c.Record
}

// Life is how long a store keeps the record after writing it.
func (r *Record) Life() time.Duration {
	if r.State == Pending {
		return r.TTL + r.Lease
	}
	return r.TTL
}

// Claimable reports whether another attempt may take the key, by
// [Store.Takeover], given what is left of the lease of a pending record.
func (r *Record) Claimable(leaseLeft time.Duration) bool {
	return r.State == Released || r.State == Pending && leaseLeft <= 0 && !r.Hold
}

// An Answer is the answer of a protected call in a form that can be kept.
type Answer struct {
	// Status is the HTTP status, zero for a call without HTTP.
	Status int
	// Header has the header lines in order, a repeated name repeated.
	Header []HeaderLine
	Body   []byte
	// Oversized says that the body is larger than the contract lets a kept
	// one be: Body is empty then, and only its first caller gets it.
	Oversized bool
	// Reference is what the answer is to be built again from, under a
	// contract with [Reload]: Header and Body are empty then. "" for none.
	Reference string
}

// A HeaderLine is one line of an answer's header.
type HeaderLine struct{ Name, Value string }
