package runtime_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	idem "github.com/idemgen/idemgen/runtime"
	"github.com/idemgen/idemgen/runtime/memstore"
)

// A bench is an engine on a store that can be made to fail, with a handler that
// counts its effects and an observer that counts events.
type bench struct {
	t      *testing.T
	store  *faultStore
	engine *idem.Engine
	op     *idem.Operation

	mu      sync.Mutex
	effects int
	events  map[idem.Outcome]int
	last    map[idem.Outcome]idem.Event
}

var payment = idem.Contract{
	API: "Payments", Operation: "createPayment",
	Lease: 30 * time.Second, TTL: time.Hour, OnStoreError: idem.RefuseRequest,
}

// newBench makes a bench for payment as change adjusts it.
func newBench(t *testing.T, change func(*idem.Contract), opts ...idem.Option) *bench {
	t.Helper()
	return newBenchOn(t, memstore.New(memstore.Config{}), change, opts...)
}

func newBenchOn(t *testing.T, store idem.Store, change func(*idem.Contract), opts ...idem.Option) *bench {
	t.Helper()
	b := &bench{t: t, store: &faultStore{Store: store}, events: map[idem.Outcome]int{}, last: map[idem.Outcome]idem.Event{}}
	b.engine = idem.New(b.store, append([]idem.Option{idem.WithLogger(nil), idem.WithObserver(idem.ObserverFunc(b.observe))}, opts...)...)
	c := payment
	if change != nil {
		change(&c)
	}
	b.op = b.engine.MustOperation(c)
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), time.Hour)
		defer cancel()
		if err := b.engine.Close(ctx); err != nil {
			t.Errorf("Close: %v", err)
		}
	})
	return b
}

func (b *bench) observe(_ context.Context, e idem.Event) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.events[e.Outcome]++
	b.last[e.Outcome] = e
}

func (b *bench) count(o idem.Outcome) int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.events[o]
}

func (b *bench) charges() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.effects
}

// charge is a handler that has its effect, takes d, and answers with the number
// of the effect.
func (b *bench) charge(d time.Duration) idem.Handler {
	return func(ctx context.Context) (idem.WriteFunc, error) {
		b.mu.Lock()
		b.effects++
		n := b.effects
		b.mu.Unlock()
		select {
		case <-time.After(d):
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
		return answering(201, fmt.Sprintf("charge %d", n)), nil
	}
}

func answering(status int, body string) idem.WriteFunc {
	return func() (*idem.Answer, error) { return &idem.Answer{Status: status, Body: []byte(body)}, nil }
}

var errProvider = errors.New("provider failed")

func failing(context.Context) (idem.WriteFunc, error) { return nil, errProvider }

// call is a call with one field in its fingerprint.
func call(key string, amount int64) idem.Call {
	return idem.Call{Key: idem.KeyOf(key), Fingerprint: func(h *idem.Hasher) {
		h.Field("amount")
		h.Int(amount)
	}}
}

// An outcome is how a call ended.
type outcome struct {
	result idem.Result
	err    error
}

func (o outcome) String() string {
	switch {
	case o.err != nil:
		if code := idem.CodeOf(o.err); code != "" {
			return string(code)
		}
		return "error: " + o.err.Error()
	case o.result.Replayed:
		return fmt.Sprintf("%d %s replayed", o.result.Answer.Status, o.result.Answer.Body)
	case o.result.Unprotected:
		return fmt.Sprintf("%d %s unprotected", o.result.Answer.Status, o.result.Answer.Body)
	}
	return fmt.Sprintf("%d %s", o.result.Answer.Status, o.result.Answer.Body)
}

func (b *bench) run(handle idem.Handler) outcome { return b.runAs(context.Background(), handle) }

func (b *bench) runAs(ctx context.Context, handle idem.Handler) outcome {
	result, err := b.op.Run(ctx, call("key-1", 100), handle)
	return outcome{result, err}
}

// start runs handle on a goroutine of its own.
func (b *bench) start(handle idem.Handler) <-chan outcome {
	return b.startAs(context.Background(), handle)
}

func (b *bench) startAs(ctx context.Context, handle idem.Handler) <-chan outcome {
	c := make(chan outcome, 1)
	go func() { c <- b.runAs(ctx, handle) }()
	return c
}

func (b *bench) want(got outcome, want string) {
	b.t.Helper()
	if got.String() != want {
		b.t.Errorf("got %q, want %q", got, want)
	}
}

func (b *bench) wantCharges(want int) {
	b.t.Helper()
	if got := b.charges(); got != want {
		b.t.Errorf("%d charges, want %d", got, want)
	}
}

func (b *bench) wantEvents(o idem.Outcome, want int) {
	b.t.Helper()
	if got := b.count(o); got != want {
		b.t.Errorf("%d events %v, want %d", got, o, want)
	}
}

// errLost is the store error of a call whose request or reply was lost.
var errLost = errors.New("connection lost")

// A faultStore passes calls on to a store, as long as its rule lets it.
type faultStore struct {
	idem.Store
	mu   sync.Mutex
	rule func(step string) fault
}

type fault int

const (
	pass        fault = iota
	loseRequest       // the store never gets it
	loseReply         // the store does it, the caller gets an error
	refuse            // the caller knows that it was not done
	hang              // the store never gets it, and the caller learns nothing until its context ends
	stall             // the store does it, and the caller is stopped for longer than a lease before it learns that
)

// set replaces the rule. Nil passes everything.
func (s *faultStore) set(rule func(step string) fault) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.rule = rule
}

