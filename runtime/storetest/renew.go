package storetest

import "time"

func renewChecks() []check {
	return []check{
		{"starts the lease afresh", renewStartsLease},
		{"starts the life afresh", renewStartsLife},
		{"writes where there is nothing any more", renewWritesInNothing},
		{"renews a lapsed record that nobody has taken", renewRenewsLapsed},
		{"refuses another's record and returns it", renewRefusesOthers},
		{"refuses where its own token is done, held or released", renewRefusesOwnOtherState},
	}
}

func renewStartsLease(s *subject) {
	key, r := s.newKey(), newPending(long, 10*short)
	s.claim(key, r)
	s.eventually("a part of the lease to pass", func() bool { return s.load(key).LeaseLeft < 9*short })
	before := time.Now()
	s.accepted(s.renew(key, r))
	left := s.load(key).LeaseLeft
	if least := r.Lease - time.Since(before) - slack; left < least {
		s.Fatalf("%v of a lease of %v is left after the renewal, want %v", left, r.Lease, least)
	}
	s.has(key, r)
}

func renewStartsLife(s *subject) {
	key, r := s.newKey(), newPending(short, short)
	s.claim(key, r)
	s.eventually("most of the lease to pass", func() bool { return s.load(key).LeaseLeft < short/2 })
	before := time.Now()
	s.accepted(s.renew(key, r))
	s.eventually("the end of the life", func() bool { return s.load(key).Record == nil })
	if after := time.Since(before); after < r.Life()-slack {
		s.Fatalf("gone %v after the renewal, the life is %v", after, r.Life())
	}
}

func renewWritesInNothing(s *subject) {
	key, r := s.newKey(), newPending(long, long)
	s.accepted(s.renew(key, r))
	s.has(key, r)
}

func renewRenewsLapsed(s *subject) {
	key, r := s.newKey(), newPending(long, short)
	s.claim(key, r)
	s.eventually("the end of the lease", func() bool { return s.load(key).LeaseLeft <= 0 })
	before := time.Now()
	s.accepted(s.renew(key, r))
	s.eventually("the end of the new lease", func() bool { return s.takeover(key, r, next(r)).Accepted })
	if after := time.Since(before); after < short-slack {
		s.Fatalf("the lease of %v was over %v after the renewal", short, after)
	}
}

func renewRefusesOthers(s *subject) {
	key, r := s.newKey(), newPending(long, long)
	s.claim(key, r)
	s.refused(s.renew(key, newPending(long, long)), r)
	s.has(key, r)
}

func renewRefusesOwnOtherState(s *subject) {
	for _, step := range []transition{s.toDone, s.toHeld, s.toReleased} {
		key, r := s.newKey(), newPending(long, long)
		s.claim(key, r)
		now := step(key, r)
		s.refused(s.renew(key, r), now)
		s.has(key, now)
	}
}
