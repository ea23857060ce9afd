package proof

import (
	"context"
	"log/slog"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"
	"github.com/redis/go-redis/v9"

	idem "github.com/idemgen/idemgen/runtime"
	"github.com/idemgen/idemgen/runtime/redisstore"
	"github.com/idemgen/idemgen/runtime/storetest/redistest"
)

// The workloads of real time, as those of fake time.
var realTimeWorkloads = map[string]workload{
	"long leases":            {clients: 6, keys: 3, steps: 25, lease: time.Minute, ttl: time.Hour, pause: 4 * time.Millisecond},
	"short leases":           {clients: 6, keys: 3, steps: 25, lease: 10 * time.Millisecond, ttl: time.Hour, pause: 4 * time.Millisecond},
	"short leases and lives": {clients: 6, keys: 3, steps: 25, lease: 8 * time.Millisecond, ttl: 12 * time.Millisecond, pause: 4 * time.Millisecond},
}

const (
	// redisSlack is what a server rounds times by: to whole milliseconds.
	redisSlack = 2 * time.Millisecond
	// stepLimit bounds a step, as an engine does.
	stepLimit = 250 * time.Millisecond
	// atOnce is how many histories are recorded at the same time.
	atOnce = 4
)

// TestRedisstoreIsLinearizable records histories on a real server, while
// messages are lost and late, and the server stops, drops its connections and
// forgets its scripts.
func TestRedisstoreIsLinearizable(t *testing.T) {
	t.Parallel()
	for name, w := range realTimeWorkloads {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := redistest.Start(t)
			stop := torment(t, server)
			defer stop()
			var sum tally
			var seed atomic.Uint64
			var workers sync.WaitGroup
			for range atOnce {
				workers.Go(func() {
					for n := seed.Add(1); n <= uint64(atLength(100, 1000)) && !t.Failed(); n = seed.Add(1) {
						h := redisHistory(w, n, server, nil, true)
						h.mustMakeSense(t, redisSlack)
						sum.add(h)
					}
				})
			}
			workers.Wait()
			t.Log(&sum)
		})
	}
}

// redisHistory records a history on a server, through broken where that is set.
func redisHistory(w workload, seed uint64, server *redistest.Server, broken func(idem.Store) idem.Store, faults bool) *history {
	dialer := &lossyDialer{rand: rand.New(rand.NewPCG(seed, 0)), latest: 2 * w.pause}
	defer dialer.late.Wait()
	opts := server.Options()
	if faults {
		opts.Dialer = dialer.dial
	}
	client := redis.NewClient(opts)
	defer client.Close()
	store := redisstore.New(client, redisstore.Config{Logger: slog.New(slog.DiscardHandler)})
	defer store.Close()
	h := newHistory(store)
	h.limit = stepLimit
	client.AddHook(sendingHook{h})
	if broken != nil {
		h.store = broken(store)
	}
	w.run(h, seed)
	return h
}

// torment has a server suffer until stop is called.
func torment(t *testing.T, server *redistest.Server) (stop func()) {
	client := server.Client(t)
	ctx, cancel := context.WithCancel(t.Context())
	var nemesis sync.WaitGroup
	nemesis.Go(func() {
		for n := 0; ; n++ {
			select {
			case <-ctx.Done():
				return
			case <-time.After(rand.N(200 * time.Millisecond)):
			}
			switch n % 10 {
			case 0, 2, 4, 6:
				client.ScriptFlush(ctx)
			case 9:
				server.Pause(t)
				time.Sleep(300 * time.Millisecond)
				server.Continue(t)
			default:
				client.ClientKillByFilter(ctx, "TYPE", "normal")
			}
		}
	})
	return func() {
		cancel()
		nemesis.Wait()
	}
}

// TestBrokenRedisstoresAreRejected is TestBrokenMemstoresAreRejected on a real
// server.
func TestBrokenRedisstoresAreRejected(t *testing.T) {
	t.Parallel()
	server := redistest.Start(t)
	for name, broken := range brokenStores {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := realTimeWorkloads["long leases"]
			if needsShortLeases[name] {
				w = realTimeWorkloads["short leases"]
			}
			mustBeRejected(t, func(seed uint64) porcupine.CheckResult {
				return redisHistory(w, seed, server, broken, false).check(redisSlack)
			})
		})
	}
}
