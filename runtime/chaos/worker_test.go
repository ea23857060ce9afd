//go:build unix

package chaos

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"sync"
	"time"

	idem "github.com/idemgen/idemgen/runtime"
	"github.com/idemgen/idemgen/runtime/nethttp"
	"github.com/idemgen/idemgen/runtime/redisstore"
)

// workerVariable has the configuration of a worker in the environment of its
// process.
const workerVariable = "IDEM_CHAOS_WORKER"

// workerSign begins the line in which a worker says where it listens.
const workerSign = "worker listens on "

// Headers between clients and workers.
const (
	keyHeader      = "Idempotency-Key"
	failHeader     = "X-Fail"     // the handler shall fail, without an effect
	tookHeader     = "X-Took"     // how long the engine took
	handlingHeader = "X-Handling" // how long the handler took of that
)

// A workerConfig is what a worker process is told.
type workerConfig struct {
	Name   string
	Ledger string // URL

	Store string // URL

	Contract idem.Contract
	// WithNote adds a field to the fingerprint: a newer contract.
	WithNote bool
	// Broken replaces the store's claim by one that always accepts. The
	// tests of the tests need it.
	Broken bool
}

// An order is the body of a request.
type order struct {
	Order  string        `json:"order"`
	Amount int           `json:"amount"`
	Note   string        `json:"note"`
	Work   time.Duration `json:"work"` // how long the handler takes
}

// A receipt is the body of an answer.
type receipt struct {
	Effect string `json:"effect"` // ID of the attempt
	Order  string `json:"order"`
}

// A worker is what runs in a worker process: an HTTP server with one protected
// operation.
type worker struct {
	config workerConfig
	op     *idem.Operation
	client *http.Client
}

// runWorker is the worker's main. It returns when its input ends.
func runWorker(config string) error {
	w := &worker{client: &http.Client{
		Timeout:   startLimit,
		Transport: &http.Transport{MaxIdleConnsPerHost: 512},
	}}
	if err := json.Unmarshal([]byte(config), &w.config); err != nil {
		return err
	}
	redis, err := redisstore.Open(context.Background(), w.config.Store, redisstore.Config{})
	if err != nil {
		return err
	}
	var store idem.Store = redis
	if w.config.Broken {
		store = acceptingStore{redis}
	}
	engine := idem.New(store,
		idem.WithObserver(idem.ObserverFunc(w.observe)),
		idem.WithLogger(slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelError}))))
	op, err := engine.Operation(w.config.Contract)
	if err != nil {
		return err
	}
	w.op = op
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /orders", w.serve)
	go http.Serve(listener, mux)
	fmt.Println(workerSign + listener.Addr().String())
	io.Copy(io.Discard, os.Stdin)
	return nil
}

// A note collects what the engine says of a request while it runs.
type note struct {
	worker   *worker
	handling time.Duration // of the request's goroutine

	mu      sync.Mutex
	attempt attempt // its ID is set once the handler has run
	told    bool    // the end has been told to the ledger
}

type noteKey struct{}

// serve answers one request.
func (w *worker) serve(rw http.ResponseWriter, r *http.Request) {
	var o order
	if err := json.NewDecoder(r.Body).Decode(&o); err != nil {
		http.Error(rw, err.Error(), http.StatusBadRequest)
		return
	}
	n := &note{worker: w}
	ctx := context.WithValue(r.Context(), noteKey{}, n)
	fail := r.Header.Get(failHeader) != ""
	call := idem.Call{Key: nethttp.HeaderKey(r.Header.Get(keyHeader)), Fingerprint: func(h *idem.Hasher) {
		h.Field("order")
		h.String(o.Order)
		h.Field("amount")
		h.Int(int64(o.Amount))
		if w.config.WithNote {
			h.Field("note")
			h.String(o.Note)
		}
	}}
	began := time.Now()
	reply, err := nethttp.Serve(ctx, w.op, call, func(ctx context.Context) (nethttp.VisitFunc, error) {
		if fail {
			return nil, errors.New("asked to fail")
		}
		began := time.Now()
		defer func() { n.handling = time.Since(began) }()
		return n.handle(ctx, o)
	})
	took := time.Since(began)
	n.end(err)
	rw.Header().Set(tookHeader, took.String())
	rw.Header().Set(handlingHeader, n.handling.String())
	if err != nil {
		http.Error(rw, err.Error(), http.StatusInternalServerError)
		return
	}
	reply.Visit(rw)
}

// handle has the effect, works for a while, and answers.
func (n *note) handle(ctx context.Context, o order) (nethttp.VisitFunc, error) {
	info, _ := idem.FromContext(ctx)
	begun := attempt{
		ID: rand.Text(), Key: info.Key, Worker: n.worker.config.Name, Number: info.Attempt, Entered: time.Now(),
	}
	if err := n.worker.tell("/begin", begun); err != nil {
		return nil, err
	}
	n.mu.Lock()
	n.attempt.ID = begun.ID
	n.mu.Unlock()
	if o.Work > 0 {
		select {
		case <-time.After(o.Work):
		case <-ctx.Done():
			if errors.Is(context.Cause(ctx), idem.ErrLeaseLost) {
				n.lost()
			}
			return nil, context.Cause(ctx)
		}
	}
	return func(w http.ResponseWriter) error {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusCreated)
		return json.NewEncoder(w).Encode(receipt{Effect: begun.ID, Order: o.Order})
	}, nil
}

func (n *note) lost() {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.attempt.Lost = true
}

// observe takes in the engine's events.
func (w *worker) observe(ctx context.Context, event idem.Event) {
	n, ok := ctx.Value(noteKey{}).(*note)
	if !ok {
		return
	}
	n.mu.Lock()
	// Without an error it was the store who said that the lease is lost. That
	// alone is no excuse: it may be the store that is wrong.
	lost := event.Outcome == idem.LeaseLost && event.Err != nil
	n.attempt.Lost = n.attempt.Lost || lost
	switch event.Outcome {
	case idem.CompleteFailed:
		n.attempt.Unrecorded = true
	case idem.RanUnprotected:
		n.attempt.Unprotected = true
	}
	late := n.told && lost
	a := n.attempt
	n.mu.Unlock()
	if late {
		w.tell("/end", a)
	}
}

// end tells the ledger that the key is settled, if the handler has run.
func (n *note) end(err error) {
	n.mu.Lock()
	n.told = n.attempt.ID != ""
	n.attempt.Failed = err != nil
	a := n.attempt
	n.mu.Unlock()
	if a.ID != "" {
		n.worker.tell("/end", a)
	}
}

// tell sends something to the ledger.
func (w *worker) tell(path string, a attempt) error {
	body, err := json.Marshal(a)
	if err != nil {
		return err
	}
	resp, err := w.client.Post(w.config.Ledger+path, "application/json", bytes.NewReader(body))
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	_, err = io.Copy(io.Discard, resp.Body)
	return err
}

// An acceptingStore is broken: it accepts every claim.
type acceptingStore struct{ idem.Store }

func (s acceptingStore) Claim(ctx context.Context, key idem.StoreKey, record *idem.Record) (idem.Reply, error) {
	_, err := s.Store.Claim(ctx, key, record)
	return idem.Reply{Accepted: err == nil}, err
}
