package storetest

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/base64"
	"testing"
	"time"

	idem "github.com/idemgen/idemgen/runtime"
)

const (
	// long is a life or lease that does not end during a test.
	long = time.Minute
	// short is one whose end a test waits for.
	short = 120 * time.Millisecond
	// slack is what a store may round a time by.
	slack = 5 * time.Millisecond
)

// A subject is the store under test, with the test that it fails.
type subject struct {
	testing.TB
	store idem.Store
	ctx   context.Context
	soon  time.Duration // when something that is about to happen has happened
}

func newSubject(t testing.TB, store idem.Store) *subject {
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	t.Cleanup(cancel)
	return &subject{TB: t, store: store, ctx: ctx, soon: 5 * time.Second}
}

// newKey returns a key that nobody else uses.
func (s *subject) newKey() idem.StoreKey {
	s.Helper()
	var sum [32]byte
	rand.Read(sum[:])
	key, err := idem.ParseStoreKey("storetest:operation:" + base64.RawURLEncoding.EncodeToString(sum[:]))
	if err != nil {
		s.Fatal(err)
	}
	return key
}

// newPending returns the record of a first attempt, with a token of its own.
func newPending(ttl, lease time.Duration) *idem.Record {
	r := &idem.Record{
		State:   idem.Pending,
		Attempt: 1,
		TTL:     ttl,
		Lease:   lease,
		Claimed: time.Now().UTC().Truncate(time.Millisecond),
	}
	rand.Read(r.Token[:])
	return r
}

// next returns the record of the attempt after r.
func next(r *idem.Record) *idem.Record {
	n := newPending(r.TTL, r.Lease)
	n.Attempt = r.Attempt + 1
	return n
}

// in returns r's attempt in another state.
func in(state idem.State, r *idem.Record) *idem.Record {
	n := *r
	n.State = state
	if state == idem.Done {
		n.Settled = n.Claimed.Add(time.Second)
		n.Answer = &idem.Answer{
			Status: 201,
			Header: []idem.HeaderLine{{Name: "Content-Type", Value: "text/plain"}},
			Body:   []byte("attempt " + string('0'+rune(r.Attempt%10))),
		}
	}
	return &n
}

func done(r *idem.Record) *idem.Record     { return in(idem.Done, r) }
func held(r *idem.Record) *idem.Record     { return in(idem.Held, r) }
func released(r *idem.Record) *idem.Record { return in(idem.Released, r) }

func (s *subject) claim(key idem.StoreKey, r *idem.Record) idem.Reply {
	s.Helper()
	return s.ok(s.store.Claim(s.ctx, key, r))
}

func (s *subject) takeover(key idem.StoreKey, seen, r *idem.Record) idem.Reply {
	s.Helper()
	return s.ok(s.store.Takeover(s.ctx, key, seen, r))
}

func (s *subject) renew(key idem.StoreKey, r *idem.Record) idem.Reply {
	s.Helper()
	return s.ok(s.store.Renew(s.ctx, key, r))
}

func (s *subject) complete(key idem.StoreKey, r *idem.Record) idem.Reply {
	s.Helper()
	return s.ok(s.store.Complete(s.ctx, key, r))
}

func (s *subject) release(key idem.StoreKey, r *idem.Record, trace bool) idem.Reply {
	s.Helper()
	return s.ok(s.store.Release(s.ctx, key, released(r), trace))
}

func (s *subject) load(key idem.StoreKey) idem.Reply {
	s.Helper()
	return s.ok(s.store.Load(s.ctx, key))
}

func (s *subject) ok(reply idem.Reply, err error) idem.Reply {
	s.Helper()
	if err != nil {
		s.Fatalf("unexpected error: %v", err)
	}
	return reply
}

func (s *subject) accepted(reply idem.Reply) {
	s.Helper()
	if !reply.Accepted {
		s.Fatalf("refused, want it accepted; the key has %s", describe(reply.Record))
	}
}

// refused checks that a step was refused because the key has a record.
func (s *subject) refused(reply idem.Reply, because *idem.Record) {
	s.Helper()
	if reply.Accepted {
		s.Fatal("accepted, want it refused")
	}
	s.same(reply.Record, because)
}

// has checks what the key has. Nil stands for nothing.
func (s *subject) has(key idem.StoreKey, want *idem.Record) {
	s.Helper()
	s.same(s.load(key).Record, want)
}

func (s *subject) same(got, want *idem.Record) {
	s.Helper()
	if got == nil || want == nil {
		if got != want {
			s.Fatalf("the key has %s, want %s", describe(got), describe(want))
		}
		return
	}
	if !bytes.Equal(idem.AppendRecord(nil, got), idem.AppendRecord(nil, want)) {
		s.Fatalf("the key has %s, want %s\ngot  %+v\nwant %+v", describe(got), describe(want), *got, *want)
	}
}

func describe(r *idem.Record) string {
	if r == nil {
		return "nothing"
	}
	return string(r.State) + " of " + base64.RawURLEncoding.EncodeToString(r.Token[:4])
}

// eventually asks again and again until the answer is yes.
func (s *subject) eventually(what string, yes func() bool) {
	s.Helper()
	for end := time.Now().Add(s.soon); !yes(); time.Sleep(2 * time.Millisecond) {
		if time.Now().After(end) {
			s.Fatalf("after %v: still waiting for: %s", s.soon, what)
		}
	}
}
