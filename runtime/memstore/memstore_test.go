package memstore_test

import (
	"context"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	idem "github.com/idemgen/idemgen/runtime"
	"github.com/idemgen/idemgen/runtime/memstore"
	"github.com/idemgen/idemgen/runtime/storetest"
)

func TestConformance(t *testing.T) {
	storetest.Run(t, func(*testing.T) idem.Store { return memstore.New(memstore.Config{}) })
}

func TestFull(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const limit = 100
		store := memstore.New(memstore.Config{MaxRecords: limit})
		for i := range limit {
			mustAccept(t, "claim", claim(store, i, time.Hour))
		}
		if _, err := store.Claim(t.Context(), key(t, limit), pending(limit, time.Hour)); !errors.Is(err, idem.ErrFull) {
			t.Fatalf("claim beyond the limit: error %v, want ErrFull", err)
		}
		for i := range limit {
			mustAccept(t, "claim of a record that is alive", claim(store, i, time.Hour))
		}
		if got := store.Len(); got != limit {
			t.Fatalf("%d records, want %d", got, limit)
		}

		time.Sleep(2*time.Hour - time.Nanosecond)
		if _, err := claim(store, limit, time.Hour)(t); !errors.Is(err, idem.ErrFull) {
			t.Fatalf("claim just before the end of all lives: error %v, want ErrFull", err)
		}
		time.Sleep(time.Nanosecond)
		for i := range limit {
			mustAccept(t, "claim after the end of all lives", claim(store, limit+i, time.Hour))
		}
		if got := store.Len(); got != limit {
			t.Fatalf("%d records, want %d", got, limit)
		}
	})
}

func TestFullOwnerStepsGetRoom(t *testing.T) {
	store := memstore.New(memstore.Config{MaxRecords: 1})
	mustAccept(t, "claim", claim(store, 0, time.Hour))
	lost := pending(1, time.Hour)
	done := *lost
	done.State = idem.Done
	reply, err := store.Complete(t.Context(), key(t, 1), &done)
	if err != nil || !reply.Accepted {
		t.Fatalf("completion of a record that is gone: %+v, %v; want it accepted", reply, err)
	}
}

func TestFullUnderConcurrentClaims(t *testing.T) {
	const limit, callers, each = 50, 8, 100
	store := memstore.New(memstore.Config{MaxRecords: limit})
	var accepted atomic.Int64
	var wg sync.WaitGroup
	for c := range callers {
		wg.Go(func() {
			for i := range each {
				reply, err := store.Claim(t.Context(), key(t, c*each+i), pending(c*each+i, time.Hour))
				if err == nil && reply.Accepted {
					accepted.Add(1)
				}
			}
		})
	}
	wg.Wait()
	if accepted.Load() != limit || store.Len() != limit {
		t.Fatalf("%d claims accepted, %d records, want %d of both", accepted.Load(), store.Len(), limit)
	}
}

// TestMemoryStaysFlat puts many keys through a bounded store, whose records
// are over soon after they were written.
func TestMemoryStaysFlat(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const limit = 10_000
		keys := 1_000_000
		if testing.Short() {
			keys /= 10
		}
		store := memstore.New(memstore.Config{MaxRecords: limit})
		heapAfter := func(from, to int) uint64 {
			for i := from; i < to; i++ {
				mustAccept(t, "claim", claim(store, i, time.Second))
				if i%(limit/4) == 0 {
					time.Sleep(time.Second)
				}
			}
			runtime.GC()
			var m runtime.MemStats
			runtime.ReadMemStats(&m)
			return m.HeapAlloc
		}
		early := heapAfter(0, keys/10)
		late := heapAfter(keys/10, keys)
		if late > early+early/2 {
			t.Errorf("heap is %d bytes after %d keys and %d after %d", early, keys/10, late, keys)
		}
	})
}

func TestEndedContext(t *testing.T) {
	store := memstore.New(memstore.Config{})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := store.Claim(ctx, key(t, 0), pending(0, time.Hour))
	if !errors.Is(err, idem.ErrNotApplied) || !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want ErrNotApplied and context.Canceled", err)
	}
}

func BenchmarkClaimComplete(b *testing.B) {
	store := memstore.New(memstore.Config{})
	keys := hotKeys(b)
	ctx := context.Background()
	record := pending(0, 20*time.Microsecond) // over when the key comes round again
	done := *record
	done.State = idem.Done
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		k := keys[i%len(keys)]
		if reply, err := store.Claim(ctx, k, record); err != nil || !reply.Accepted {
			b.Fatal(reply, err)
		}
		if reply, err := store.Complete(ctx, k, &done); err != nil || !reply.Accepted {
			b.Fatal(reply, err)
		}
	}
}

func BenchmarkReplay(b *testing.B) {
	store := memstore.New(memstore.Config{})
	keys := hotKeys(b)
	ctx := context.Background()
	for i, k := range keys {
		done := pending(i, time.Hour)
		done.State = idem.Done
		if _, err := store.Complete(ctx, k, done); err != nil {
			b.Fatal(err)
		}
	}
	record := pending(-1, time.Hour)
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		if reply, err := store.Claim(ctx, keys[i%len(keys)], record); err != nil || reply.Record == nil {
			b.Fatal(reply, err)
		}
	}
}

func hotKeys(tb testing.TB) []idem.StoreKey {
	keys := make([]idem.StoreKey, 1024)
	for i := range keys {
		keys[i] = key(tb, i)
	}
	return keys
}

// key returns a key for a number.
func key(tb testing.TB, n int) idem.StoreKey {
	tb.Helper()
	const golden = 0x9e3779b97f4a7c15 // spreads the numbers, as a digest would
	sum := binary.BigEndian.AppendUint64(make([]byte, 0, 32), uint64(n)*golden)[:32]
	k, err := idem.ParseStoreKey("test:op:" + base64.RawURLEncoding.EncodeToString(sum))
	if err != nil {
		tb.Fatal(err)
	}
	return k
}

// pending returns the record of the attempt with a number, whose life is twice
// ttl.
func pending(n int, ttl time.Duration) *idem.Record {
	r := &idem.Record{State: idem.Pending, Attempt: 1, TTL: ttl, Lease: ttl}
	binary.BigEndian.PutUint64(r.Token[:], uint64(n))
	return r
}

func claim(store *memstore.Store, n int, ttl time.Duration) func(*testing.T) (idem.Reply, error) {
	return func(t *testing.T) (idem.Reply, error) {
		return store.Claim(t.Context(), key(t, n), pending(n, ttl))
	}
}

func mustAccept(t *testing.T, what string, step func(*testing.T) (idem.Reply, error)) {
	t.Helper()
	if reply, err := step(t); err != nil || !reply.Accepted {
		t.Fatalf("%s: %+v, %v; want it accepted", what, reply, err)
	}
}
