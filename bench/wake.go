package main

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/redis/go-redis/v9"

	idem "github.com/idemgen/idemgen/runtime"
	"github.com/idemgen/idemgen/runtime/redisstore"
)

// waitClients is how many processes the waiters of a key come from: engines with
// clients of their own.
const waitClients = 20

// settleTime is how long waiters get to wait before the answer comes: until they
// are subscribed and nothing else goes on.
const settleTime = 300 * time.Millisecond

// wakeRows measure how long after the owner has its answer a waiter has it too,
// against bare commands: a SET and an SPUBLISH, the message, and a GET.
func wakeRows(p plan, t *table) error {
	srv, err := startServer()
	if err != nil {
		return err
	}
	defer srv.stop()
	w := newWakeBench(srv)
	defer w.close()
	rounds := min(p.rounds, 5)
	for _, waiters := range []int{1, 1000} {
		if !p.wants("wake", waiters, "waiters") {
			continue
		}
		var bare, halves, lasts, sent []float64
		for range rounds {
			limit, err := w.bare()
			if err != nil {
				return err
			}
			before := w.sent.Load()
			took, err := w.wake(waiters)
			if err != nil {
				return err
			}
			slices.Sort(took)
			bare = append(bare, float64(limit))
			halves = append(halves, float64(took[len(took)/2]))
			lasts = append(lasts, float64(took[len(took)*99/100]))
			sent = append(sent, float64(w.sent.Load()-before))
		}
		t.print(row{
			what: "wake", callers: waiters, unit: "waiters", ratio: median(bare) / median(halves),
			note: fmt.Sprintf("p50 %s, p99 %s, %.0f commands in all; bare commands %s",
				duration(median(halves)), duration(median(lasts)), median(sent), duration(median(bare))),
		})
	}
	return nil
}

type wakeBench struct {
	server  *server
	sent    atomic.Int64
	last    atomic.Uint64
	owner   *idem.Engine
	engines []*idem.Engine
}

func newWakeBench(srv *server) *wakeBench {
	w := &wakeBench{server: srv}
	engine := func() *idem.Engine {
		return idem.New(redisstore.New(srv.client(&w.sent), redisstore.Config{}), idem.WithLogger(nil))
	}
	w.owner = engine()
	for range waitClients {
		w.engines = append(w.engines, engine())
	}
	return w
}

func (w *wakeBench) close() {
	for _, e := range append(w.engines, w.owner) {
		e.Close(context.Background())
	}
}

// wake returns how long each waiter took from when the owner had its answer.
func (w *wakeBench) wake(waiters int) ([]time.Duration, error) {
	contract := idem.Contract{API: "Bench", Operation: "wake"}
	call := idem.Call{Key: idem.KeyOf(fmt.Sprint("wake-", w.last.Add(1)))}
	answer := answerOf(jsonBody(smallBody))
	owns, finish := make(chan struct{}), make(chan struct{})
	failed := make(chan error, waiters+1)
	run := func(e *idem.Engine, handle idem.Handler) {
		if _, err := e.MustOperation(contract).Run(context.Background(), call, handle); err != nil {
			failed <- err
		}
	}
	var all sync.WaitGroup
	var finished time.Time
	all.Go(func() {
		run(w.owner, func(context.Context) (idem.WriteFunc, error) {
			close(owns)
			<-finish
			return func() (*idem.Answer, error) { return answer, nil }, nil
		})
	})
	<-owns
	returned := make([]time.Time, waiters)
	for i := range waiters {
		all.Go(func() {
			run(w.engines[i%len(w.engines)], func(context.Context) (idem.WriteFunc, error) {
				failed <- errRefused
				return nil, errRefused
			})
			returned[i] = time.Now()
		})
	}
	time.Sleep(settleTime)
	finished = time.Now()
	close(finish)
	all.Wait()
	select {
	case err := <-failed:
		return nil, err
	default:
	}
	took := make([]time.Duration, waiters)
	for i := range took {
		took[i] = returned[i].Sub(finished)
	}
	return took, nil
}

// bare returns how long it takes at least until a subscriber has what was written.
func (w *wakeBench) bare() (time.Duration, error) {
	ctx := context.Background()
	client := redis.NewClient(&redis.Options{Addr: w.server.addr})
	defer client.Close()
	subscription := client.SSubscribe(ctx, "bench")
	defer subscription.Close()
	if _, err := subscription.Receive(ctx); err != nil {
		return 0, err
	}
	var took []time.Duration
	for range 20 {
		began := time.Now()
		_, err := client.Pipelined(ctx, func(p redis.Pipeliner) error {
			p.Set(ctx, "bench", "done", ttl)
			p.SPublish(ctx, "bench", "")
			return nil
		})
		if err == nil {
			_, err = subscription.Receive(ctx)
		}
		if err == nil {
			err = client.Get(ctx, "bench").Err()
		}
		if err != nil {
			return 0, err
		}
		took = append(took, time.Since(began))
	}
	slices.Sort(took)
	return took[len(took)/2], nil
}
