package runtime

import (
	"context"
	"errors"
	"time"
)

// A Store keeps one [Record] per key, for all processes that share it. The
// comments here are the specification that runtime/storetest checks.
//
// Each step is atomic and takes effect at most once however often it is sent
// with the same arguments: a client library may repeat a call whose reply was
// lost. The store's clock alone decides what is left of a life or a lease.
// A record's life is [Record.Life], counted from the write.
//
// That a step is refused is a result, not an error. An error means that the
// step may or may not have taken effect, now or later, unless it is one of
// [ErrNotApplied] (certainly not), [ErrFull] or [ErrUnreadable]. A step returns
// soon after its context ends; one whose context is over before it begins
// returns [ErrNotApplied].
//
// A store may be bounded. When it is full, a claim of a key that has no record
// returns [ErrFull]. A record that Renew, Complete or Release writes where it
// has vanished is written all the same: its owner has the right to it, and the
// effect may have happened.
//
// Methods may be called concurrently. A store that also implements io.Closer is
// closed by [Engine.Close]; its methods then return errors.
type Store interface {
	// Claim writes record, a Pending or Done one, if key has no record, and
	// accepts. It accepts as well when key has a record of the same state
	// with the same token: an earlier sending of this call wrote it.
	// Otherwise it refuses and returns what key has.
	Claim(ctx context.Context, key StoreKey, record *Record) (Reply, error)

	// Takeover writes record, a Pending one, if key still has the record
	// seen (one with the same token), and that is Released, or is Pending,
	// its lease is over and Hold is not set in it; and accepts. It accepts
	// as well when key has a Pending record with the token of record: an
	// earlier sending of this call wrote it. Where key has no record it
	// refuses: whoever has seen one and finds none cannot know whether it
	// was given back or lost. Where seen is nil it is Claim.
	Takeover(ctx context.Context, key StoreKey, seen, record *Record) (Reply, error)

	// Renew starts the life of a Pending record afresh if key has it (same
	// token), or writes it if key has none (the store lost it), and accepts.
	Renew(ctx context.Context, key StoreKey, record *Record) (Reply, error)

	// Complete writes record, a Done or Held one, if key has a Pending or
	// Held record with the same token, a Released one with any token, or
	// none; and accepts. It accepts without writing when key has a Done
	// record with the same token: an earlier sending wrote it.
	Complete(ctx context.Context, key StoreKey, record *Record) (Reply, error)

	// Release gives the key back if it has a Pending or Held record with the
	// token of record, and accepts. If trace is set it writes record, a
	// Released one, in its place, and does so also if key has none: a late
	// claim then finds the tombstone. If trace is not set it deletes. It
	// accepts when there is nothing left to do, also over another's
	// tombstone, which it leaves as it is.
	Release(ctx context.Context, key StoreKey, record *Record, trace bool) (Reply, error)

	// Load returns what key has and changes nothing. It never accepts.
	Load(ctx context.Context, key StoreKey) (Reply, error)

	// Watch returns a channel that gets a value after each change of the
	// record of key by Complete or Release, and one value as soon as changes
	// are being watched, so that a reader who reads on every value misses
	// none. Values that nobody has received yet are merged into one. Where
	// changes may have been missed (a lost connection) it gets a value too.
	// It does not block, takes no context and reports no error: the engine
	// reads now and then without being told. The caller calls stop once.
	Watch(key StoreKey) (changed <-chan struct{}, stop func())
}

// A Reply is a store's answer to a step.
type Reply struct {
	// Accepted says that the record is the caller's, as the step wants it.
	Accepted bool
	// Record is what the key has where the step was refused, nil for
	// nothing. Where Claim or Takeover accepted it may be nil.
	Record *Record
	// LeaseLeft is what is left of the lease of a Pending Record: not
	// positive when it is over.
	LeaseLeft time.Duration
}

// Errors of a [Store], to be tested for with errors.Is.
var (
	// ErrNotApplied: the store is certain that the step had and will have no
	// effect. It never arrived, or was refused whole.
	ErrNotApplied = errors.New("idem: store: not applied")
	// ErrFull: the store is up, but has no room for another record. A
	// request is then refused whatever its contract says of store errors.
	ErrFull = errors.New("idem: store: full")
	// ErrUnreadable: the key has a value that is no record, or one of a
	// newer format. Nothing is run on it.
	ErrUnreadable = errors.New("idem: store: record unreadable")
)
