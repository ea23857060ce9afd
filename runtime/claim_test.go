package runtime_test

import (
	"context"
	"maps"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	idem "github.com/idemgen/idemgen/runtime"
	"github.com/idemgen/idemgen/runtime/memstore"
)

// A slowStore takes a while for each step, and counts them.
type slowStore struct {
	idem.Store
	mu    sync.Mutex
	steps map[string]int
	fails func() error // of a claim, nil for none
}

const slowStep = 10 * time.Millisecond

func newSlowStore() *slowStore {
	return &slowStore{Store: memstore.New(memstore.Config{}), steps: map[string]int{}}
}

func (s *slowStore) count(step string) {
	time.Sleep(slowStep)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.steps[step]++
}

// counted returns how many steps there were since the last call.
func (s *slowStore) counted() map[string]int {
	s.mu.Lock()
	defer s.mu.Unlock()
	steps := maps.Clone(s.steps)
	clear(s.steps)
	return steps
}

func (s *slowStore) Claim(ctx context.Context, key idem.StoreKey, record *idem.Record) (idem.Reply, error) {
	s.count("claim")
	if s.fails != nil {
		if err := s.fails(); err != nil {
			return idem.Reply{}, err
		}
	}
	return s.Store.Claim(ctx, key, record)
}

func (s *slowStore) Takeover(ctx context.Context, key idem.StoreKey, seen, record *idem.Record) (idem.Reply, error) {
	s.count("takeover")
	return s.Store.Takeover(ctx, key, seen, record)
}

const crowd = 50

// crowdOf starts many requests with one key at once and returns how they ended.
func crowdOf(b *bench, handle idem.Handler) map[string]int {
	outcomes := map[string]int{}
	var all []<-chan outcome
	for range crowd {
		all = append(all, b.start(handle))
	}
	for _, one := range all {
		outcomes[(<-one).String()]++
	}
	return outcomes
}

func wantOutcomes(t *testing.T, got, want map[string]int) {
	t.Helper()
	if !maps.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// Many requests that come at once cost the store one claim: the one that asks
// runs, and the others wait for it.
func TestClaimSharedByFirst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := newSlowStore()
		b := newBenchOn(t, store, nil)
		wantOutcomes(t, crowdOf(b, b.charge(50*time.Millisecond)), map[string]int{
			"201 charge 1": 1, "201 charge 1 replayed": crowd - 1,
		})
		b.wantCharges(1)
		b.wantEvents(idem.Waited, crowd-1)
		// One claim of the first, and the poll of those who wait.
		if steps := store.counted(); steps["claim"]+steps["takeover"] > 3 {
			t.Errorf("%v steps", steps)
		}
	})
}

// Where the key is done they are all answered from the one reply.
func TestClaimSharedByReplays(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := newSlowStore()
		b := newBenchOn(t, store, nil)
		b.want(b.run(b.charge(0)), "201 charge 1")
		store.counted()
		wantOutcomes(t, crowdOf(b, b.charge(0)), map[string]int{"201 charge 1 replayed": crowd})
		b.wantEvents(idem.Replayed, crowd)
		if steps := store.counted(); steps["claim"] != 1 {
			t.Errorf("%v steps", steps)
		}
	})
}

// Where another process holds the key they wait together.
func TestClaimSharedByWaiters(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := newSlowStore()
		owner, b := newBenchOn(t, store.Store, nil), newBenchOn(t, store, nil)
		first := owner.start(owner.charge(300 * time.Millisecond))
		synctest.Wait()
		wantOutcomes(t, crowdOf(b, b.charge(0)), map[string]int{"201 charge 1 replayed": crowd})
		owner.want(<-first, "201 charge 1")
		b.wantCharges(0)
		// The first claim, that of the watch, a poll or two, and the last.
		if steps := store.counted(); steps["claim"]+steps["takeover"] > 6 {
			t.Errorf("%v steps", steps)
		}
	})
}

// Each compares its own request with the reply.
func TestClaimSharedWithOtherRequest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := newSlowStore()
		b := newBenchOn(t, store, nil)
		b.want(b.run(b.charge(0)), "201 charge 1")
		same := b.start(b.charge(0))
		other := make(chan error, 1)
		go func() {
			_, err := b.op.Run(t.Context(), call("key-1", 200), b.charge(0))
			other <- err
		}()
		b.want(<-same, "201 charge 1 replayed")
		if code := idem.CodeOf(<-other); code != idem.CodeKeyReused {
			t.Errorf("another request with the key: %q", code)
		}
	})
}

// A store that fails refuses them together, and not one after the other.
func TestClaimSharedRefusal(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := newSlowStore()
		store.fails = func() error { return errLost }
		b := newBenchOn(t, store, nil)
		began := time.Now()
		wantOutcomes(t, crowdOf(b, b.charge(0)), map[string]int{string(idem.CodeStoreUnavailable): crowd})
		if took := time.Since(began); took > 3*slowStep {
			t.Errorf("it took %v", took)
		}
		store.fails = nil
	})
}

// Where a contract runs without protection, one runs and the others wait for it:
// whether the store works again is asked, not concluded.
func TestClaimSharedUnprotected(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := newSlowStore()
		failures := 1
		store.fails = func() error {
			if failures--; failures >= 0 {
				return idem.ErrNotApplied
			}
			return nil
		}
		b := newBenchOn(t, store, func(c *idem.Contract) { c.OnStoreError = idem.RunUnprotected })
		outcomes := crowdOf(b, b.charge(0))
		b.wantCharges(1)
		if outcomes["201 charge 1 unprotected"]+outcomes["201 charge 1"] != 1 {
			t.Errorf("got %v", outcomes)
		}
	})
}

// A panic of the store ends one request, and no other waits for ever.
func TestClaimSharedPanic(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := newSlowStore()
		broken := true
		store.fails = func() error {
			if broken {
				broken = false
				panic("store")
			}
			return nil
		}
		b := newBenchOn(t, store, nil)
		panicked := make(chan any, 1)
		go func() {
			defer func() { panicked <- recover() }()
			b.run(b.charge(0))
		}()
		synctest.Wait()
		second := b.start(b.charge(0))
		if got := <-panicked; got != "store" {
			t.Errorf("recovered %v", got)
		}
		b.want(<-second, "201 charge 1")
	})
}
