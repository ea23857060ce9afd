package runtime_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	idem "github.com/idemgen/idemgen/runtime"
	"github.com/idemgen/idemgen/runtime/memstore"
)

// die makes a's process as good as dead: nothing of it reaches the store.
func die(a *bench) { a.store.set(always(loseRequest)) }

func TestAfterACrashTheKeyRunsAgainAtTheEndOfTheLease(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dead, b := twoEngines(t, nil)
		lost := dead.start(dead.charge(time.Hour))
		synctest.Wait()
		die(dead)
		began := time.Now()
		b.want(b.run(b.charge(0)), "201 charge 1")
		if took := time.Since(began).Round(100 * time.Millisecond); took != 30*time.Second {
			t.Errorf("the retry ran after %v, want the lease of 30s", took)
		}
		b.wantEvents(idem.Takeover, 1)
		if got := b.last[idem.Executed].Attempt; got != 2 {
			t.Errorf("attempt %d, want 2", got)
		}
		dead.store.set(nil)
		<-lost
	})
}

func TestAfterACrashTheKeyIsHeldUnderHold(t *testing.T) {
	hold := func(c *idem.Contract) { c.OnCrash = idem.Hold }
	crash := func(t *testing.T) (dead, b *bench) {
		dead, b = twoEngines(t, hold)
		dead.start(dead.charge(time.Hour))
		synctest.Wait()
		die(dead)
		t.Cleanup(func() { dead.store.set(nil) })
		b.want(b.run(b.charge(0)), "outcome-unknown") // waits for the lease to end
		return dead, b
	}
	t.Run("settle", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			_, b := crash(t)
			in, err := b.engine.Inspect(t.Context(), b.op.Contract(), nil, "key-1")
			if err != nil || !in.Held || !in.Lapsed || in.State != idem.Pending || in.Attempt != 1 || !in.SameContract {
				t.Errorf("Inspect: %+v, %v", in, err)
			}
			answer := idem.Answer{Status: 201, Body: []byte("settled by hand")}
			if err := b.engine.Settle(t.Context(), b.op.Contract(), nil, "key-1", answer); err != nil {
				t.Fatal(err)
			}
			b.want(b.run(b.charge(0)), "201 settled by hand replayed")
			if err := b.engine.Settle(t.Context(), b.op.Contract(), nil, "key-1", answer); !errors.Is(err, idem.ErrNotHeld) {
				t.Errorf("Settle again: %v, want ErrNotHeld", err)
			}
			_, err = b.op.Run(t.Context(), call("key-1", 999), b.charge(0))
			b.want(outcome{err: err}, "key-reused")
		})
	})
	t.Run("release", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			_, b := crash(t)
			if err := b.engine.Release(t.Context(), b.op.Contract(), nil, "key-1"); err != nil {
				t.Fatal(err)
			}
			b.want(b.run(b.charge(0)), "201 charge 1")
			if err := b.engine.Release(t.Context(), b.op.Contract(), nil, "other"); !errors.Is(err, idem.ErrNoRecord) {
				t.Errorf("Release of a key without record: %v, want ErrNoRecord", err)
			}
		})
	})
	t.Run("ttl", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			_, b := crash(t)
			time.Sleep(time.Hour)
			b.want(b.run(b.charge(0)), "201 charge 1")
		})
	})
}

// A frozen worker comes back after its lease: its completion is refused, and
// both clients get the one stored answer.
func TestAWorkerThatLostItsLeaseAnswersWithTheStoredRecord(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		frozen, b := twoEngines(t, nil)
		wake := make(chan struct{})
		first := frozen.start(func(context.Context) (idem.WriteFunc, error) {
			<-wake
			return answering(201, "own answer"), nil
		})
		synctest.Wait()
		die(frozen)
		b.want(b.run(b.charge(0)), "201 charge 1")
		frozen.store.set(nil)
		close(wake)
		frozen.want(<-first, "201 charge 1 replayed")
		frozen.wantEvents(idem.LeaseLost, 1)
	})
}

// The same while the second attempt still runs: the first waits for it.
func TestAWorkerThatLostItsLeaseWaitsForTheWinner(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		frozen, b := twoEngines(t, func(c *idem.Contract) { c.InFlight = idem.Reject })
		wake := make(chan struct{})
		first := frozen.start(func(context.Context) (idem.WriteFunc, error) {
			<-wake
			return answering(201, "own answer"), nil
		})
		synctest.Wait()
		die(frozen)
		time.Sleep(31 * time.Second)
		second := b.start(b.charge(5 * time.Second))
		synctest.Wait()
		frozen.store.set(nil)
		close(wake)
		frozen.want(<-first, "201 charge 1 replayed")
		b.want(<-second, "201 charge 1")
	})
}

// The same where the second attempt fails: the first settles with its own.
func TestAWorkerThatLostItsLeaseSettlesWhereTheWinnerFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		frozen, b := twoEngines(t, nil)
		wake, runs := make(chan struct{}), 0
		first := frozen.start(func(context.Context) (idem.WriteFunc, error) {
			runs++
			<-wake
			return answering(201, "own answer"), nil
		})
		synctest.Wait()
		die(frozen)
		time.Sleep(31 * time.Second)
		second := b.start(func(context.Context) (idem.WriteFunc, error) {
			time.Sleep(5 * time.Second)
			return nil, errProvider
		})
		synctest.Wait()
		frozen.store.set(nil)
		close(wake)
		b.want(<-second, "error: provider failed")
		frozen.want(<-first, "201 own answer")
		b.want(b.run(b.charge(0)), "201 own answer replayed")
		b.wantCharges(0)
		if runs != 1 {
			t.Errorf("the first worker's handler ran %d times", runs)
		}
	})
}

