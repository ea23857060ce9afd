package main

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"errors"
	"fmt"
	"net/http"
	"runtime"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/idemgen/idemgen/examples/payments/api"
	idem "github.com/idemgen/idemgen/runtime"
	"github.com/idemgen/idemgen/runtime/memstore"
)

// processRows measure what takes place in one process, without Redis.
func processRows(p plan, t *table) error {
	if err := t.races(p, memstoreRaces()); err != nil {
		return err
	}
	for _, r := range wrapperRaces() {
		if !p.wants(r.what, r.callers, r.unit) {
			continue
		}
		result, err := r.run(p)
		if err != nil {
			return err
		}
		result.note = fmt.Sprintf("%s more than the handler, %.0f more allocs",
			duration(result.ours.time-result.limit.time), result.ours.allocs-result.limit.allocs)
		t.print(result)
	}
	return fingerprintRow(p, t)
}

// hotTTL is so short that the records of a ring of warmKeys keys are over when
// they are met again: the store stays small and warm.
const (
	hotTTL   = time.Millisecond
	warmKeys = 1 << 14
)

// memstoreRaces compare memstore with what it cannot do without: a map behind
// mutexes.
func memstoreRaces() []race {
	keys := make([]idem.StoreKey, warmKeys)
	for i := range keys {
		keys[i] = keyOf(keyText(uint64(i)))
	}
	record := pending()
	record.TTL, record.Lease = hotTTL, 0
	settled := done(record, answerOf(jsonBody(smallBody)))
	store, bare, ctx := memstore.New(memstore.Config{}), newBareMap(), context.Background()
	kept := done(record, settled.Answer)
	kept.TTL = ttl
	other := keyOf(keyText(warmKeys))
	store.Complete(ctx, other, kept)
	bare.put(other, kept)
	var n atomic.Uint64
	each := func(operation func(key idem.StoreKey) error) contender {
		return contender{caller: func(int) func() error {
			return func() error { return operation(keys[n.Add(1)%warmKeys]) }
		}}
	}
	return []race{
		{
			what: "memstore claim+complete", callers: 1, unit: "callers",
			limit: each(func(key idem.StoreKey) error {
				bare.put(key, record)
				bare.put(key, settled)
				return nil
			}),
			ours: each(func(key idem.StoreKey) error {
				claimed, err := store.Claim(ctx, key, record)
				if err != nil || !claimed.Accepted {
					return errors.Join(errRefused, err)
				}
				completed, err := store.Complete(ctx, key, settled)
				if err != nil || !completed.Accepted {
					return errors.Join(errRefused, err)
				}
				return nil
			}),
		},
		{
			what: "memstore replay", callers: 1, unit: "callers",
			limit: each(func(idem.StoreKey) error {
				if bare.get(other) == nil {
					return errRefused
				}
				return nil
			}),
			ours: each(func(idem.StoreKey) error {
				reply, err := store.Claim(ctx, other, record)
				if err != nil || reply.Record == nil {
					return errors.Join(errRefused, err)
				}
				return nil
			}),
		},
	}
}

// A bareMap is a map behind mutexes.
type bareMap [64]struct {
	mu sync.Mutex
	m  map[idem.StoreKey]*idem.Record
}

func newBareMap() *bareMap {
	b := new(bareMap)
	for i := range b {
		b[i].m = make(map[idem.StoreKey]*idem.Record)
	}
	return b
}

func (b *bareMap) put(key idem.StoreKey, record *idem.Record) {
	s := &b[key.Hash()%uint64(len(b))]
	s.mu.Lock()
	defer s.mu.Unlock()
	s.m[key] = record
}

func (b *bareMap) get(key idem.StoreKey) *idem.Record {
	s := &b[key.Hash()%uint64(len(b))]
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.m[key]
}

