//go:build unix

package chaos

import (
	"bytes"
	"crypto/sha1"
	"encoding/hex"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/idemgen/idemgen/runtime/storetest/redistest"
)

func linkFaults() []fault {
	return []fault{
		{
			name: "one worker cut off for a lease", run: oneCutOff,
			may:     "effects and answers: an attempt cut off from the store for a lease",
			excuses: []string{wasAway, lostLease},
		},
		{
			name: "every worker cut off for a lease", long: true, run: allCutOff,
			may:     "effects and answers: an attempt cut off from the store for a lease",
			excuses: []string{wasAway, lostLease},
		},
		{
			name: "steps late and out of order", long: true, run: lateSteps,
			may:     "effects and answers: an attempt whose renewals were all late by a lease",
			excuses: []string{lostLease},
		},
	}
}

// oneCutOff cuts one worker after the other off from the store, for longer than
// a lease. Whatever it sends meanwhile arrives when it is back.
func oneCutOff(s *scenario) {
	proxies := s.serveBehind(4, redistest.Start(s))
	l := s.load()
	l.failures = true
	requests := s.pick(300, 3_000)
	cuts := 0
	s.during(l, requests, func(<-chan struct{}) {
		for cuts < s.pick(1, 8) || l.requests.Load() < int64(requests) {
			place := s.rng.IntN(4)
			back := s.fleet.takeAway(place)
			proxies[place].setMute(true)
			time.Sleep(lease + upTo(s.rng, lease))
			proxies[place].setMute(false)
			if s.rng.IntN(2) == 0 {
				proxies[place].drop()
			}
			back()
			cuts++
			time.Sleep(upTo(s.rng, lease/2))
		}
	})
	s.finish(l)
	s.notef("%d cuts", cuts)
}

// allCutOff cuts every worker off from the store.
func allCutOff(s *scenario) {
	proxies := s.serveBehind(4, redistest.Start(s))
	l := s.load()
	l.failures = true
	cuts := 0
	s.during(l, 3_000, func(loaded <-chan struct{}) {
		for range 6 {
			back := s.fleet.takeAllAway()
			for _, p := range proxies {
				p.setMute(true)
			}
			time.Sleep(lease + upTo(s.rng, lease))
			for _, p := range proxies {
				p.setMute(false)
			}
			back()
			cuts++
			time.Sleep(upTo(s.rng, lease))
		}
	})
	s.finish(l)
	s.notef("%d cuts", cuts)
}

// lateSteps holds single commands back, beyond the patience of the worker, and
// delivers them later: after the steps that followed them.
func lateSteps(s *scenario) {
	proxies := s.serveBehind(4, redistest.Start(s))
	steps := newSteps(s)
	for place, p := range proxies {
		p.setDelay(steps.delay(rand.New(rand.NewPCG(s.seed, uint64(place)))))
	}
	l := s.load()
	l.failures, l.disconnects = true, true
	l.send(5_000, nil)
	for _, p := range proxies {
		p.setDelay(nil)
	}
	s.finish(l)
	steps.mu.Lock()
	defer steps.mu.Unlock()
	for _, step := range []string{"claim", "takeover", "renew", "complete", "release"} {
		if steps.held[step] == 0 {
			s.Errorf("no %s was late", step)
		}
	}
	s.notef("late: %v", steps.held)
}

// steps knows the store's commands by their form.
type steps struct {
	names map[string]string // digest of the script: step

	mu   sync.Mutex
	held map[string]int // how often a step was held
}

func newSteps(s *scenario) *steps {
	files, err := filepath.Glob("../redisstore/*.lua")
	if err != nil || len(files) == 0 {
		s.Fatalf("no scripts: %v", err)
	}
	steps := &steps{names: map[string]string{}, held: map[string]int{}}
	for _, file := range files {
		source, err := os.ReadFile(file)
		if err != nil {
			s.Fatal(err)
		}
		digest := sha1.Sum(source)
		steps.names[hex.EncodeToString(digest[:])] = strings.TrimSuffix(filepath.Base(file), ".lua")
	}
	return steps
}

// name returns the step that a command is, "" for none.
func (s *steps) name(command []byte) string {
	head := bytes.ToLower(command[:min(len(command), 80)])
	if bytes.Contains(head, []byte("\r\nset\r\n")) {
		return "claim"
	}
	for digest, step := range s.names {
		if bytes.Contains(head, []byte(digest)) {
			return step
		}
	}
	return ""
}

// delay holds one step in twenty.
func (s *steps) delay(rng *rand.Rand) func(command []byte) time.Duration {
	return func(command []byte) time.Duration {
		step := s.name(command)
		if step == "" || rng.IntN(20) > 0 {
			return 0
		}
		s.mu.Lock()
		s.held[step]++
		s.mu.Unlock()
		return lease/5 + upTo(rng, 2*lease)
	}
}
