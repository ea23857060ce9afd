package redisstore

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	idem "github.com/idemgen/idemgen/runtime"
	"github.com/idemgen/idemgen/runtime/storetest/redistest"
)

// A tripCounter counts what a client sends.
type tripCounter struct {
	mu       sync.Mutex
	single   int
	batches  int
	commands int // of the batches
}

func (c *tripCounter) DialHook(next redis.DialHook) redis.DialHook { return next }

func (c *tripCounter) ProcessHook(next redis.ProcessHook) redis.ProcessHook {
	return func(ctx context.Context, cmd redis.Cmder) error {
		c.mu.Lock()
		c.single += steps(cmd)
		c.mu.Unlock()
		return next(ctx, cmd)
	}
}

func (c *tripCounter) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return func(ctx context.Context, cmds []redis.Cmder) error {
		c.mu.Lock()
		if n := steps(cmds...); n > 0 {
			c.batches++
			c.commands += n
		}
		c.mu.Unlock()
		return next(ctx, cmds)
	}
}

// steps counts commands, without those that make a connection.
func steps(cmds ...redis.Cmder) int {
	n := 0
	for _, cmd := range cmds {
		switch cmd.Name() {
		case "hello", "client":
		default:
			n++
		}
	}
	return n
}

// reset starts the counts anew.
func (c *tripCounter) reset() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.single, c.batches, c.commands = 0, 0, 0
}

// startCounted returns a store on a server of its own, and what it sends.
func startCounted(t *testing.T, change func(*redis.Options)) (*redistest.Server, *Store, *tripCounter) {
	server := redistest.Start(t)
	opts := server.Options()
	if change != nil {
		change(opts)
	}
	client := redis.NewClient(opts)
	t.Cleanup(func() { client.Close() })
	counter := &tripCounter{}
	client.AddHook(counter)
	store := New(client, Config{BreakAfter: -1})
	t.Cleanup(func() { store.Close() })
	return server, store, counter
}

// sent is how many commands were sent so far.
func (c *tripCounter) sent() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.single + c.commands
}

func randomKey(t *testing.T) idem.StoreKey {
	var sum [32]byte
	rand.Read(sum[:])
	key, err := idem.ParseStoreKey("test:operation:" + base64.RawURLEncoding.EncodeToString(sum[:]))
	if err != nil {
		t.Error(err)
	}
	return key
}

func randomRecord(state idem.State) *idem.Record {
	r := &idem.Record{State: state, Attempt: 1, TTL: time.Minute, Lease: time.Minute}
	rand.Read(r.Token[:])
	if state == idem.Done {
		r.Answer = &idem.Answer{Status: 201, Body: []byte("body")}
	}
	return r
}

// await waits until a lane of the store is as wanted.
func await(t *testing.T, s *Store, wanted func(l *lane) bool) {
	t.Helper()
	l := s.batches.lane("")
	for deadline := time.Now().Add(10 * time.Second); time.Now().Before(deadline); runtime.Gosched() {
		l.mu.Lock()
		ok := wanted(l)
		l.mu.Unlock()
		if ok {
			return
		}
	}
	t.Fatal("it never came to it")
}

