package runtime_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	idem "github.com/idemgen/idemgen/runtime"
	"github.com/idemgen/idemgen/runtime/memstore"
)

func TestAStoreErrorAtTheClaim(t *testing.T) {
	for _, f := range []fault{loseRequest, refuse, hang} {
		synctest.Test(t, func(t *testing.T) {
			run := newBench(t, func(c *idem.Contract) { c.OnStoreError = idem.RunUnprotected })
			run.store.set(always(f))
			began := time.Now()
			run.want(run.run(run.charge(300*time.Millisecond)), "201 charge 1 unprotected")
			if took := time.Since(began); took > 900*time.Millisecond {
				t.Errorf("fault %d: an unprotected run took %v", f, took)
			}
			run.wantEvents(idem.RanUnprotected, 1)
			run.store.set(nil)

			reject := newBench(t, nil)
			reject.store.set(always(f))
			began = time.Now()
			reject.want(reject.run(reject.charge(0)), "store-unavailable")
			if took := time.Since(began); took > 300*time.Millisecond {
				t.Errorf("fault %d: a refusal took %v", f, took)
			}
			reject.wantCharges(0)
			reject.store.set(nil)
			reject.want(reject.run(reject.charge(0)), "201 charge 1")
		})
	}
}

// A claim whose reply was lost stands in the store. Under run the attempt finds
// that it has the key and keeps the promise; under reject a tombstone takes the
// claim's place, so that the next request runs at once.
func TestAClaimWhoseReplyWasLost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, b := twoEngines(t, func(c *idem.Contract) { c.OnStoreError = idem.RunUnprotected })
		a.store.set(on("claim", loseReply))
		first := a.start(a.charge(20 * time.Second))
		synctest.Wait()
		time.Sleep(11 * time.Second) // a renewal was accepted
		second := b.start(b.charge(0))
		a.want(<-first, "201 charge 1")
		b.want(<-second, "201 charge 1 replayed")
		b.wantCharges(0)
	})
	synctest.Test(t, func(t *testing.T) {
		a, b := twoEngines(t, nil)
		a.store.set(on("claim", loseReply))
		a.want(a.run(a.charge(0)), "store-unavailable")
		time.Sleep(time.Second)
		began := time.Now()
		b.want(b.run(b.charge(0)), "201 charge 1")
		if took := time.Since(began); took > 0 {
			t.Errorf("the next request waited %v for a claim that nobody holds", took)
		}
	})
}

// The claim arrives after its caller has given up and released the key: the
// tombstone keeps it out.
func TestAClaimThatArrivesLate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := memstore.New(memstore.Config{})
		var late func()
		delaying := &delayStore{Store: store, late: &late}
		a := newBenchOn(t, delaying, nil)
		b := newBenchOn(t, store, nil)
		a.want(a.run(a.charge(0)), "store-unavailable")
		time.Sleep(time.Second) // the release has been sent
		late()
		began := time.Now()
		b.want(b.run(b.charge(0)), "201 charge 1")
		if took := time.Since(began); took > 0 {
			t.Errorf("the next request waited %v for a claim that nobody holds", took)
		}
	})
}

// A delayStore keeps the claim and does it when late is called.
type delayStore struct {
	idem.Store
	late *func()
}

func (s *delayStore) Claim(ctx context.Context, k idem.StoreKey, r *idem.Record) (idem.Reply, error) {
	*s.late = func() { s.Store.Claim(context.WithoutCancel(ctx), k, r) }
	return idem.Reply{}, errLost
}

func TestOnlyOneOfAProcessRunsUnprotected(t *testing.T) {
	for _, f := range []fault{loseRequest, refuse, hang} { // with hang both claims fail at the same time
		synctest.Test(t, func(t *testing.T) {
			a := newBench(t, func(c *idem.Contract) { c.OnStoreError = idem.RunUnprotected })
			a.store.set(always(f))
			first := a.start(a.charge(time.Second))
			second := a.start(a.charge(time.Second))
			got := []string{(<-first).String(), (<-second).String()}
			a.wantCharges(1)
			for _, g := range got {
				if g != "201 charge 1 unprotected" && g != "201 charge 1 replayed" {
					t.Errorf("got %q", g)
				}
			}
			a.store.set(nil)
		})
	}
}

// The answer cannot be recorded: the client gets it, the process goes on trying,
// and answers retries that reach it meanwhile.
func TestAnUnrecordedAnswer(t *testing.T) {
	for _, policy := range []idem.InFlight{idem.Wait, idem.Reject, idem.RunAlso} {
		for _, f := range []fault{loseRequest, loseReply, refuse, hang} {
			synctest.Test(t, func(t *testing.T) {
				a, b := twoEngines(t, func(c *idem.Contract) { c.InFlight = policy })
				first := a.start(a.charge(time.Second))
				synctest.Wait()
				a.store.set(always(f))
				a.want(<-first, "201 charge 1")
				a.wantEvents(idem.CompleteFailed, 1)
				time.Sleep(10 * time.Minute)
				a.want(a.run(a.charge(0)), "201 charge 1 replayed")
				_, err := a.op.Run(t.Context(), call("key-1", 999), a.charge(0))
				a.want(outcome{err: err}, "key-reused")
				a.store.set(nil)
				time.Sleep(2 * time.Second)
				b.want(b.run(b.charge(0)), "201 charge 1 replayed")
				a.wantCharges(1)
				b.wantCharges(0)
			})
		}
	}
}

func TestUnrecordedAnswersAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := newBench(t, nil, idem.WithUnrecordedLimit(4))
		a.store.set(on("complete", refuse))
		a.want(a.run(a.charge(0)), "201 charge 1")
		a.want(a.run(a.charge(0)), "response-not-retained")
		a.store.set(nil)
		time.Sleep(2 * time.Second)
		a.want(a.run(a.charge(0)), "response-not-retained")
		a.wantCharges(1)
	})
}

