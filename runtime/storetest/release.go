package storetest

func releaseChecks() []check {
	return []check{
		{"without trace deletes its own pending or held record", releaseDeletes},
		{"with trace leaves a tombstone in place of its own pending or held record", releaseLeavesTombstone},
		{"with trace leaves a tombstone where there is nothing", releaseLeavesTombstoneInNothing},
		{"without trace accepts where there is nothing", releaseAcceptsNothing},
		{"accepts its own tombstone again", releaseAcceptsOwnTombstone},
		{"leaves another's tombstone as it is", releaseLeavesOthersTombstone},
		{"refuses another's pending or held record and returns it", releaseRefusesOthers},
		{"refuses a done record, its own too, and returns it", releaseRefusesDone},
		{"lets the next claim in", releaseLetsClaimIn},
	}
}

func releaseDeletes(s *subject) {
	for _, step := range []transition{stay, s.toHeld} {
		key, r := s.newKey(), newPending(long, long)
		s.claim(key, r)
		step(key, r)
		s.accepted(s.release(key, r, false))
		s.has(key, nil)
	}
}

func releaseLeavesTombstone(s *subject) {
	for _, step := range []transition{stay, s.toHeld} {
		key, r := s.newKey(), newPending(long, long)
		s.claim(key, r)
		step(key, r)
		s.accepted(s.release(key, r, true))
		s.has(key, released(r))
	}
}

func releaseLeavesTombstoneInNothing(s *subject) {
	key, r := s.newKey(), newPending(long, long)
	s.accepted(s.release(key, r, true))
	s.has(key, released(r))
	s.refused(s.claim(key, r), released(r)) // the late claim
}

func releaseAcceptsNothing(s *subject) {
	key, r := s.newKey(), newPending(long, long)
	s.accepted(s.release(key, r, false))
	s.has(key, nil)
}

func releaseAcceptsOwnTombstone(s *subject) {
	for _, trace := range []bool{true, false} {
		key, r := s.newKey(), newPending(long, long)
		s.claim(key, r)
		s.toReleased(key, r)
		s.accepted(s.release(key, r, trace))
		s.has(key, released(r))
	}
}

func releaseLeavesOthersTombstone(s *subject) {
	for _, trace := range []bool{true, false} {
		key, r := s.newKey(), newPending(long, long)
		s.claim(key, r)
		s.toReleased(key, r)
		s.accepted(s.release(key, newPending(long, long), trace))
		s.has(key, released(r))
	}
}

func releaseRefusesOthers(s *subject) {
	for _, step := range []transition{stay, s.toHeld} {
		for _, trace := range []bool{true, false} {
			key, r := s.newKey(), newPending(long, long)
			s.claim(key, r)
			now := step(key, r)
			s.refused(s.release(key, newPending(long, long), trace), now)
			s.has(key, now)
		}
	}
}

func releaseRefusesDone(s *subject) {
	for _, trace := range []bool{true, false} {
		key, r := s.newKey(), newPending(long, long)
		s.claim(key, r)
		s.toDone(key, r)
		s.refused(s.release(key, r, trace), done(r))
		s.refused(s.release(key, newPending(long, long), trace), done(r))
		s.has(key, done(r))
	}
}

func releaseLetsClaimIn(s *subject) {
	key, r := s.newKey(), newPending(long, long)
	s.claim(key, r)
	s.release(key, r, false)
	s.accepted(s.claim(key, newPending(long, long)))
}
