//go:build unix

package chaos

import (
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	idem "github.com/idemgen/idemgen/runtime"
	"github.com/idemgen/idemgen/runtime/storetest/redistest"
)

// A scenario is one fault being tried on one fleet.
type scenario struct {
	*testing.T
	long   bool // else only a taste of it
	seed   uint64
	rng    *rand.Rand // of the goroutine that runs the scenario
	row    *row
	began  time.Time
	ledger *ledger
	fleet  *fleet

	contract idem.Contract
	excuses  []string

	mu   sync.Mutex
	lost []span // guarded by mu
}

// lease is that of most scenarios: short, so that dead workers are soon over,
// and long enough for a busy machine.
const lease = 1500 * time.Millisecond

func newScenario(t *testing.T, r *row, excuses []string, seed uint64, long bool) *scenario {
	h := fnv.New64a()
	h.Write([]byte(r.fault))
	return &scenario{
		T: t, long: long, seed: seed ^ h.Sum64(), rng: rand.New(rand.NewPCG(seed, h.Sum64())),
		row: r, excuses: excuses, began: time.Now(), ledger: newLedger(t),
		contract: idem.Contract{
			API: "Chaos", Operation: "placeOrder",
			Lease: lease, TTL: 5 * time.Minute, OnStoreError: idem.RefuseRequest,
		},
	}
}

// pick returns the number for the quick part or that for the long one.
func (s *scenario) pick(quick, long int) int {
	if s.long {
		return long
	}
	return quick
}

// serve starts n workers that reach the store as config says.
func (s *scenario) serve(n int, config func(place int) workerConfig) {
	s.Helper()
	s.fleet = newFleet(s.T, s.ledger, n, func(place int) workerConfig {
		c := config(place)
		c.Contract = s.contract
		return c
	})
}

// serveAt starts n workers on one server.
func (s *scenario) serveAt(n int, server *redistest.Server) {
	s.Helper()
	s.serve(n, func(int) workerConfig { return workerConfig{Store: "redis://" + server.Addr} })
}

// serveBehind starts n workers that reach one server each through a proxy of
// its own.
func (s *scenario) serveBehind(n int, server *redistest.Server) []*proxy {
	s.Helper()
	proxies := make([]*proxy, n)
	for place := range proxies {
		proxies[place] = newProxy(s.T, server.Addr)
	}
	s.serve(n, func(place int) workerConfig { return workerConfig{Store: "redis://" + proxies[place].addr} })
	return proxies
}

// load returns clients of the fleet. Some handlers run for longer than a lease.
func (s *scenario) load() *load {
	l := newLoad(s.fleet, "order", s.seed)
	l.longWork = lease * 5 / 4
	if s.long {
		l.clients, l.longWork = 40, 2*lease
	}
	return l
}

// writesLost notes that the store may have lost acknowledged writes of a time.
func (s *scenario) writesLost(from, to time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lost = append(s.lost, span{from, to})
}

// during runs disturb beside a load of so many requests. The channel is closed
// when the load has ended; the load goes on at least until disturb returns.
func (s *scenario) during(l *load, requests int, disturb func(loaded <-chan struct{})) {
	s.Helper()
	disturbed, loaded := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(loaded)
		l.send(requests, nil)
		l.send(1<<30, disturbed)
	}()
	disturb(loaded)
	close(disturbed)
	<-loaded
}

// atRequests calls do again and again, each time after between least and most
// further requests, until so many requests were sent in all.
func (s *scenario) atRequests(l *load, requests, least, most int, do func()) {
	for at := 0; ; {
		at += least + s.rng.IntN(most-least)
		if at >= requests {
			return
		}
		for l.requests.Load() < int64(at) {
			time.Sleep(time.Millisecond)
		}
		do()
	}
}

// finish waits for the fault plus one lease to be over, asks for every key once
// more, and counts.
func (s *scenario) finish(l *load) {
	s.Helper()
	time.Sleep(s.contract.Lease)
	stuck := l.probe()
	s.row.requests = int(l.requests.Load())
	s.row.stuck = len(stuck)
	wrong := s.row.tally(s.judge(), s.ledger.byKey(), &l.books)
	s.report("stuck", stuck)
	s.report("breach", wrong)
	s.report("unexpected answer", l.books.unexpected)
	for key, last := range l.books.unanswered {
		s.Errorf("not answered within %v: %s, last %s", patience, key, last)
	}
	if s.Failed() {
		s.fleet.logs()
	}
	s.Logf("%d requests, statuses %v, excused: %s", s.row.requests, l.books.statuses, s.row.whys())
}

// judge returns one who knows what was done.
func (s *scenario) judge() *judge {
	s.mu.Lock()
	defer s.mu.Unlock()
	return &judge{lease: s.contract.Lease, troubles: s.fleet.troubles, lost: s.lost, excuses: s.excuses}
}

// maxReported is how many breaches of one kind are told in full.
const maxReported = 5

func (s *scenario) report(kind string, wrong []string) {
	s.Helper()
	for i, w := range wrong {
		if i == maxReported {
			s.Errorf("%s: %d more", kind, len(wrong)-i)
			return
		}
		s.Errorf("%s: %s", kind, w)
	}
}

// notef adds to what the summary says of the fault.
func (s *scenario) notef(format string, args ...any) {
	if s.row.note != "" {
		s.row.note += "; "
	}
	s.row.note += fmt.Sprintf(format, args...)
}
