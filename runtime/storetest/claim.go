package storetest

import (
	"sync"

	idem "github.com/idemgen/idemgen/runtime"
)

func claimChecks() []check {
	return []check{
		{"writes a pending record where there is none", claimWritesPending},
		{"writes a done record where there is none", claimWritesDone},
		{"accepts its own pending record again", claimAcceptsOwnPending},
		{"accepts its own done record again", claimAcceptsOwnDone},
		{"refuses where its own token has gone on to another state", claimRefusesOwnOtherState},
		{"refuses another's pending record and returns it", claimRefusesOthersPending},
		{"refuses another's done, held or released record and returns it", claimRefusesOthersSettled},
		{"refuses even when the lease is over", claimRefusesLapsed},
		{"keeps keys apart", claimKeepsKeysApart},
		{"lets exactly one of many win", claimLetsOneWin},
	}
}

func claimWritesPending(s *subject) {
	key, r := s.newKey(), newPending(long, long)
	s.accepted(s.claim(key, r))
	s.has(key, r)
}

func claimWritesDone(s *subject) {
	key, r := s.newKey(), done(newPending(long, long))
	s.accepted(s.claim(key, r))
	s.has(key, r)
}

func claimAcceptsOwnPending(s *subject) {
	key, r := s.newKey(), newPending(long, long)
	s.claim(key, r)
	s.accepted(s.claim(key, r))
	s.has(key, r)
}

func claimAcceptsOwnDone(s *subject) {
	key, r := s.newKey(), done(newPending(long, long))
	s.claim(key, r)
	s.accepted(s.claim(key, r))
	s.has(key, r)
}

func claimRefusesOwnOtherState(s *subject) {
	for _, step := range []transition{s.toDone, s.toHeld, s.toReleased} {
		key, r := s.newKey(), newPending(long, long)
		s.claim(key, r)
		now := step(key, r)
		s.refused(s.claim(key, r), now)
		s.has(key, now)
	}
}

func claimRefusesOthersPending(s *subject) {
	key, r := s.newKey(), newPending(long, long)
	s.claim(key, r)
	s.refused(s.claim(key, newPending(long, long)), r)
	s.refused(s.claim(key, done(newPending(long, long))), r)
	s.has(key, r)
}

func claimRefusesOthersSettled(s *subject) {
	for _, step := range []transition{s.toDone, s.toHeld, s.toReleased} {
		key, r := s.newKey(), newPending(long, long)
		s.claim(key, r)
		now := step(key, r)
		s.refused(s.claim(key, newPending(long, long)), now)
		s.refused(s.claim(key, done(newPending(long, long))), now)
		s.has(key, now)
	}
}

func claimRefusesLapsed(s *subject) {
	key, r := s.newKey(), newPending(long, short)
	s.claim(key, r)
	s.eventually("the end of the lease", func() bool { return s.load(key).LeaseLeft <= 0 })
	s.refused(s.claim(key, newPending(long, long)), r)
}

func claimKeepsKeysApart(s *subject) {
	one, other := s.newKey(), s.newKey()
	r := newPending(long, long)
	s.claim(one, r)
	s.has(other, nil)
	s.accepted(s.claim(other, newPending(long, long)))
	s.has(one, r)
}

func claimLetsOneWin(s *subject) {
	for range 20 {
		key := s.newKey()
		s.oneWins(key, func(r *idem.Record) (idem.Reply, error) {
			return s.store.Claim(s.ctx, key, r)
		})
	}
}

// oneWins has many take a key at once.
func (s *subject) oneWins(key idem.StoreKey, take func(r *idem.Record) (idem.Reply, error)) {
	s.Helper()
	const many = 16
	var (
		records [many]*idem.Record
		replies [many]idem.Reply
		errs    [many]error
		start   = make(chan struct{})
		wg      sync.WaitGroup
	)
	for i := range many {
		records[i] = newPending(long, long)
		wg.Go(func() {
			<-start
			replies[i], errs[i] = take(records[i])
		})
	}
	close(start)
	wg.Wait()
	var winner *idem.Record
	for i, reply := range replies {
		s.ok(reply, errs[i])
		if reply.Accepted && winner != nil {
			s.Fatal("two have won the key")
		}
		if reply.Accepted {
			winner = records[i]
		}
	}
	if winner == nil {
		s.Fatal("nobody has won the key")
	}
	s.has(key, winner)
	for _, reply := range replies {
		if !reply.Accepted {
			s.same(reply.Record, winner)
		}
	}
}