// wrapperRaces compare a generated wrapper on a memstore with the handler and
// the Visit of its answer alone.
func wrapperRaces() []race {
	w := &wrapperBench{}
	w.bare = payments{}
	next := func() string {
		w.n++
		return "key-" + strconv.FormatUint(w.n, 10)
	}
	again := func() string { return "key" }
	row := func(what string, key func() string) race {
		by := func(server *api.StrictServerInterface) contender {
			return contender{caller: func(int) func() error { return w.call(server, key) }}
		}
		return race{what: what, callers: 1, unit: "callers", between: w.renew, limit: by(&w.bare), ours: by(&w.ours)}
	}
	return []race{row("wrapper first", next), row("wrapper replay", again)}
}

type wrapperBench struct {
	n          uint64
	bare, ours api.StrictServerInterface
	end        context.CancelFunc // of the requests' context
}

// renew makes an engine on an empty store.
func (w *wrapperBench) renew() error {
	if w.end != nil {
		w.end()
	}
	engine := idem.New(memstore.New(memstore.Config{MaxRecords: 1 << 24}))
	w.ours = api.NewIdempotentServer(payments{}, engine, principal)
	runtime.GC() // what the last turn left is not this one's to collect
	return nil
}

func (w *wrapperBench) call(server *api.StrictServerInterface, key func() string) func() error {
	var ctx context.Context // as that of a request, it can end
	ctx, w.end = context.WithCancel(context.Background())
	request := api.CreatePaymentRequestObject{
		Params: api.CreatePaymentParams{XAccountId: "acc-1"},
		Body:   &api.CreatePaymentJSONRequestBody{OrderId: "o-1234567", Amount: 1999, Currency: api.EUR},
	}
	out := &discard{header: make(http.Header)}
	return func() error {
		request.Params.IdempotencyKey = key()
		response, err := (*server).CreatePayment(ctx, request)
		if err != nil {
			return err
		}
		clear(out.header)
		if err := response.VisitCreatePaymentResponse(out); err != nil {
			return err
		}
		if out.status != http.StatusCreated {
			return fmt.Errorf("answered %d", out.status)
		}
		return nil
	}
}

// A discard is an http.ResponseWriter that keeps nothing.
type discard struct {
	header http.Header
	status int
}

func (d *discard) Header() http.Header         { return d.header }
func (d *discard) WriteHeader(status int)      { d.status = status }
func (d *discard) Write(p []byte) (int, error) { return len(p), nil }

// fingerprintRow measures what three fields cost in a replay, against one
// HMAC-SHA-256 of the request's body by crypto/hmac.
func fingerprintRow(p plan, t *table) error {
	engine := idem.New(memstore.New(memstore.Config{}), idem.WithLogger(nil))
	op := engine.MustOperation(idem.Contract{API: "Bench", Operation: "fingerprint"})
	answer := &idem.Answer{Status: 201}
	handle := func(context.Context) (idem.WriteFunc, error) {
		return func() (*idem.Answer, error) { return answer, nil }, nil
	}
	replay := func(key string, fields func(*idem.Hasher)) contender {
		call := idem.Call{Key: idem.KeyOf(key), Fingerprint: fields}
		return contender{caller: func(int) func() error {
			return func() error {
				_, err := op.Run(context.Background(), call, handle)
				return err
			}
		}}
	}
	secret, body := make([]byte, 32), []byte(paymentBody)
	bare := contender{caller: func(int) func() error {
		return func() error {
			mac := hmac.New(sha256.New, secret)
			mac.Write(body)
			mac.Sum(nil)
			return nil
		}
	}}
	r := race{
		what: "fingerprint of 3 fields", callers: 1, unit: "callers", limit: bare,
		ours: replay("with", func(h *idem.Hasher) {
			h.Field("order_id")
			h.String("o-1234567")
			h.Field("amount")
			h.Int(1999)
			h.Field("currency")
			h.String("EUR")
		}),
		peer: new(replay("without", nil)),
	}
	if !p.wants(r.what, r.callers, r.unit) {
		return nil
	}
	result, err := r.run(p)
	if err != nil {
		return err
	}
	cost := result.ours.time - result.peer.time
	result.ratio, result.peerRatio = result.limit.time/cost, 0
	result.note = duration(cost) + ", against one HMAC of the body in " + duration(result.limit.time)
	t.print(result)
	return nil
}
