package redisstore

import (
	"bytes"
	"context"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	idem "github.com/idemgen/idemgen/runtime"
	"github.com/idemgen/idemgen/runtime/storetest/redistest"
)

// An instance is one process of a service, and counts what it sends.
type instance struct {
	engine *idem.Engine
	sent   *tripCounter
}

func newInstance(t *testing.T, server *redistest.Server) *instance {
	client := server.Client(t)
	i := &instance{sent: &tripCounter{}}
	client.AddHook(i.sent)
	// The slow polls are so slow that none comes.
	i.engine = idem.New(New(client, Config{}), idem.WithLogger(nil), idem.WithPollInterval(time.Minute))
	t.Cleanup(func() { i.engine.Close(context.Background()) })
	return i
}

func (i *instance) run(contract idem.Contract, key string, handle idem.Handler) error {
	_, err := i.engine.MustOperation(contract).Run(context.Background(), idem.Call{Key: idem.KeyOf(key)}, handle)
	return err
}

// commands returns how many commands a call of do sends.
func (i *instance) commands(do func()) int {
	i.sent.reset()
	do()
	return i.sent.sent()
}

func answer(context.Context) (idem.WriteFunc, error) {
	return func() (*idem.Answer, error) { return &idem.Answer{Status: 201, Body: []byte("done")}, nil }, nil
}

// TestCommandsPerRequest holds how many commands a request costs.
func TestCommandsPerRequest(t *testing.T) {
	t.Parallel()
	server := redistest.Start(t)
	owner, other := newInstance(t, server), newInstance(t, server)
	waiting := idem.Contract{API: "Payments", Operation: "createPayment"}
	rejecting := idem.Contract{API: "Payments", Operation: "refundPayment", InFlight: idem.Reject}
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(owner.run(waiting, "so-that-scripts-are-known", answer))
	if n := owner.commands(func() { must(owner.run(waiting, "first", answer)) }); n != 2 {
		t.Errorf("a first request sends %d commands, want 2", n)
	}
	if n := other.commands(func() { must(other.run(waiting, "first", answer)) }); n != 1 {
		t.Errorf("a replay sends %d commands, want 1", n)
	}

	runs, finish := make(chan struct{}), make(chan struct{})
	var held sync.WaitGroup
	for _, contract := range []idem.Contract{waiting, rejecting} {
		held.Go(func() {
			must(owner.run(contract, "held", func(ctx context.Context) (idem.WriteFunc, error) {
				runs <- struct{}{}
				<-finish
				return answer(ctx)
			}))
		})
		<-runs
	}
	if n := other.commands(func() {
		if code := idem.CodeOf(other.run(rejecting, "held", answer)); code != idem.CodeInProgress {
			t.Errorf("refused with %q", code)
		}
	}); n != 2 { // and what is left of the lease
		t.Errorf("a refused request sends %d commands, want 2", n)
	}
	const waiters = 100
	n := other.commands(func() {
		var all sync.WaitGroup
		for range waiters {
			all.Go(func() { must(other.run(waiting, "held", answer)) })
		}
		awaitWaiters(t, server, waiters)
		close(finish)
		all.Wait()
	})
	held.Wait()
	// The claim and what is left of the lease; a look after the subscription,
	// another after the answer. A takeover that comes first sends its source.
	if n > 5 {
		t.Errorf("%d waiters of one key send %d commands, want at most 5", waiters, n)
	}
}

// awaitWaiters waits until so many requests wait in this process, and one of them
// has subscribed.
func awaitWaiters(t *testing.T, server *redistest.Server, waiters int) {
	t.Helper()
	client := redis.NewClient(server.Options())
	defer client.Close()
	stacks := make([]byte, 4<<20)
	for deadline := time.Now().Add(20 * time.Second); time.Now().Before(deadline); runtime.Gosched() {
		channels, err := client.PubSubShardChannels(t.Context(), "*").Result()
		n := runtime.Stack(stacks, true)
		if err == nil && len(channels) > 0 && bytes.Count(stacks[:n], []byte(").wait(")) >= waiters {
			return
		}
	}
	t.Fatalf("%d requests never waited", waiters)
}
