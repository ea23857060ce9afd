package storetest

import (
	idem "github.com/idemgen/idemgen/runtime"
)

func completeChecks() []check {
	return []check{
		{"writes over its own pending record", completeWritesOverPending},
		{"writes over its own held record", completeWritesOverHeld},
		{"writes when its lease is over and nobody has taken the key", completeWritesOverLapsed},
		{"writes where there is nothing any more", completeWritesInNothing},
		{"writes over its own tombstone and another's", completeWritesOverTombstone},
		{"accepts its own done record again without writing", completeAcceptsOwnDone},
		{"refuses another's pending, held or done record and returns it", completeRefusesOthers},
		{"refuses a lapsed owner and returns the winner's record", completeRefusesLapsedOwner},
	}
}

func completeWritesOverPending(s *subject) {
	for _, state := range []idem.State{idem.Done, idem.Held} {
		key, r := s.newKey(), newPending(long, long)
		s.claim(key, r)
		s.accepted(s.complete(key, in(state, r)))
		s.has(key, in(state, r))
	}
}

func completeWritesOverHeld(s *subject) {
	for _, state := range []idem.State{idem.Done, idem.Held} {
		key, r := s.newKey(), newPending(long, long)
		s.claim(key, r)
		s.toHeld(key, r)
		s.accepted(s.complete(key, in(state, r)))
		s.has(key, in(state, r))
	}
}

func completeWritesOverLapsed(s *subject) {
	key, r := s.newKey(), newPending(long, short)
	s.claim(key, r)
	s.eventually("the end of the lease", func() bool { return s.load(key).LeaseLeft <= 0 })
	s.toDone(key, r)
	s.has(key, done(r))
}

func completeWritesInNothing(s *subject) {
	for _, state := range []idem.State{idem.Done, idem.Held} {
		key, r := s.newKey(), newPending(long, long)
		s.accepted(s.complete(key, in(state, r)))
		s.has(key, in(state, r))
	}
}

func completeWritesOverTombstone(s *subject) {
	for _, own := range []bool{true, false} {
		key, r := s.newKey(), newPending(long, long)
		s.claim(key, r)
		s.toReleased(key, r)
		if !own {
			r = next(r)
		}
		s.toDone(key, r)
		s.has(key, done(r))
	}
}

func completeAcceptsOwnDone(s *subject) {
	key, r := s.newKey(), newPending(long, long)
	s.claim(key, r)
	first := s.toDone(key, r)
	again := done(r)
	again.Answer = &idem.Answer{Status: 500}
	s.accepted(s.complete(key, again))
	s.has(key, first)
	s.accepted(s.complete(key, held(r)))
	s.has(key, first)
}

func completeRefusesOthers(s *subject) {
	for _, step := range []transition{stay, s.toHeld, s.toDone} {
		key, r := s.newKey(), newPending(long, long)
		s.claim(key, r)
		now := step(key, r)
		s.refused(s.complete(key, done(newPending(long, long))), now)
		s.refused(s.complete(key, held(newPending(long, long))), now)
		s.has(key, now)
	}
}

func completeRefusesLapsedOwner(s *subject) {
	key, late := s.newKey(), newPending(long, short)
	s.claim(key, late)
	winner := next(late)
	s.eventually("the takeover", func() bool { return s.takeover(key, late, winner).Accepted })
	s.refused(s.complete(key, done(late)), winner)
	s.toDone(key, winner)
	s.refused(s.complete(key, done(late)), done(winner))
	s.has(key, done(winner))
}
