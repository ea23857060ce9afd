package storetest

import (
	"time"

	idem "github.com/idemgen/idemgen/runtime"
)

func takeoverChecks() []check {
	return []check{
		{"refuses where there is nothing any more", takeoverRefusesNothing},
		{"refuses while the lease lasts", takeoverRefusesRunning},
		{"writes when the lease is over, and not before", takeoverWritesOverLapsed},
		{"writes over the tombstone seen", takeoverWritesOverTombstone},
		{"refuses where a lapsed record is another than the one seen", takeoverRefusesOtherLapsed},
		{"refuses where a tombstone is another than the one seen", takeoverRefusesOtherTombstone},
		{"refuses where the record seen is done or held by now", takeoverRefusesSettled},
		{"never takes a record with Hold set", takeoverNeverTakesHeld},
		{"accepts its own record again", takeoverAcceptsOwn},
		{"lets exactly one of many win a tombstone", takeoverLetsOneWinTombstone},
		{"lets exactly one of many win a lapsed record", takeoverLetsOneWinLapsed},
	}
}

func takeoverRefusesNothing(s *subject) {
	key, seen := s.newKey(), newPending(long, long)
	s.refused(s.takeover(key, seen, next(seen)), nil)
	s.has(key, nil)
}

func takeoverRefusesRunning(s *subject) {
	key, seen := s.newKey(), newPending(long, long)
	s.claim(key, seen)
	s.refused(s.takeover(key, seen, next(seen)), seen)
	s.has(key, seen)
}

func takeoverWritesOverLapsed(s *subject) {
	key, seen := s.newKey(), newPending(long, short)
	before := time.Now()
	s.claim(key, seen)
	r := next(seen)
	s.eventually("the takeover", func() bool { return s.takeover(key, seen, r).Accepted })
	if after := time.Since(before); after < short-slack {
		s.Fatalf("taken over %v after the claim, the lease is %v", after, short)
	}
	s.has(key, r)
}

func takeoverWritesOverTombstone(s *subject) {
	key, seen := s.newKey(), newPending(long, long)
	s.claim(key, seen)
	tombstone := s.toReleased(key, seen)
	r := next(tombstone)
	s.accepted(s.takeover(key, tombstone, r))
	s.has(key, r)
}

func takeoverRefusesOtherLapsed(s *subject) {
	key, r := s.newKey(), newPending(long, short)
	s.claim(key, r)
	s.eventually("the end of the lease", func() bool { return s.load(key).LeaseLeft <= 0 })
	s.refused(s.takeover(key, newPending(long, short), next(r)), r)
	s.has(key, r)
}

func takeoverRefusesOtherTombstone(s *subject) {
	key, r := s.newKey(), newPending(long, long)
	s.claim(key, r)
	tombstone := s.toReleased(key, r)
	s.refused(s.takeover(key, newPending(long, long), next(r)), tombstone)
	s.has(key, tombstone)
}

func takeoverRefusesSettled(s *subject) {
	for _, step := range []transition{s.toDone, s.toHeld} {
		key, seen := s.newKey(), newPending(long, short)
		s.claim(key, seen)
		now := step(key, seen)
		start := time.Now()
		s.eventually("the end of what was the lease", func() bool { return time.Since(start) > short+slack })
		s.refused(s.takeover(key, seen, next(seen)), now)
		s.has(key, now)
	}
}

func takeoverNeverTakesHeld(s *subject) {
	key, seen := s.newKey(), newPending(long, short)
	seen.Hold = true
	s.claim(key, seen)
	s.eventually("the end of the lease", func() bool { return s.load(key).LeaseLeft <= 0 })
	s.refused(s.takeover(key, seen, next(seen)), seen)
	s.has(key, seen)
}

func takeoverAcceptsOwn(s *subject) {
	key, seen := s.newKey(), newPending(long, long)
	s.claim(key, seen)
	tombstone := s.toReleased(key, seen)
	r := next(tombstone)
	s.takeover(key, tombstone, r)
	s.accepted(s.takeover(key, tombstone, r))
	s.has(key, r)
}

func takeoverLetsOneWinTombstone(s *subject) {
	for range 20 {
		key, seen := s.newKey(), newPending(long, long)
		s.claim(key, seen)
		tombstone := s.toReleased(key, seen)
		s.oneWins(key, func(r *idem.Record) (idem.Reply, error) {
			return s.store.Takeover(s.ctx, key, tombstone, r)
		})
	}
}

func takeoverLetsOneWinLapsed(s *subject) {
	key, seen := s.newKey(), newPending(long, short)
	s.claim(key, seen)
	s.eventually("the end of the lease", func() bool { return s.load(key).LeaseLeft <= 0 })
	s.oneWins(key, func(r *idem.Record) (idem.Reply, error) {
		return s.store.Takeover(s.ctx, key, seen, r)
	})
}
