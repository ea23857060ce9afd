package storetest

import (
	"time"

	idem "github.com/idemgen/idemgen/runtime"
)

func clockChecks() []check {
	return []check{
		{"keeps a pending record for ttl and lease", clockOfPending},
		{"keeps a done record for ttl", clockOfDone},
		{"keeps a held record for ttl", clockOfHeld},
		{"keeps a tombstone for ttl", clockOfReleased},
		{"counts a done record's life from its own write", clockStartsAtWrite},
		{"tells what is left of the lease", clockOfLease},
		{"lets a claim in once the life is over", clockLetsClaimIn},
	}
}

func clockOfPending(s *subject) {
	s.lives(newPending(short, short/2), s.store.Claim)
}

func clockOfDone(s *subject) {
	s.lives(done(newPending(short, long)), s.store.Complete)
}

func clockOfHeld(s *subject) {
	s.lives(held(newPending(short, long)), s.store.Complete)
}

func clockOfReleased(s *subject) {
	s.lives(released(newPending(short, long)), func(ctx ctx, key idem.StoreKey, r *idem.Record) (idem.Reply, error) {
		return s.store.Release(ctx, key, r, true)
	})
}

func clockStartsAtWrite(s *subject) {
	key, r := s.newKey(), newPending(2*short, long)
	s.claim(key, r)
	s.eventually("a part of the lease to pass", func() bool { return s.load(key).LeaseLeft < long-short })
	before := time.Now()
	s.toDone(key, r)
	s.gone(key, before, 2*short)
}

func clockOfLease(s *subject) {
	key, r := s.newKey(), newPending(long, 4*short)
	before := time.Now()
	s.claim(key, r)
	for _, reply := range []idem.Reply{
		s.load(key),
		s.claim(key, newPending(long, long)),
		s.takeover(key, r, next(r)),
	} {
		most, least := r.Lease, r.Lease-time.Since(before)-slack
		if reply.LeaseLeft > most || reply.LeaseLeft < least {
			s.Fatalf("left of the lease is %v, want %v to %v", reply.LeaseLeft, least, most)
		}
	}
	s.eventually("the end of the lease", func() bool { return s.load(key).LeaseLeft <= 0 })
	if after := time.Since(before); after < r.Lease-slack {
		s.Fatalf("the lease of %v was over after %v", r.Lease, after)
	}
	if reply := s.claim(key, newPending(long, long)); reply.LeaseLeft > 0 {
		s.Fatalf("claim says that %v of an ended lease is left", reply.LeaseLeft)
	}
	s.has(key, r)
}

func clockLetsClaimIn(s *subject) {
	key := s.newKey()
	s.complete(key, done(newPending(short, long)))
	r := newPending(long, long)
	s.eventually("the claim", func() bool { return s.claim(key, r).Accepted })
	s.has(key, r)
}

// lives checks that a record that is written by step lives as long as it
// shall.
func (s *subject) lives(r *idem.Record, step func(ctx, idem.StoreKey, *idem.Record) (idem.Reply, error)) {
	s.Helper()
	key, before := s.newKey(), time.Now()
	s.accepted(s.ok(step(s.ctx, key, r)))
	s.gone(key, before, r.Life())
}

func (s *subject) gone(key idem.StoreKey, before time.Time, life time.Duration) {
	s.Helper()
	s.eventually("the end of the life", func() bool { return s.load(key).Record == nil })
	if after := time.Since(before); after < life-slack {
		s.Fatalf("gone after %v, the life is %v", after, life)
	}
}