// The store loses the record while others wait: they do not take the key before
// the lease that they have seen is over, and the owner writes it again by then.
func TestAWaiterOutlastsALostRecord(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, b := twoEngines(t, func(c *idem.Contract) { c.OnStoreError = idem.RunUnprotected })
		first := a.start(a.charge(25 * time.Second))
		synctest.Wait()
		waiting := b.start(b.charge(0))
		time.Sleep(time.Second)
		empty := memstore.New(memstore.Config{}) // restarted, and knows nothing
		a.store.swap(empty)
		b.store.swap(empty)
		a.want(<-first, "201 charge 1")
		b.want(<-waiting, "201 charge 1 replayed")
		b.wantCharges(0)
	})
	synctest.Test(t, func(t *testing.T) {
		dead, b := twoEngines(t, nil)
		lost := dead.start(dead.charge(time.Hour))
		synctest.Wait()
		waiting := b.start(b.charge(0))
		time.Sleep(time.Second)
		die(dead)
		b.store.swap(memstore.New(memstore.Config{}))
		began := time.Now()
		b.want(<-waiting, "201 charge 1")
		if took := time.Since(began).Round(time.Second); took != 29*time.Second {
			t.Errorf("taken after %v, want what was left of the lease: 29s", took)
		}
		dead.store.set(nil)
		<-lost
	})
}

// A renewal of a record that the store has lost writes it again.
func TestALostRecordIsRenewed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := newBench(t, nil)
		first := a.start(a.charge(25 * time.Second))
		synctest.Wait()
		empty := memstore.New(memstore.Config{})
		a.store.swap(empty) // failed over to one that knows nothing
		time.Sleep(11 * time.Second)
		b := newBenchOn(t, empty, nil)
		b.want(b.run(b.charge(0)), "201 charge 1 replayed")
		a.want(<-first, "201 charge 1")
	})
}

func TestCloseWaitsForUnrecordedAnswers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := &faultStore{Store: memstore.New(memstore.Config{})}
		engine := idem.New(store, idem.WithLogger(nil))
		op := engine.MustOperation(payment)
		store.set(on("complete", refuse))
		if _, err := op.Run(t.Context(), call("key-1", 1), func(context.Context) (idem.WriteFunc, error) { return answering(201, "x"), nil }); err != nil {
			t.Fatal(err)
		}
		closed := make(chan error)
		go func() { closed <- engine.Close(t.Context()) }()
		synctest.Wait()
		select {
		case err := <-closed:
			t.Fatalf("Close returned %v with an answer unrecorded", err)
		default:
		}
		store.set(nil)
		if err := <-closed; err != nil {
			t.Errorf("Close: %v", err)
		}
		_, err := op.Run(t.Context(), call("key-1", 1), failing)
		if idem.CodeOf(err) != idem.CodeStoreUnavailable {
			t.Errorf("after Close: %v, want store-unavailable", err)
		}
	})
}

func TestCloseGivesUpWithItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		engine := idem.New(memstore.New(memstore.Config{}), idem.WithLogger(nil))
		op := engine.MustOperation(payment)
		done := make(chan struct{})
		go op.Run(t.Context(), call("key-1", 1), func(context.Context) (idem.WriteFunc, error) { <-done; return nil, nil })
		waiting := make(chan error)
		synctest.Wait()
		go func() { _, err := op.Run(t.Context(), call("key-1", 1), failing); waiting <- err }()
		synctest.Wait()
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := engine.Close(ctx); err == nil {
			t.Error("Close returned nil with a handler running")
		}
		if err := <-waiting; idem.CodeOf(err) != idem.CodeInProgress {
			t.Errorf("a waiter got %v, want in-progress", err)
		}
		close(done)
	})
}

func TestAFullStoreRefusesWhateverTheContractSays(t *testing.T) {
	a := newBenchOn(t, memstore.New(memstore.Config{MaxRecords: 1}), func(c *idem.Contract) { c.OnStoreError = idem.RunUnprotected })
	a.want(a.run(a.charge(0)), "201 charge 1")
	_, err := a.op.Run(t.Context(), call("key-2", 1), a.charge(0))
	a.want(outcome{err: err}, "store-unavailable")
	a.want(a.run(a.charge(0)), "201 charge 1 replayed")
}

// The store takes no answer, for want of memory say, but renewals: the key stays
// its owner's.
func TestAnUnrecordedAnswerKeepsItsKey(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, b := twoEngines(t, func(c *idem.Contract) { c.InFlight = idem.Reject })
		a.store.set(on("complete", refuse))
		a.want(a.run(a.charge(0)), "201 charge 1")
		for range 5 {
			time.Sleep(20 * time.Second)
			b.want(b.run(b.charge(0)), "in-progress")
		}
		a.store.set(nil)
		time.Sleep(2 * time.Second)
		b.want(b.run(b.charge(0)), "201 charge 1 replayed")
	})
}

func TestCloseClosesTheStore(t *testing.T) {
	broken := errors.New("cannot close")
	store := &closingStore{Store: memstore.New(memstore.Config{}), err: broken}
	engine := idem.New(store, idem.WithLogger(nil))
	if err := engine.Close(t.Context()); !errors.Is(err, broken) || store.closed != 1 {
		t.Errorf("Close: %v, the store was closed %d times", err, store.closed)
	}
}

type closingStore struct {
	idem.Store
	closed int
	err    error
}

func (s *closingStore) Close() error {
	s.closed++
	return s.err
}
