package storetest

import idem "github.com/idemgen/idemgen/runtime"

// A transition takes a pending record of a key to another state and returns it
// as it is then.
type transition func(key idem.StoreKey, r *idem.Record) *idem.Record

// stay is the transition that changes nothing.
func stay(_ idem.StoreKey, r *idem.Record) *idem.Record { return r }

func (s *subject) toDone(key idem.StoreKey, r *idem.Record) *idem.Record {
	s.Helper()
	s.accepted(s.complete(key, done(r)))
	return done(r)
}

func (s *subject) toHeld(key idem.StoreKey, r *idem.Record) *idem.Record {
	s.Helper()
	s.accepted(s.complete(key, held(r)))
	return held(r)
}

func (s *subject) toReleased(key idem.StoreKey, r *idem.Record) *idem.Record {
	s.Helper()
	s.accepted(s.release(key, r, true))
	return released(r)
}