// Calls that come while round trips are under way go together, with the scripts
// that the server does not know yet, and each has its own reply.
func TestBatch(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*redis.Options){
		"client that keeps deadlines": nil,
		"client that does not":        func(o *redis.Options) { o.ContextTimeoutEnabled = false },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server, store, counter := startCounted(t, change)
			taken := randomKey(t)
			if _, err := store.Claim(t.Context(), taken, randomRecord(idem.Pending)); err != nil {
				t.Fatal(err)
			}
			counter.reset()
			ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
			defer cancel()
			server.Pause(t)
			var calls sync.WaitGroup
			const each = 50
			for range each {
				calls.Go(func() {
					reply, err := store.Claim(ctx, randomKey(t), randomRecord(idem.Pending))
					if err != nil || !reply.Accepted {
						t.Errorf("claim: %+v, %v", reply, err)
					}
				})
				calls.Go(func() {
					reply, err := store.Complete(ctx, randomKey(t), randomRecord(idem.Done))
					if err != nil || !reply.Accepted {
						t.Errorf("complete: %+v, %v", reply, err)
					}
				})
				calls.Go(func() {
					reply, err := store.Complete(ctx, taken, randomRecord(idem.Done))
					if err != nil || reply.Accepted || reply.Record == nil || reply.Record.State != idem.Pending {
						t.Errorf("complete of another's key: %+v, %v", reply, err)
					}
				})
			}
			await(t, store, func(l *lane) bool { return len(l.queue)+counter.sent() == 3*each })
			server.Continue(t)
			calls.Wait()
			// Each script is sent again with its source, and those follow too.
			if sent := counter.sent(); sent < 3*each || sent > 5*each {
				t.Errorf("%d commands were sent for %d calls", sent, 3*each)
			}
			if trips := counter.single + counter.batches; trips > 40 {
				t.Errorf("%d round trips for %d calls", trips, 3*each)
			}
		})
	}
}

// While a server hangs each call ends in its own time. One that was not sent says
// so, and is not sent later; one that was does not say that it was not.
func TestBatchOfHangingServer(t *testing.T) {
	t.Parallel()
	server, store, _ := startCounted(t, nil)
	if _, err := store.Load(t.Context(), randomKey(t)); err != nil {
		t.Fatal(err)
	}
	server.Pause(t)
	const limit = 200 * time.Millisecond
	const count = 60
	var mu sync.Mutex
	var calls sync.WaitGroup
	applied := map[idem.StoreKey]bool{} // may be
	for range count {
		calls.Go(func() {
			ctx, cancel := context.WithTimeout(t.Context(), limit)
			defer cancel()
			key, began := randomKey(t), time.Now()
			_, err := store.Claim(ctx, key, randomRecord(idem.Pending))
			if took := time.Since(began); err == nil || took > limit+2*time.Second {
				t.Errorf("a claim ended after %v with %v", took, err)
			}
			mu.Lock()
			applied[key] = !errors.Is(err, idem.ErrNotApplied)
			mu.Unlock()
		})
	}
	calls.Wait()
	server.Continue(t)
	sent := 0
	for key, may := range applied {
		reply, err := store.Load(t.Context(), key)
		if err != nil {
			t.Fatal(err)
		}
		if may {
			sent++
		} else if reply.Record != nil {
			t.Error("a claim that was not applied has been")
		}
	}
	if sent == 0 {
		t.Errorf("none of %d claims was sent to a server that hangs", count)
	}
}

// A call that is cancelled while it waits has not been sent; the others go on.
func TestBatchCancelled(t *testing.T) {
	t.Parallel()
	server, store, _ := startCounted(t, nil)
	store.Load(t.Context(), randomKey(t))
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	server.Pause(t)
	var calls sync.WaitGroup
	for range maxTrips {
		calls.Go(func() {
			if reply, err := store.Claim(ctx, randomKey(t), randomRecord(idem.Pending)); err != nil || !reply.Accepted {
				t.Errorf("claim: %+v, %v", reply, err)
			}
		})
	}
	await(t, store, func(l *lane) bool { return l.trips == maxTrips })
	soon, leave := context.WithCancel(ctx)
	var left sync.WaitGroup
	left.Go(func() {
		_, err := store.Claim(soon, randomKey(t), randomRecord(idem.Pending))
		if !errors.Is(err, idem.ErrNotApplied) || !errors.Is(err, context.Canceled) {
			t.Errorf("a call that is cancelled while it waits: %v", err)
		}
	})
	await(t, store, func(l *lane) bool { return len(l.queue) == 1 })
	leave()
	left.Wait()
	server.Continue(t)
	calls.Wait()
}
