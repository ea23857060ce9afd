//go:build !race

package redisstore

import (
	"context"
	"testing"
	"time"

	idem "github.com/idemgen/idemgen/runtime"
	"github.com/idemgen/idemgen/runtime/storetest/redistest"
)

// A limit is a context with a deadline that costs nothing.
type limit struct{ context.Context }

func (limit) Deadline() (time.Time, bool) { return time.Now().Add(250 * time.Millisecond), true }

// TestAllocations holds what the steps of a request allocate, go-redis included:
// the race detector allocates as well, so it is left out there.
func TestAllocations(t *testing.T) {
	store := New(redistest.Start(t).Client(t), Config{})
	t.Cleanup(func() { store.Close() })
	const runs = 500
	keys := make([]idem.StoreKey, 2*runs)
	for i := range keys {
		keys[i] = randomKey(t)
	}
	ctx := limit{t.Context()}
	pending, done := randomRecord(idem.Pending), randomRecord(idem.Done)
	done.Token = pending.Token
	next := 0
	first := testing.AllocsPerRun(runs, func() {
		next++
		if reply, err := store.Claim(ctx, keys[next], pending); err != nil || !reply.Accepted {
			t.Fatal(reply, err)
		}
		if reply, err := store.Complete(ctx, keys[next], done); err != nil || !reply.Accepted {
			t.Fatal(reply, err)
		}
	})
	// Twenty of them are go-redis's, for the reply nil of a claim.
	if first > 37 {
		t.Errorf("%v allocations for claim and complete, want at most 37", first)
	}
	replay := testing.AllocsPerRun(runs, func() {
		if reply, err := store.Claim(ctx, keys[1], pending); err != nil || reply.Accepted {
			t.Fatal(reply, err)
		}
	})
	if replay > 10 {
		t.Errorf("%v allocations for a replay, want at most 10", replay)
	}
}
