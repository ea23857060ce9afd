package proof

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	idem "github.com/idemgen/idemgen/runtime"
	"github.com/idemgen/idemgen/runtime/memstore"
)

// The workloads of fake time. In the long one no lease ends, so that every
// takeover of a pending record is wrong; in the short ones leases, and lives
// too, end all the time.
var fakeTimeWorkloads = map[string]workload{
	"long leases":            {clients: 6, keys: 3, steps: 25, lease: time.Hour, ttl: 24 * time.Hour, pause: time.Second},
	"short leases":           {clients: 6, keys: 3, steps: 25, lease: 2 * time.Second, ttl: 24 * time.Hour, pause: time.Second},
	"short leases and lives": {clients: 6, keys: 3, steps: 25, lease: time.Second, ttl: time.Second, pause: time.Second},
}

// TestMemstoreIsLinearizable records histories on fake time, where leases end to
// the nanosecond, with calls that are lost, done unseen, and done late.
func TestMemstoreIsLinearizable(t *testing.T) {
	t.Parallel()
	for name, w := range fakeTimeWorkloads {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var sum tally
			for seed := range uint64(atLength(100, 1000)) {
				h := fakeHistory(t, w, seed, memstore.New(memstore.Config{}), seed%2 == 1)
				h.mustMakeSense(t, 0)
				if t.Failed() {
					return
				}
				sum.add(h)
			}
			t.Log(&sum)
		})
	}
}

// fakeHistory records a history on fake time.
func fakeHistory(t *testing.T, w workload, seed uint64, store idem.Store, faults bool) *history {
	var h *history
	synctest.Test(t, func(*testing.T) {
		if faults {
			store = &lossyStore{Store: store, rand: rand.New(rand.NewPCG(seed, 0)), late: w.lease}
		}
		h = newHistory(store)
		h.exactLeft = true
		w.run(h, seed)
	})
	return h
}

// errLost is the error of a call whose request or reply was lost.
var errLost = errors.New("lost")

// A lossyStore loses some calls to a store, and some replies, and does some calls
// after their caller has given them up, at most late after.
type lossyStore struct {
	idem.Store
	late time.Duration

	mu   sync.Mutex // guards rand
	rand *rand.Rand
}

func (s *lossyStore) step(do func() (idem.Reply, error)) (idem.Reply, error) {
	s.mu.Lock()
	n, after := s.rand.IntN(100), upTo(s.rand, s.late)
	s.mu.Unlock()
	switch {
	case n < 4:
		return idem.Reply{}, errLost
	case n < 6:
		return idem.Reply{}, fmt.Errorf("refused: %w", idem.ErrNotApplied)
	case n < 10:
		do()
		return idem.Reply{}, errLost
	case n < 14:
		time.AfterFunc(after, func() { do() })
		return idem.Reply{}, errLost
	}
	return do()
}

func (s *lossyStore) Claim(_ context.Context, k idem.StoreKey, r *idem.Record) (idem.Reply, error) {
	return s.step(func() (idem.Reply, error) { return s.Store.Claim(context.Background(), k, r) })
}

func (s *lossyStore) Takeover(_ context.Context, k idem.StoreKey, seen, r *idem.Record) (idem.Reply, error) {
	return s.step(func() (idem.Reply, error) { return s.Store.Takeover(context.Background(), k, seen, r) })
}

func (s *lossyStore) Renew(_ context.Context, k idem.StoreKey, r *idem.Record) (idem.Reply, error) {
	return s.step(func() (idem.Reply, error) { return s.Store.Renew(context.Background(), k, r) })
}

func (s *lossyStore) Complete(_ context.Context, k idem.StoreKey, r *idem.Record) (idem.Reply, error) {
	return s.step(func() (idem.Reply, error) { return s.Store.Complete(context.Background(), k, r) })
}

func (s *lossyStore) Release(_ context.Context, k idem.StoreKey, r *idem.Record, trace bool) (idem.Reply, error) {
	return s.step(func() (idem.Reply, error) { return s.Store.Release(context.Background(), k, r, trace) })
}

func (s *lossyStore) Load(_ context.Context, k idem.StoreKey) (idem.Reply, error) {
	return s.step(func() (idem.Reply, error) { return s.Store.Load(context.Background(), k) })
}
