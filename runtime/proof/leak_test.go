package proof

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"go.uber.org/goleak"

	idem "github.com/idemgen/idemgen/runtime"
	"github.com/idemgen/idemgen/runtime/memstore"
	"github.com/idemgen/idemgen/runtime/redisstore"
	"github.com/idemgen/idemgen/runtime/storetest/redistest"
)

// The tests of this file run alone: they count goroutines.

// TestNoGoroutineOutlivesAnEngineOnMemstore closes an engine that is busy.
func TestNoGoroutineOutlivesAnEngineOnMemstore(t *testing.T) {
	defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
	closeBusy(t, stubborn(memstore.New(memstore.Config{})))
}

// TestNoGoroutineOutlivesAnEngineOnRedisstore is the same with subscriptions, on
// a server that stops while the engine is at work.
func TestNoGoroutineOutlivesAnEngineOnRedisstore(t *testing.T) {
	server := redistest.Start(t)
	for _, stopped := range []bool{false, true} {
		t.Run(fmt.Sprintf("stopped %v", stopped), func(t *testing.T) {
			defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
			opts := server.Options()
			opts.ReadTimeout, opts.DialTimeout = time.Second, time.Second
			client := redis.NewClient(opts)
			defer client.Close()
			store := stubborn(redisstore.New(client, redisstore.Config{Logger: slog.New(slog.DiscardHandler)}))
			if stopped {
				store.atWork = func() { server.Pause(t) }
				defer server.Continue(t)
			}
			closeBusy(t, store)
		})
	}
}

// closeBusy closes an engine with handlers that run, requests that wait, and
// answers that the store does not take. Close gives up on those, and nothing of
// the engine goes on.
func closeBusy(t *testing.T, store *stubbornStore) {
	t.Helper()
	engine := idem.New(store, idem.WithLogger(nil), idem.WithPollInterval(50*time.Millisecond))
	op := engine.MustOperation(payment)
	run := func(key string, h *handling) {
		op.Run(context.Background(), idem.Call{Key: idem.KeyOf(key)}, func(ctx context.Context) (idem.WriteFunc, error) {
			return h.run(ctx, "answer")
		})
	}
	var requests sync.WaitGroup
	var running []*handling
	for i := range 10 {
		key := fmt.Sprintf("key-%x", newKey().Hash())
		h := held()
		running = append(running, h)
		requests.Go(func() { run(key, h) })
		wait(t, "the handler", h.began)
		for range 3 {
			requests.Go(func() { run(key, atOnceOK()) })
		}
		if i%2 == 0 {
			close(h.end) // its answer is not taken
		}
	}
	for range len(running) / 2 { // the keys of handlers that go on
		wait(t, "someone who waits", store.watched)
	}
	if store.atWork != nil {
		store.atWork()
	}
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	if err := engine.Close(ctx); err == nil {
		t.Error("Close returned nil with handlers that run")
	}
	for i, h := range running {
		if i%2 == 1 {
			close(h.end)
		}
	}
	requests.Wait()
}

// A stubbornStore takes no completion.
type stubbornStore struct {
	idem.Store
	atWork  func()        // called when everything is under way, if set
	watched chan struct{} // gets a value for each watch
}

func stubborn(store idem.Store) *stubbornStore {
	return &stubbornStore{Store: store, watched: make(chan struct{}, 1000)}
}

func (s *stubbornStore) Complete(context.Context, idem.StoreKey, *idem.Record) (idem.Reply, error) {
	return idem.Reply{}, errLost
}

func (s *stubbornStore) Watch(key idem.StoreKey) (<-chan struct{}, func()) {
	s.watched <- struct{}{}
	return s.Store.Watch(key)
}

// Close closes the store behind it, if that can be closed.
func (s *stubbornStore) Close() error {
	if closer, ok := s.Store.(interface{ Close() error }); ok {
		return closer.Close()
	}
	return nil
}
