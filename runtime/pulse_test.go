package runtime_test

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	idem "github.com/idemgen/idemgen/runtime"
	"github.com/idemgen/idemgen/runtime/memstore"
)

// A renewalLog is a store that notes when each attempt was renewed.
type renewalLog struct {
	idem.Store
	began time.Time

	mu    sync.Mutex
	times map[idem.StoreKey][]time.Duration
}

func (s *renewalLog) Renew(ctx context.Context, key idem.StoreKey, record *idem.Record) (idem.Reply, error) {
	s.mu.Lock()
	s.times[key] = append(s.times[key], time.Since(s.began))
	s.mu.Unlock()
	return s.Store.Renew(ctx, key, record)
}

// Every attempt is renewed at each third of its lease, counted from its own
// start, whatever others begin and end meanwhile.
func TestRenewalsOfManyAttempts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := &renewalLog{Store: memstore.New(memstore.Config{}), began: time.Now(), times: map[idem.StoreKey][]time.Duration{}}
		engine := idem.New(store, idem.WithLogger(nil))
		op := engine.MustOperation(payment)
		var requests sync.WaitGroup
		var want [][]time.Duration
		for i := range 100 {
			start := time.Duration(i) * 700 * time.Millisecond
			took := time.Duration(i%7) * 8100 * time.Millisecond
			var renewals []time.Duration
			for at := payment.Lease / 3; at < took; at += payment.Lease / 3 {
				renewals = append(renewals, start+at)
			}
			if renewals != nil {
				want = append(want, renewals)
			}
			requests.Go(func() {
				time.Sleep(start)
				op.Run(t.Context(), call(fmt.Sprintf("key-%d", i), 1), func(context.Context) (idem.WriteFunc, error) {
					time.Sleep(took)
					return answering(201, "done"), nil
				})
			})
		}
		requests.Wait()
		var got [][]time.Duration
		for _, times := range store.times {
			got = append(got, times)
		}
		for _, times := range [][][]time.Duration{got, want} {
			slices.SortFunc(times, func(a, b []time.Duration) int { return slices.Compare(a, b) })
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
		engine.Close(t.Context())
	})
}

// An engine that is used in a synctest bubble renews in the world outside of it.
func TestRenewalsAfterBubble(t *testing.T) {
	lease := payment
	lease.Lease = 30 * time.Millisecond
	store := &renewalLog{Store: memstore.New(memstore.Config{}), times: map[idem.StoreKey][]time.Duration{}}
	op := idem.New(store, idem.WithLogger(nil)).MustOperation(lease)
	synctest.Test(t, func(t *testing.T) {
		op.Run(t.Context(), call("inside", 1), func(context.Context) (idem.WriteFunc, error) {
			return answering(201, "done"), nil
		})
	})
	op.Run(t.Context(), call("outside", 1), func(ctx context.Context) (idem.WriteFunc, error) {
		for deadline := time.Now().Add(5 * time.Second); time.Now().Before(deadline); time.Sleep(time.Millisecond) {
			store.mu.Lock()
			renewed := len(store.times) > 0
			store.mu.Unlock()
			if renewed {
				return answering(201, "done"), nil
			}
		}
		t.Error("the attempt was never renewed")
		return answering(201, "done"), nil
	})
}