// always is the rule that treats every step alike.
func always(f fault) func(string) fault { return func(string) fault { return f } }

// on is the rule that treats one step so and passes the others.
func on(step string, f fault) func(string) fault {
	return func(s string) fault {
		if s == step {
			return f
		}
		return pass
	}
}

// swap replaces the store behind it.
func (s *faultStore) swap(store idem.Store) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.Store = store
}

func (s *faultStore) step(ctx context.Context, name string, call func(idem.Store) (idem.Reply, error)) (idem.Reply, error) {
	s.mu.Lock()
	rule, store := s.rule, s.Store
	s.mu.Unlock()
	do := func() (idem.Reply, error) { return call(store) }
	if rule == nil {
		return do()
	}
	switch rule(name) {
	case loseRequest:
		return idem.Reply{}, errLost
	case loseReply:
		do()
		return idem.Reply{}, errLost
	case stall:
		reply, err := do()
		time.Sleep(40 * time.Second)
		return reply, err
	case refuse:
		return idem.Reply{}, fmt.Errorf("%w: down", idem.ErrNotApplied)
	case hang:
		<-ctx.Done()
		return idem.Reply{}, ctx.Err()
	}
	return do()
}

func (s *faultStore) Claim(ctx context.Context, k idem.StoreKey, r *idem.Record) (idem.Reply, error) {
	return s.step(ctx, "claim", func(s idem.Store) (idem.Reply, error) { return s.Claim(ctx, k, r) })
}

func (s *faultStore) Takeover(ctx context.Context, k idem.StoreKey, seen, r *idem.Record) (idem.Reply, error) {
	return s.step(ctx, "takeover", func(s idem.Store) (idem.Reply, error) { return s.Takeover(ctx, k, seen, r) })
}

func (s *faultStore) Renew(ctx context.Context, k idem.StoreKey, r *idem.Record) (idem.Reply, error) {
	return s.step(ctx, "renew", func(s idem.Store) (idem.Reply, error) { return s.Renew(ctx, k, r) })
}

func (s *faultStore) Complete(ctx context.Context, k idem.StoreKey, r *idem.Record) (idem.Reply, error) {
	return s.step(ctx, "complete", func(s idem.Store) (idem.Reply, error) { return s.Complete(ctx, k, r) })
}

func (s *faultStore) Release(ctx context.Context, k idem.StoreKey, r *idem.Record, trace bool) (idem.Reply, error) {
	return s.step(ctx, "release", func(s idem.Store) (idem.Reply, error) { return s.Release(ctx, k, r, trace) })
}

func (s *faultStore) Load(ctx context.Context, k idem.StoreKey) (idem.Reply, error) {
	return s.step(ctx, "load", func(s idem.Store) (idem.Reply, error) { return s.Load(ctx, k) })
}
