//go:build unix

package chaos

import (
	"context"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/idemgen/idemgen/runtime/storetest/redistest"
)

func serverFaults() []fault {
	return []fault{
		{
			name: "redis killed, AOF always", run: killedWithAOF,
			may: "nothing, where the server is back within a third of the lease",
		},
		{
			name: "redis killed, no persistence", long: true, run: killedWithoutAOF,
			may:     "effects and answers: the server has lost every acknowledged write",
			excuses: []string{lostWrites, wasAway, lostLease},
		},
		{
			name: "LOADING after a restart", long: true, run: loading,
			may: "effects and answers: the leases run out meanwhile", excuses: []string{wasAway, lostLease},
		},
		{name: "SCRIPT FLUSH", may: "nothing", run: scriptFlush},
		{name: "OOM under noeviction", may: "nothing", long: true, run: outOfMemory},
		{
			name: "eviction (volatile-ttl)", long: true, run: eviction,
			may:     "effects and answers: the server throws records away; use noeviction",
			excuses: []string{lostWrites},
		},
	}
}

// restarts kills and restarts the server again and again under load. Between, it
// leaves a worker the time to renew: go-redis does not dial for a second when it
// has failed often.
func (s *scenario) restarts(l *load, server *redistest.Server, kills int, restarted func(killed time.Time)) {
	var slowest time.Duration
	s.during(l, s.pick(200, 4_000), func(<-chan struct{}) {
		for range kills {
			time.Sleep(upTo(s.rng, lease/3))
			killed, back := time.Now(), s.fleet.takeAllAway()
			server.Kill(s)
			server.Restart(s)
			back()
			slowest = max(slowest, time.Since(killed))
			restarted(killed)
			time.Sleep(time.Second + s.contract.Lease/2)
		}
	})
	s.finish(l)
	s.notef("%d kills, up to %v without a server", kills, slowest.Round(time.Millisecond))
}

func killedWithAOF(s *scenario) {
	server := redistest.Start(s, "--appendonly", "yes", "--appendfsync", "always")
	s.contract.Lease = 2 * lease
	s.serveAt(4, server)
	s.restarts(s.load(), server, s.pick(1, 10), func(time.Time) {})
}

func killedWithoutAOF(s *scenario) {
	server := redistest.Start(s)
	s.serveAt(4, server)
	began := time.Now()
	s.restarts(s.load(), server, 10, func(killed time.Time) { s.writesLost(began, killed) })
}

// loading has the server answer LOADING for a while.
func loading(s *scenario) {
	server := redistest.Start(s, "--appendonly", "yes", "--appendfsync", "always", "--key-load-delay", "300")
	s.serveAt(4, server)
	l := s.load()
	l.send(2_000, nil)
	var slowest time.Duration
	for range 3 {
		s.during(l, 600, func(<-chan struct{}) {
			began := time.Now()
			back := s.fleet.takeAllAway()
			server.Kill(s)
			server.Restart(s) // waits until everything is loaded
			back()
			slowest = max(slowest, time.Since(began))
		})
	}
	s.finish(l)
	s.notef("loading took up to %v", slowest.Round(time.Millisecond))
}

func scriptFlush(s *scenario) {
	server := redistest.Start(s)
	s.serveAt(4, server)
	client := server.Client(s)
	l := s.load()
	l.failures = true
	flushes := 0
	requests := s.pick(300, 4_000)
	s.during(l, requests, func(<-chan struct{}) {
		for l.requests.Load() < int64(requests) {
			must(s, client.ScriptFlush(s.Context()))
			flushes++
			time.Sleep(upTo(s.rng, 10*time.Millisecond))
		}
	})
	s.finish(l)
	s.notef("%d flushes", flushes)
}

// outOfMemory takes the server's memory away for a while, again and again.
// Claims are refused; completions, renewals and releases must go on.
func outOfMemory(s *scenario) {
	server := redistest.Start(s, "--maxmemory-policy", "noeviction")
	s.serveAt(4, server)
	client := server.Client(s)
	l := s.load()
	l.failures = true
	requests := 4_000
	s.during(l, requests, func(<-chan struct{}) {
		s.atRequests(l, requests, 150, 450, func() {
			must(s, client.ConfigSet(s.Context(), "maxmemory", "1mb"))
			time.Sleep(lease/2 + upTo(s.rng, lease))
			must(s, client.ConfigSet(s.Context(), "maxmemory", "0"))
		})
	})
	s.finish(l)
	refused := l.books.statuses[http.StatusServiceUnavailable]
	if refused == 0 {
		s.Error("memory never ran out")
	}
	for _, attempts := range s.ledger.byKey() {
		for _, a := range attempts {
			if a.Unrecorded {
				s.Errorf("a completion failed: %+v", a)
			}
		}
	}
	s.notef("%d claims refused, every completion taken", refused)
}

// eviction shows what a policy other than noeviction costs, on a server that
// others use as well.
func eviction(s *scenario) {
	server := redistest.Start(s, "--maxmemory-policy", "volatile-ttl", "--maxmemory-samples", "10")
	s.serveAt(4, server)
	client := server.Client(s)
	must(s, client.ConfigSet(s.Context(), "maxmemory", strconv.Itoa(usedMemory(s, client)+2<<20)))
	s.writesLost(s.began, time.Now().Add(time.Hour))
	l := s.load()
	requests := 3_000
	s.during(l, requests, func(<-chan struct{}) {
		filler := strings.Repeat("x", 1<<10)
		for i := 0; l.requests.Load() < int64(requests); i++ {
			must(s, client.Set(s.Context(), "other:"+strconv.Itoa(i), filler, 24*time.Hour))
		}
	})
	evicted, _ := strconv.Atoi(infoField(s, client, "stats", "evicted_keys"))
	if evicted == 0 {
		s.Error("nothing was evicted")
	}
	s.finish(l)
	s.notef("%d keys evicted", evicted)
}

func usedMemory(s *scenario, client *redis.Client) int {
	n, err := strconv.Atoi(infoField(s, client, "memory", "used_memory"))
	if err != nil {
		s.Fatal(err)
	}
	return n
}

// infoField returns one field of INFO.
func infoField(s *scenario, client *redis.Client, section, field string) string {
	s.Helper()
	info, err := client.Info(context.Background(), section).Result()
	if err != nil {
		s.Fatal(err)
	}
	for line := range strings.Lines(info) {
		if value, ok := strings.CutPrefix(line, field+":"); ok {
			return strings.TrimSpace(value)
		}
	}
	s.Fatalf("INFO %s has no %s", section, field)
	return ""
}

func must(s *scenario, cmd redis.Cmder) {
	s.Helper()
	if err := cmd.Err(); err != nil {
		s.Fatalf("%s: %v", cmd.FullName(), err)
	}
}
