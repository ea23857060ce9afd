//go:build unix

package chaos

import (
	"fmt"
	"net/http"
	"time"

	idem "github.com/idemgen/idemgen/runtime"
	"github.com/idemgen/idemgen/runtime/storetest/redistest"
)

func silentFaults() []fault {
	return []fault{
		{
			name: "redis hangs, onStoreError: reject", timed: true, run: func(s *scenario) { silent(s, idem.RefuseRequest) },
			may: "nothing",
		},
		{
			name: "redis hangs, onStoreError: run", timed: true, run: func(s *scenario) { silent(s, idem.RunUnprotected) },
			may:     "effects and answers: requests that ran without protection, and say so",
			excuses: []string{ranUnprotected},
		},
	}
}

// Limits of what a request takes beside its handler when the store hangs.
const (
	silentLimit = 300 * time.Millisecond
	brokenLimit = 5 * time.Millisecond // once the breaker has opened
	backLimit   = 2 * time.Second      // until there is protection again
)

// silent stops the server, and looks at how long requests take.
func silent(s *scenario, policy idem.OnStoreError) {
	server := redistest.Start(s)
	s.contract.OnStoreError = policy
	unprotected := policy == idem.RunUnprotected
	s.serveAt(1, server)
	url := s.fleet.at(0).url
	l := s.load()
	l.longWork = 0
	l.send(50, nil)

	server.Pause(s)
	const work = 50 * time.Millisecond
	first := s.silentCalls(l, url, "first", 10, work, unprotected)
	// On a busy machine one in ten may be late.
	if first.quantile(0.8) > silentLimit {
		s.Errorf("beside the handler: %s; the limit is %v", first, silentLimit)
	}
	then := s.silentCalls(l, url, "then", s.pick(20, 40), work, unprotected)
	if then.quantile(0.5) > brokenLimit {
		s.Errorf("beside the handler, after ten calls: %s; the limit is %v", then, brokenLimit)
	}
	server.Continue(s)
	began := time.Now()
	s.untilProtected(url, func() (string, order) {
		key := fmt.Sprintf("fresh-%d", s.rng.Uint64())
		return key, order{Order: key}
	})
	back := time.Since(began)
	if back > backLimit {
		s.Errorf("protection was back after %v; the limit is %v", back, backLimit)
	}
	s.finish(l)
	s.notef("beside the handler: %s; after ten calls: %s; protected %v after the store was back",
		first, then, back.Round(time.Millisecond))
}

// silentCalls sends orders, one after the other, and measures what each takes
// in the engine beside its handler.
func (s *scenario) silentCalls(l *load, url, name string, n int, work time.Duration, unprotected bool) *latencies {
	beside := &latencies{}
	for i := range n {
		key := fmt.Sprintf("%s-%d", name, i)
		o := order{Order: key, Work: work}
		l.books.open(key, o)
		got, err := l.try(url, key, o, false, l.tryLimit)
		l.books.note(key, got)
		want := http.StatusServiceUnavailable
		if unprotected {
			want = http.StatusCreated
		}
		if err != nil || got.status != want || got.unprotected != unprotected {
			s.Errorf("with the store hanging: %d %s, unprotected=%t, %v", got.status, got.body, got.unprotected, err)
		}
		beside.add(got.took - got.handling)
	}
	return beside
}
