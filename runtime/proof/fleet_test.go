package proof

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	idem "github.com/idemgen/idemgen/runtime"
	"github.com/idemgen/idemgen/runtime/redisstore"
	"github.com/idemgen/idemgen/runtime/storetest/redistest"
)

const (
	fleetLease   = 1200 * time.Millisecond
	fleetTimeout = 250 * time.Millisecond
	fleetPoll    = 200 * time.Millisecond
	// soon is when something has happened that is about to happen.
	soon = 10 * time.Second
)

var payment = idem.Contract{
	API: "Payments", Operation: "createPayment",
	Lease: fleetLease, TTL: time.Hour, WaitTimeout: soon,
	OnStoreError: idem.RefuseRequest,
}

// A fleet is several processes that share a server, and one key.
type fleet struct {
	t        *testing.T
	server   *redistest.Server
	contract idem.Contract
	key      string

	mu       sync.Mutex
	attempts []*attempt
	answers  map[string]string // protected answers by body, and who gave them
}

// An attempt is one run of the handler.
type attempt struct {
	by      *worker
	ctx     context.Context
	running bool
	kept    bool // its own answer was given as the key's
}

// A worker is a process: an engine with a connection of its own.
type worker struct {
	f     *fleet
	name  string
	proxy *proxy // nil for a straight connection
	op    *idem.Operation
	dead  bool // as good as dead: guarded by the fleet's mutex
}

func newFleet(t *testing.T, server *redistest.Server, change func(*idem.Contract)) *fleet {
	f := &fleet{t: t, server: server, contract: payment, key: fmt.Sprintf("key-%x", newKey().Hash()), answers: map[string]string{}}
	if change != nil {
		change(&f.contract)
	}
	return f
}

// worker starts a process; proxied is for one whose messages can be caught.
func (f *fleet) worker(name string, proxied bool) *worker {
	w := &worker{f: f, name: name}
	opts := f.server.Options()
	if proxied {
		w.proxy = newProxy(f.t, f.server.Addr)
		opts.Addr = w.proxy.listener.Addr().String()
	}
	client := redis.NewClient(opts)
	if err := client.Ping(f.t.Context()).Err(); err != nil { // connecting is not what is tested
		f.t.Fatal(err)
	}
	engine := idem.New(redisstore.New(client, redisstore.Config{Logger: slog.New(slog.DiscardHandler)}), idem.WithLogger(nil),
		idem.WithStoreTimeout(fleetTimeout), idem.WithPollInterval(fleetPoll))
	w.op = engine.MustOperation(f.contract)
	f.t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), soon)
		defer cancel()
		if err := engine.Close(ctx); err != nil && !w.dead {
			f.t.Errorf("%s: %v", name, err)
		}
		client.Close()
	})
	return w
}

// die has a process as good as dead: nothing of it reaches the server, until it
// comes to life again.
func (w *worker) die() {
	w.f.mu.Lock()
	w.dead = true
	w.f.mu.Unlock()
	w.proxy.kill()
}

// A handling is how a handler of a test goes about its effect.
type handling struct {
	began chan struct{} // closed when the effect has happened
	end   chan struct{} // the handler returns when it is closed; nil for at once
	err   error         // what it returns
}

func atOnceOK() *handling { return &handling{began: make(chan struct{})} }

func held() *handling {
	return &handling{began: make(chan struct{}), end: make(chan struct{})}
}

var errProvider = errors.New("provider failed")

// An outcome is how a request ended.
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
		return o.err.Error()
	case o.result.Replayed:
		return fmt.Sprintf("%d replayed", o.result.Answer.Status)
	case o.result.Unprotected:
		return fmt.Sprintf("%d unprotected", o.result.Answer.Status)
	}
	return fmt.Sprintf("%d", o.result.Answer.Status)
}

// request sends a request to the process and returns where its outcome comes.
func (w *worker) request(h *handling) <-chan outcome {
	done := make(chan outcome, 1)
	go func() {
		var own *attempt
		call := idem.Call{Key: idem.KeyOf(w.f.key), Fingerprint: func(f *idem.Hasher) {
			f.Field("amount")
			f.Int(100)
		}}
		result, err := w.op.Run(context.Background(), call, func(ctx context.Context) (idem.WriteFunc, error) {
			var answer string
			own, answer = w.f.effect(w, ctx)
			defer w.f.ended(own)
			return h.run(ctx, answer)
		})
		w.f.answered(w, own, result, err)
		done <- outcome{result, err}
	}()
	return done
}

func (h *handling) run(ctx context.Context, answer string) (idem.WriteFunc, error) {
	close(h.began)
	if h.end != nil {
		select {
		case <-h.end:
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
	if h.err != nil {
		return nil, h.err
	}
	return func() (*idem.Answer, error) {
		return &idem.Answer{Status: 201, Body: []byte(answer)}, nil
	}, nil
}

// effect is called as a handler has its effect. Under the run policy there may
// be several; else none while another attempt lives, nor after one that counts.
func (f *fleet) effect(w *worker, ctx context.Context) (*attempt, string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, a := range f.attempts {
		switch {
		case f.contract.InFlight == idem.RunAlso || a.by.dead:
		case a.running && a.ctx.Err() == nil:
			f.t.Errorf("%s: an effect while the attempt of %s lives", w.name, a.by.name)
		case a.kept:
			f.t.Errorf("%s: an effect after that of %s", w.name, a.by.name)
		}
	}
	a := &attempt{by: w, ctx: ctx, running: true}
	f.attempts = append(f.attempts, a)
	return a, fmt.Sprintf("charge %d", len(f.attempts))
}

func (f *fleet) ended(a *attempt) {
	f.mu.Lock()
	defer f.mu.Unlock()
	a.running = false
}

func (f *fleet) answered(w *worker, own *attempt, result idem.Result, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if err != nil || result.Unprotected {
		return
	}
	if own != nil && !result.Replayed {
		own.kept = true
	}
	f.answers[string(result.Answer.Body)] = w.name
}

// effects is how many there were of attempts that did not die.
func (f *fleet) effects() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	n := 0
	for _, a := range f.attempts {
		if !a.by.dead {
			n++
		}
	}
	return n
}

// wait fails the test unless there is a value soon.
func wait[T any](t *testing.T, what string, c <-chan T) (v T) {
	t.Helper()
	select {
	case v = <-c:
	case <-time.After(soon):
		t.Fatalf("still waiting for %s", what)
	}
	return v
}

// want fails the test unless a request ends as one of those given.
func (f *fleet) want(what string, c <-chan outcome, wants ...string) {
	f.t.Helper()
	got := wait(f.t, what, c).String()
	for _, want := range wants {
		if got == want {
			return
		}
	}
	f.t.Errorf("%s: got %q, want %q", what, got, wants)
}

// mustEndWell looks at the key after all faults: a fresh process replays the one
// answer there is, or is the first to give one.
func (f *fleet) mustEndWell(effects int) {
	f.t.Helper()
	began := time.Now()
	f.want("a request after all faults", f.worker("the last", false).request(atOnceOK()), "201", "201 replayed")
	if took := time.Since(began); took > fleetLease+time.Second {
		f.t.Errorf("the key was stuck for %v after all faults, a lease is %v", took, fleetLease)
	}
	if got := f.effects(); got != effects {
		f.t.Errorf("%d effects of attempts that live, want %d", got, effects)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.answers) != 1 {
		f.t.Errorf("answers %v, want one", f.answers)
	}
}
