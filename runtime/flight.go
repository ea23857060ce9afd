package runtime

import (
	"crypto/sha256"
	"sync"
	"time"
)

// A flight is what this process knows of a key that is in flight: the attempt
// that runs here, the requests that wait here, and the record seen last. Its
// fields are guarded by its shard's mutex.
type flight struct {
	owner *attempt // runs here, or has an answer that is not recorded yet

	waiters  []*waiter     // in order of arrival
	watching bool          // a goroutine reads the store for them
	seen     *Record       // what it read last, nil for nothing yet
	leaseEnd time.Time     // of a pending seen
	nudge    chan struct{} // of the watching goroutine, nil until there is one
}

// flightTable has the flights of a process.
type flightTable struct {
	shards [64]flightShard
}

type flightShard struct {
	mu     sync.Mutex
	m      map[[sha256.Size]byte]*flight // by digest, which says all of a key
	claims []*claim                      // that are under way: few, as each ends within a store's time limit
}

func (t *flightTable) init() {
	for i := range t.shards {
		t.shards[i].m = map[[sha256.Size]byte]*flight{}
	}
}

// lock returns the shard of key, locked.
func (t *flightTable) lock(key StoreKey) *flightShard {
	s := &t.shards[key.Hash()%uint64(len(t.shards))]
	s.mu.Lock()
	return s
}

// open returns the flight of key. If there is none it is the given one, that of
// an attempt, or for nil a new one.
func (s *flightShard) open(key StoreKey, own *flight) *flight {
	f := s.m[key.sum]
	if f == nil {
		if f = own; f == nil {
			f = new(flight)
		}
		s.m[key.sum] = f
	}
	return f
}

// tidy forgets a flight that nobody needs.
func (s *flightShard) tidy(key StoreKey, f *flight) {
	if f.owner == nil && len(f.waiters) == 0 && !f.watching {
		delete(s.m, key.sum)
	}
}

// reply is what the process knows, in the form of a store's reply. What was read
// from the store counts while someone here waits on it: later it may be stale.
func (f *flight) reply() (Reply, bool) {
	if f.owner != nil {
		return f.owner.known()
	}
	if len(f.waiters) > 0 && f.seen != nil {
		return Reply{Record: f.seen, LeaseLeft: time.Until(f.leaseEnd)}, true
	}
	return Reply{}, false
}

// known returns what the process knows of key.
func (t *flightTable) known(key StoreKey) (Reply, bool) {
	s := t.lock(key)
	defer s.mu.Unlock()
	if f := s.m[key.sum]; f != nil {
		return f.reply()
	}
	return Reply{}, false
}

// own makes a the key's owner in this process. An earlier one, whose lease is
// lost, is forgotten here; it finds out from the store.
func (t *flightTable) own(a *attempt) {
	key := a.r.id.store
	s := t.lock(key)
	defer s.mu.Unlock()
	s.open(key, &a.flight).owner = a
	s.end(&a.r.asked, said{})
}

// ownIfFree is own, unless the key is in flight in this process: then it
// returns what is known.
func (t *flightTable) ownIfFree(a *attempt) (Reply, bool) {
	key := a.r.id.store
	s := t.lock(key)
	defer s.mu.Unlock()
	f := s.open(key, &a.flight)
	if reply, ok := f.reply(); ok {
		return reply, false
	}
	f.owner = a
	s.end(&a.r.asked, said{})
	return Reply{}, true
}

// disown ends a's ownership and has the waiters try for the key.
func (t *flightTable) disown(a *attempt) {
	key := a.r.id.store
	s := t.lock(key)
	defer s.mu.Unlock()
	f := s.m[key.sum]
	if f == nil {
		return
	}
	if f.owner == a {
		f.owner = nil
	}
	f.wake()
	s.tidy(key, f)
}

// settle gives the settled record to everyone who waits here, and ends a's
// ownership.
func (t *flightTable) settle(a *attempt, record *Record) {
	t.finish(a, record, func(f *flight) {
		if f.owner == a {
			f.owner = nil
		}
	})
}

// keep is settle for a record that the store has not taken: a goes on owning the
// key here, and answers those who come.
func (t *flightTable) keep(a *attempt, record *Record) {
	t.finish(a, record, func(f *flight) {
		if f.owner == nil || f.owner == a {
			f.owner = a
			a.settled = record
		}
	})
}

func (t *flightTable) finish(a *attempt, record *Record, change func(*flight)) {
	key := a.r.id.store
	s := t.lock(key)
	defer s.mu.Unlock()
	f := s.open(key, &a.flight)
	change(f)
	f.deliver(Reply{Record: record})
	f.wake()
	s.tidy(key, f)
}

// wake has the watching goroutine look at once.
func (f *flight) wake() {
	select {
	case f.nudge <- struct{}{}:
	default:
	}
}
