package storetest

import (
	"math/rand/v2"
	"time"

	idem "github.com/idemgen/idemgen/runtime"
)

func watchChecks() []check {
	return []check{
		{"gives a value at the start", watchStarts},
		{"gives a value at the start to everyone", watchStartsForEveryone},
		{"gives a value after a completion", watchTellsOfComplete},
		{"gives a value after a release", watchTellsOfRelease},
		{"gives a value to everyone", watchTellsEveryone},
		{"merges values that nobody receives", watchMerges},
		{"misses no change of one who reads on every value", watchMissesNothing},
		{"goes on for others after a stop", watchGoesOn},
		{"starts again after a stop", watchStartsAgain},
	}
}

func watchStarts(s *subject) {
	changed, stop := s.store.Watch(s.newKey())
	defer stop()
	s.told(changed)
}

func watchStartsForEveryone(s *subject) {
	key := s.newKey()
	for range 3 {
		changed, stop := s.store.Watch(key)
		defer stop()
		s.told(changed)
	}
}

func watchTellsOfComplete(s *subject) {
	for _, state := range []idem.State{idem.Done, idem.Held} {
		s.tells(func(key idem.StoreKey, r *idem.Record) { s.accepted(s.complete(key, in(state, r))) })
	}
}

func watchTellsOfRelease(s *subject) {
	for _, trace := range []bool{true, false} {
		s.tells(func(key idem.StoreKey, r *idem.Record) { s.accepted(s.release(key, r, trace)) })
	}
}

func watchTellsEveryone(s *subject) {
	key, r := s.newKey(), newPending(long, long)
	s.claim(key, r)
	var all []<-chan struct{}
	for range 3 {
		changed, stop := s.store.Watch(key)
		defer stop()
		s.told(changed)
		all = append(all, changed)
	}
	s.toDone(key, r)
	for _, changed := range all {
		s.told(changed)
	}
}

func watchMerges(s *subject) {
	key, r := s.newKey(), newPending(long, long)
	changed, stop := s.store.Watch(key)
	defer stop()
	s.told(changed)
	for range 50 {
		s.claim(key, r)
		s.release(key, r, false)
	}
	s.told(changed)
}

func watchMissesNothing(s *subject) {
	for range 20 {
		key, r := s.newKey(), newPending(long, long)
		s.claim(key, r)
		pause := time.NewTimer(rand.N(2 * time.Millisecond))
		completed := make(chan error, 1)
		go func() {
			<-pause.C
			_, err := s.store.Complete(s.ctx, key, done(r))
			completed <- err
		}()
		changed, stop := s.store.Watch(key)
		for s.load(key).Record.State != idem.Done {
			s.told(changed)
		}
		stop()
		if err := <-completed; err != nil {
			s.Fatal(err)
		}
	}
}

func watchGoesOn(s *subject) {
	key, r := s.newKey(), newPending(long, long)
	s.claim(key, r)
	_, stopOne := s.store.Watch(key)
	changed, stop := s.store.Watch(key)
	defer stop()
	s.told(changed)
	stopOne()
	s.toDone(key, r)
	s.told(changed)
}

func watchStartsAgain(s *subject) {
	for range 20 {
		key, r := s.newKey(), newPending(long, long)
		s.claim(key, r)
		_, stop := s.store.Watch(key)
		stop()
		changed, stop := s.store.Watch(key)
		s.told(changed)
		s.toDone(key, r)
		s.told(changed)
		stop()
	}
}

// tells checks that who watches a pending record is told of a step.
func (s *subject) tells(step func(key idem.StoreKey, r *idem.Record)) {
	s.Helper()
	key, r := s.newKey(), newPending(long, long)
	s.claim(key, r)
	changed, stop := s.store.Watch(key)
	defer stop()
	s.told(changed)
	step(key, r)
	s.told(changed)
}

// told waits for a value.
func (s *subject) told(changed <-chan struct{}) {
	s.Helper()
	select {
	case <-changed:
	case <-time.After(s.soon):
		s.Fatalf("no value within %v", s.soon)
	}
}