// Under reject the owner's own clock tells it, under run the store's refusal.
// A process is stopped between its claim and its handler, beyond the lease.
func TestAClaimAcceptedLongAgoIsRenewedFirst(t *testing.T) {
	for winner, want := range map[bool]string{true: "201 charge 1 replayed", false: "201 charge 1"} {
		synctest.Test(t, func(t *testing.T) {
			a, b := twoEngines(t, nil)
			a.store.set(on("claim", stall))
			stopped := a.start(a.charge(0))
			time.Sleep(31 * time.Second)
			if winner {
				b.want(b.run(b.charge(0)), "201 charge 1")
			}
			a.want(<-stopped, want)
			if n := a.charges() + b.charges(); n != 1 {
				t.Errorf("%d charges, want 1", n)
			}
		})
	}
}

func TestALostLeaseCancelsTheHandler(t *testing.T) {
	for _, policy := range []idem.OnStoreError{idem.RefuseRequest, idem.RunUnprotected} {
		synctest.Test(t, func(t *testing.T) {
			frozen, b := twoEngines(t, func(c *idem.Contract) { c.OnStoreError = policy })
			cause := make(chan error, 1)
			first := frozen.start(func(ctx context.Context) (idem.WriteFunc, error) {
				<-ctx.Done()
				cause <- context.Cause(ctx)
				return nil, ctx.Err()
			})
			synctest.Wait()
			frozen.store.set(on("renew", hang))
			b.want(b.run(b.charge(0)), "201 charge 1")
			frozen.store.set(nil)
			time.Sleep(11 * time.Second) // a renewal later
			select {
			case err := <-cause:
				if !errors.Is(err, idem.ErrLeaseLost) {
					t.Errorf("the handler's context was cancelled by %v, want ErrLeaseLost", err)
				}
			default:
				t.Fatalf("%s: the handler goes on without its lease", policy)
			}
			<-first
		})
	}
}

// Where the key belongs to a different request by now there is no answer but the
// worker's own.
func TestAWorkerWhoseKeyBelongsToAnotherRequestAnswersItself(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		frozen, b := twoEngines(t, nil)
		wake := make(chan struct{})
		first := frozen.start(func(context.Context) (idem.WriteFunc, error) {
			<-wake
			return answering(201, "own answer"), nil
		})
		synctest.Wait()
		die(frozen)
		empty := memstore.New(memstore.Config{}) // the record is lost
		frozen.store.swap(empty)
		b.store.swap(empty)
		result, err := b.op.Run(t.Context(), call("key-1", 999), b.charge(0))
		b.want(outcome{result, err}, "201 charge 1")
		frozen.store.set(nil)
		close(wake)
		frozen.want(<-first, "201 own answer unprotected")
		frozen.wantEvents(idem.LeaseLost, 1)
		frozen.wantEvents(idem.RanUnprotected, 1)
	})
}

// Nobody but the owner's own clock can tell it, when the store is gone.
func TestTheOwnersOwnClock(t *testing.T) {
	for policy, want := range map[idem.OnStoreError]string{
		idem.RefuseRequest:  "error: idem: lease lost",
		idem.RunUnprotected: "201 charge 1",
	} {
		synctest.Test(t, func(t *testing.T) {
			a := newBench(t, func(c *idem.Contract) { c.OnStoreError = policy })
			began := time.Now()
			first := a.start(a.charge(50 * time.Second))
			synctest.Wait()
			a.store.set(on("renew", loseRequest))
			a.want(<-first, want)
			a.wantEvents(idem.LeaseLost, 1)
			if took := time.Since(began); policy == idem.RefuseRequest && (took < 30*time.Second || took > 31*time.Second) {
				t.Errorf("cancelled after %v, want one lease of 30s", took)
			}
		})
	}
}

func TestHeartbeatKeepsALongHandlersKey(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, b := twoEngines(t, func(c *idem.Contract) { c.InFlight = idem.Reject })
		first := a.start(a.charge(10 * time.Minute))
		synctest.Wait()
		for range 9 {
			time.Sleep(time.Minute)
			b.want(b.run(b.charge(0)), "in-progress")
		}
		a.want(<-first, "201 charge 1")
	})
}

func TestInspectTellsWhereAKeyStands(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := newBench(t, func(c *idem.Contract) { c.Scope = []string{"$request.header.Account"} })
		inspect := func() idem.Inspection {
			in, err := a.engine.Inspect(t.Context(), a.op.Contract(), []string{"acct"}, "key-1")
			if err != nil {
				t.Fatal(err)
			}
			in.StoreKey = ""
			return in
		}
		if diff := cmp.Diff(idem.Inspection{}, inspect()); diff != "" {
			t.Error("absent:", diff)
		}
		scoped := call("key-1", 1)
		scoped.Scope = []string{"acct"}
		began := time.Now()
		go a.op.Run(t.Context(), scoped, a.charge(time.Second))
		synctest.Wait()
		if diff := cmp.Diff(idem.Inspection{State: idem.Pending, Attempt: 1, LeaseLeft: 30 * time.Second, Claimed: began, SameContract: true}, inspect()); diff != "" {
			t.Error("running:", diff)
		}
		time.Sleep(2 * time.Second)
		want := idem.Inspection{State: idem.Done, Attempt: 1, Claimed: began, Settled: began.Add(time.Second), SameContract: true,
			Retained: true, Status: 201, BodyBytes: len("charge 1")}
		if diff := cmp.Diff(want, inspect()); diff != "" {
			t.Error("done:", diff)
		}
		if _, err := a.engine.Inspect(t.Context(), a.op.Contract(), nil, "key-1"); err == nil {
			t.Error("Inspect without the scope's value: no error")
		}
	})
}
