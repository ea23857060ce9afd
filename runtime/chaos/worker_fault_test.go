//go:build unix

package chaos

import (
	"math/rand/v2"
	"sync"
	"time"

	"github.com/idemgen/idemgen/runtime/storetest/redistest"
)

func workerFaults() []fault {
	return []fault{
		{
			name: "workers killed", run: workersKilled,
			may: "effects: an attempt whose worker was killed", excuses: []string{wasKilled},
		},
		{
			name: "workers stopped", run: workersStopped,
			may: "effects: an attempt whose worker was stopped for a lease", excuses: []string{wasAway},
		},
		{name: "two versions of a contract", may: "nothing", run: twoVersions},
	}
}

// workersKilled kills workers with SIGKILL at random points.
func workersKilled(s *scenario) {
	s.serveAt(4, redistest.Start(s))
	l := s.load()
	l.failures = true
	requests := s.pick(300, 10_000)
	kills := 0
	s.during(l, requests, func(<-chan struct{}) {
		s.atRequests(l, requests, 40, 160, func() {
			s.fleet.kill(s.rng.IntN(4))
			kills++
		})
	})
	s.finish(l)
	s.notef("%d kills", kills)
}

// workersStopped stops workers with SIGSTOP at random points, half of the times
// for longer than a lease.
func workersStopped(s *scenario) {
	s.serveAt(4, redistest.Start(s))
	l := s.load()
	l.failures, l.tryLimit = true, 2*time.Second
	l.clients = s.pick(24, 80) // many wait for those that are stopped
	requests := s.pick(150, 10_000)
	var stops [2]int
	s.during(l, requests, func(loaded <-chan struct{}) {
		var all sync.WaitGroup
		for half := range stops {
			rng := rand.New(rand.NewPCG(s.seed, uint64(half)))
			all.Go(func() { stops[half] = s.stopSome(loaded, l, requests, half*2, rng) })
		}
		all.Wait()
	})
	s.finish(l)
	s.notef("%d stops", stops[0]+stops[1])
}

// stopSome stops one of two workers, now and then, until so many requests were
// sent. It returns how often.
func (s *scenario) stopSome(loaded <-chan struct{}, l *load, requests, place int, rng *rand.Rand) (stops int) {
	for l.requests.Load() < int64(requests) {
		d := upTo(rng, lease/4) // a living worker must survive that
		if rng.IntN(2) == 0 {
			d = lease + upTo(rng, lease/2)
		}
		s.fleet.stop(place+rng.IntN(2), d)
		stops++
		select {
		case <-loaded:
			return stops
		case <-time.After(upTo(rng, lease/4)):
		}
	}
	return stops
}

// twoVersions has two workers whose contract has a further field in its
// fingerprint. No honest retry may be refused.
func twoVersions(s *scenario) {
	server := redistest.Start(s)
	s.serve(4, func(place int) workerConfig {
		return workerConfig{Store: "redis://" + server.Addr, WithNote: place%2 == 1}
	})
	l := s.load()
	l.failures = true
	l.send(s.pick(300, 3_000), nil)
	s.finish(l)
}
