package runtime_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	idem "github.com/idemgen/idemgen/runtime"
	"github.com/idemgen/idemgen/runtime/memstore"
)

// twoEngines are two processes that share a store.
func twoEngines(t *testing.T, change func(*idem.Contract), opts ...idem.Option) (a, b *bench) {
	store := memstore.New(memstore.Config{})
	return newBenchOn(t, store, change, opts...), newBenchOn(t, store, change, opts...)
}

func TestWaitGivesTheFirstAnswerToEveryone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, b := twoEngines(t, nil)
		first := a.start(a.charge(300 * time.Millisecond))
		synctest.Wait()
		here, there := a.start(a.charge(0)), b.start(b.charge(0))
		a.want(<-first, "201 charge 1")
		a.want(<-here, "201 charge 1 replayed")
		b.want(<-there, "201 charge 1 replayed")
		a.wantCharges(1)
		b.wantCharges(0)
		a.wantEvents(idem.Executed, 1)
		a.wantEvents(idem.Waited, 1)
		b.wantEvents(idem.Waited, 1)
	})
}

func TestRejectRefusesWhileTheFirstRuns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, b := twoEngines(t, func(c *idem.Contract) { c.InFlight = idem.Reject })
		first := a.start(a.charge(300 * time.Millisecond))
		synctest.Wait()
		for _, x := range []*bench{a, b} {
			got := x.run(x.charge(0))
			x.want(got, "in-progress")
			if e := got.err.(*idem.Error); e.RetryAfter < time.Second || e.RetryAfter > 30*time.Second {
				t.Errorf("RetryAfter is %v, want what is left of the lease", e.RetryAfter)
			}
		}
		a.want(<-first, "201 charge 1")
		b.want(b.run(b.charge(0)), "201 charge 1 replayed")
	})
}

func TestRunIsAResultCache(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := newBench(t, func(c *idem.Contract) { c.InFlight = idem.RunAlso })
		slow := a.start(a.charge(300 * time.Millisecond))
		synctest.Wait()
		a.want(a.run(a.charge(100*time.Millisecond)), "201 charge 2")
		a.want(<-slow, "201 charge 2 replayed")
		a.want(a.run(a.charge(0)), "201 charge 2 replayed")
		a.wantCharges(2)
	})
}

func TestOneOfTheWaitersTakesAReleasedKey(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, b := twoEngines(t, nil)
		fail := make(chan struct{})
		first := a.start(func(context.Context) (idem.WriteFunc, error) {
			<-fail
			return nil, errProvider
		})
		synctest.Wait()
		var waiting []<-chan outcome
		for range 3 {
			waiting = append(waiting, a.start(a.charge(time.Second)), b.start(b.charge(time.Second)))
		}
		synctest.Wait()
		began := time.Now()
		close(fail)
		a.want(<-first, "error: provider failed")
		for _, w := range waiting {
			if got := (<-w).String(); got != "201 charge 1" && got != "201 charge 1 replayed" {
				t.Errorf("a waiter got %q", got)
			}
		}
		if n := a.charges() + b.charges(); n != 1 {
			t.Errorf("%d charges by the waiters, want 1", n)
		}
		if took := time.Since(began); took > 1100*time.Millisecond {
			t.Errorf("took %v: the waiters were not woken by the release", took)
		}
	})
}

func TestWaitEndsAtItsTimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := newBench(t, func(c *idem.Contract) { c.WaitTimeout = 2 * time.Second })
		first := a.start(a.charge(time.Minute))
		synctest.Wait()
		began := time.Now()
		a.want(a.run(a.charge(0)), "in-progress")
		if took := time.Since(began); took != 2*time.Second {
			t.Errorf("waited %v, want 2s", took)
		}
		a.wantEvents(idem.Rejected, 1)
		a.want(<-first, "201 charge 1")
	})
}

func TestWaitEndsWithItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := newBench(t, nil)
		first := a.start(a.charge(time.Minute))
		synctest.Wait()
		ctx, leave := context.WithCancel(t.Context())
		waiting := a.startAs(ctx, a.charge(0))
		synctest.Wait()
		leave()
		a.want(<-waiting, "error: context canceled")
		a.want(<-first, "201 charge 1")
		a.wantCharges(1)
	})
}

func TestWaitersAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := newBench(t, nil, idem.WithMaxWaiters(1))
		first := a.start(a.charge(time.Second))
		synctest.Wait()
		waiting := a.start(a.charge(0))
		synctest.Wait()
		a.want(a.run(a.charge(0)), "in-progress")
		a.want(<-first, "201 charge 1")
		a.want(<-waiting, "201 charge 1 replayed")
	})
}

// A waiter whose store fails while it waits has seen the key in flight: it never
// runs, whatever the contract says of store errors.
func TestAWaiterNeverRunsOnAStoreError(t *testing.T) {
	for _, policy := range []idem.OnStoreError{idem.RunUnprotected, idem.RefuseRequest} {
		for _, f := range []fault{loseRequest, loseReply, refuse, hang} {
			synctest.Test(t, func(t *testing.T) {
				a, b := twoEngines(t, func(c *idem.Contract) { c.OnStoreError = policy })
				first := a.start(a.charge(20 * time.Second))
				synctest.Wait()
				waiting := b.start(b.charge(0))
				synctest.Wait()
				b.store.set(always(f))
				time.Sleep(10 * time.Second)
				late := b.start(b.charge(0)) // comes while this process knows that the key is in flight
				time.Sleep(5 * time.Second)
				b.wantCharges(0)
				b.store.set(nil)
				a.want(<-first, "201 charge 1")
				b.want(<-waiting, "201 charge 1 replayed")
				b.want(<-late, "201 charge 1 replayed")
				b.wantCharges(0)
			})
		}
	}
}

func TestAMismatchDoesNotWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, b := twoEngines(t, nil)
		first := a.start(a.charge(time.Second))
		synctest.Wait()
		same := b.start(b.charge(0))
		synctest.Wait()
		began := time.Now()
		for _, x := range []*bench{a, b} {
			_, err := x.op.Run(t.Context(), call("key-1", 999), x.charge(0))
			x.want(outcome{err: err}, "key-reused")
		}
		if took := time.Since(began); took > 0 {
			t.Errorf("the mismatch waited %v", took)
		}
		a.want(<-first, "201 charge 1")
		b.want(<-same, "201 charge 1 replayed")
	})
}

// A mismatch is told whatever the state of the key is.
func TestAMismatchComesFirst(t *testing.T) {
	hold := func(c *idem.Contract) { c.OnCrash = idem.Hold }
	states := map[string]struct {
		change func(*idem.Contract)
		reach  func(a *bench)
	}{
		"running": {nil, func(a *bench) { a.start(a.charge(time.Second)) }},
		"lapsed":  {nil, func(a *bench) { a.start(a.charge(time.Second)); synctest.Wait(); die(a); time.Sleep(31 * time.Second) }},
		"held": {hold, func(a *bench) {
			defer func() { recover() }()
			a.run(func(context.Context) (idem.WriteFunc, error) { panic("boom") })
		}},
		"given back":   {nil, func(a *bench) { a.run(failing) }},
		"answered":     {nil, func(a *bench) { a.run(a.charge(0)) }},
		"not retained": {func(c *idem.Contract) { c.MaxResponseBytes = 1 }, func(a *bench) { a.run(a.charge(0)) }},
	}
	for name, s := range states {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				a, b := twoEngines(t, s.change)
				s.reach(a)
				synctest.Wait()
				_, err := b.op.Run(t.Context(), call("key-1", 999), b.charge(0))
				b.want(outcome{err: err}, "key-reused")
				b.wantCharges(0)
				a.store.set(nil)
			})
		})
	}
}

// Waiters that all fit the record of an older field list may differ from each
// other: each compares itself with what is stored in the end.
func TestEveryWaiterComparesItsOwnFingerprint(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, b := twoEngines(t, nil)
		fail := make(chan struct{})
		first := a.start(func(context.Context) (idem.WriteFunc, error) {
			<-fail
			return nil, errProvider
		})
		synctest.Wait()
		in := func(currency string) <-chan outcome {
			c := make(chan outcome, 1)
			newer := idem.Call{Key: idem.KeyOf("key-1"), Fingerprint: func(h *idem.Hasher) {
				h.Field("amount")
				h.Int(100)
				h.Field("currency")
				h.String(currency)
			}}
			go func() {
				result, err := b.op.Run(context.Background(), newer, b.charge(time.Second))
				c <- outcome{result, err}
			}()
			synctest.Wait()
			return c
		}
		one, same, other := in("EUR"), in("EUR"), in("USD")
		close(fail)
		a.want(<-first, "error: provider failed")
		b.want(<-one, "201 charge 1")
		b.want(<-same, "201 charge 1 replayed")
		b.want(<-other, "key-reused")
	})
}

// A key that was taken for a waiter that has left meanwhile is given back. It
// leaves before the key is handed to it, or at the very moment.
func TestAKeyTakenForOneWhoLeftIsGivenBack(t *testing.T) {
	for _, before := range []bool{true, false} {
		for range 50 { // what comes first at the very moment is chance
			synctest.Test(t, func(t *testing.T) {
				shared := memstore.New(memstore.Config{})
				ctx, leave := context.WithCancel(t.Context())
				store := &takenStore{Store: shared, taken: func() {
					leave()
					if before {
						time.Sleep(time.Millisecond) // until it has
					}
				}}
				a, b := newBenchOn(t, shared, nil), newBenchOn(t, store, nil)
				fail := make(chan struct{})
				first := a.start(func(context.Context) (idem.WriteFunc, error) {
					<-fail
					return nil, errProvider
				})
				synctest.Wait()
				waiting := b.startAs(ctx, failing)
				synctest.Wait()
				close(fail)
				a.want(<-first, "error: provider failed")
				if got := (<-waiting).String(); got != "error: context canceled" && got != "error: provider failed" {
					t.Errorf("a waiter that left got %q", got)
				}
				time.Sleep(2 * time.Millisecond)
				began := time.Now()
				a.want(a.run(a.charge(0)), "201 charge 1")
				if took := time.Since(began); took > 0 {
					t.Errorf("the next request waited %v for one who has left", took)
				}
			})
		}
	}
}

// A takenStore tells of takeovers that were accepted, before it returns.
type takenStore struct {
	idem.Store
	taken func()
}

func (s *takenStore) Takeover(ctx context.Context, k idem.StoreKey, seen, r *idem.Record) (idem.Reply, error) {
	reply, err := s.Store.Takeover(ctx, k, seen, r)
	if reply.Accepted {
		s.taken()
	}
	return reply, err
}
