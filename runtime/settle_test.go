package runtime_test

import (
	"context"
	"errors"
	"net/http"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	idem "github.com/idemgen/idemgen/runtime"
	"github.com/idemgen/idemgen/runtime/memstore"
)

func TestAReplayGivesTheFirstAnswerUntilItsTTL(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, b := twoEngines(t, nil)
		a.want(a.run(a.charge(0)), "201 charge 1")
		time.Sleep(59 * time.Minute)
		a.want(a.run(a.charge(0)), "201 charge 1 replayed")
		b.want(b.run(b.charge(0)), "201 charge 1 replayed")
		time.Sleep(2 * time.Minute)
		a.want(a.run(a.charge(0)), "201 charge 2")
	})
}

func TestAnErrorReleasesTheKey(t *testing.T) {
	a := newBench(t, nil)
	a.want(a.run(failing), "error: provider failed")
	a.want(a.run(a.charge(0)), "201 charge 1")
	a.want(a.run(a.charge(0)), "201 charge 1 replayed")
}

func TestAnAnswerThatIsNotRememberedReleasesTheKey(t *testing.T) {
	a := newBench(t, func(c *idem.Contract) { c.Remember = []idem.StatusRange{{From: 201, To: 201}, {From: 402, To: 402}} })
	bad := func(context.Context) (idem.WriteFunc, error) { return answering(502, "bad gateway"), nil }
	declined := func(context.Context) (idem.WriteFunc, error) { return answering(402, "declined"), nil }
	a.want(a.run(bad), "502 bad gateway")
	a.want(a.run(declined), "402 declined")
	a.want(a.run(a.charge(0)), "402 declined replayed")
	a.wantCharges(0)
}

func TestAnAnswerWhoseWritingFailsIsNeverRunAgain(t *testing.T) {
	broken := errors.New("reader broke")
	for name, write := range map[string]idem.WriteFunc{
		"error": func() (*idem.Answer, error) { return nil, broken },
		"panic": func() (*idem.Answer, error) { panic(broken) },
	} {
		t.Run(name, func(t *testing.T) {
			a := newBench(t, nil)
			func() {
				defer func() {
					if r := recover(); r != nil && r != any(broken) {
						t.Errorf("recovered %v, want the panic as it was", r)
					}
				}()
				got := a.run(func(context.Context) (idem.WriteFunc, error) { return write, nil })
				a.want(got, "error: reader broke")
			}()
			a.want(a.run(a.charge(0)), "response-not-retained")
			a.wantCharges(0)
			a.wantEvents(idem.NotRetained, 1)
		})
	}
}

func TestPanicsPassThroughAndReleaseTheKey(t *testing.T) {
	for _, value := range []any{"boom", http.ErrAbortHandler} {
		a := newBench(t, nil)
		func() {
			defer func() {
				if r := recover(); r != value {
					t.Errorf("recovered %v, want %v itself", r, value)
				}
			}()
			a.run(func(context.Context) (idem.WriteFunc, error) { panic(value) })
		}()
		a.want(a.run(a.charge(0)), "201 charge 1")
	}
}

func TestGoexitReleasesTheKey(t *testing.T) {
	a := newBench(t, nil)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		a.run(func(context.Context) (idem.WriteFunc, error) { runtime.Goexit(); return nil, nil })
		t.Error("Run returned after Goexit")
	}()
	<-ended
	a.want(a.run(a.charge(0)), "201 charge 1")
}

func TestAPanicHoldsTheKeyUnderHold(t *testing.T) {
	a := newBench(t, func(c *idem.Contract) { c.OnCrash = idem.Hold })
	func() {
		defer func() { recover() }()
		a.run(func(context.Context) (idem.WriteFunc, error) { panic("boom") })
	}()
	a.want(a.run(a.charge(0)), "outcome-unknown")
	a.wantEvents(idem.KeyHeld, 1)
	a.want(a.run(failing), "outcome-unknown")
}

func TestALargeAnswerIsDeliveredButNotKept(t *testing.T) {
	a := newBench(t, func(c *idem.Contract) { c.MaxResponseBytes = 10 })
	large := func(context.Context) (idem.WriteFunc, error) { return answering(201, strings.Repeat("x", 11)), nil }
	a.want(a.run(large), "201 xxxxxxxxxxx")
	a.want(a.run(a.charge(0)), "response-not-retained")
	fits := newBench(t, func(c *idem.Contract) { c.MaxResponseBytes = 10 })
	fits.want(fits.run(func(context.Context) (idem.WriteFunc, error) { return answering(201, strings.Repeat("x", 10)), nil }), "201 xxxxxxxxxx")
	fits.want(fits.run(fits.charge(0)), "201 xxxxxxxxxx replayed")
}

func TestNilIsAnEmptyAnswer(t *testing.T) {
	a := newBench(t, nil)
	a.want(a.run(func(context.Context) (idem.WriteFunc, error) { return nil, nil }), "200 ")
	a.want(a.run(a.charge(0)), "200  replayed")
}

func TestTheHandlerOutlivesItsClientUnderFinish(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := newBench(t, nil)
		ctx, leave := context.WithCancel(t.Context())
		first := a.startAs(ctx, a.charge(300*time.Millisecond))
		time.Sleep(50 * time.Millisecond)
		leave()
		retry := a.start(a.charge(0))
		a.want(<-retry, "201 charge 1 replayed")
		a.want(<-first, "201 charge 1")
	})
}

func TestTheHandlerIsCancelledWithItsClientUnderCancel(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := newBench(t, func(c *idem.Contract) { c.OnDisconnect = idem.Cancel })
		ctx, leave := context.WithCancel(t.Context())
		first := a.startAs(ctx, a.charge(300*time.Millisecond))
		time.Sleep(50 * time.Millisecond)
		leave()
		a.want(<-first, "error: context canceled")
		a.want(a.run(a.charge(0)), "201 charge 2")
	})
}

func TestTheRequestsDeadlineStays(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := newBench(t, nil)
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		a.want(a.runAs(ctx, a.charge(time.Minute)), "error: context deadline exceeded")
		a.want(a.run(a.charge(0)), "201 charge 2")
	})
}

func TestMaxRunBoundsAHandler(t *testing.T) {
	for _, crash := range []idem.OnCrash{idem.Rerun, idem.Hold} {
		synctest.Test(t, func(t *testing.T) {
			a := newBench(t, func(c *idem.Contract) { c.MaxRun, c.OnCrash = 2*time.Minute, crash })
			began := time.Now()
			a.want(a.run(a.charge(time.Hour)), "error: idem: handler ran longer than maxRun")
			if took := time.Since(began); took != 2*time.Minute {
				t.Errorf("the handler was cancelled after %v, want 2m", took)
			}
			want := "201 charge 2"
			if crash == idem.Hold {
				want = "outcome-unknown"
			}
			a.want(a.run(a.charge(0)), want)
		})
	}
}

// A handler that does not heed its context stops being renewed at maxRun.
func TestAHungHandlerLosesItsKeyAfterMaxRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, b := twoEngines(t, func(c *idem.Contract) { c.MaxRun = 2 * time.Minute })
		release := make(chan struct{})
		first := a.start(func(context.Context) (idem.WriteFunc, error) { <-release; return answering(201, "late"), nil })
		synctest.Wait()
		time.Sleep(2*time.Minute + 31*time.Second)
		b.want(b.run(b.charge(0)), "201 charge 1")
		close(release)
		a.want(<-first, "201 charge 1 replayed")
		a.wantEvents(idem.LeaseLost, 1)
	})
}

// What settles a key is sent whether its client is still there or not.
func TestTheKeyIsSettledAfterItsClientLeft(t *testing.T) {
	for name, c := range map[string]struct{ end, next string }{
		"completed": {end: "201 done", next: "201 done replayed"},
		"released":  {end: "error: provider failed", next: "201 charge 1"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				a, b := twoEngines(t, nil)
				ctx, leave := context.WithCancel(t.Context())
				first := a.startAs(ctx, func(context.Context) (idem.WriteFunc, error) {
					leave()
					if name == "released" {
						return nil, errProvider
					}
					return answering(201, "done"), nil
				})
				a.want(<-first, c.end)
				began := time.Now()
				b.want(b.run(b.charge(0)), c.next)
				if took := time.Since(began); took > 0 {
					t.Errorf("the next request waited %v", took)
				}
				a.wantEvents(idem.CompleteFailed, 0)
			})
		})
	}
}

// A renewal whose reply was not seen arrives long after its key was given back:
// the tombstone keeps it from taking the key again.
func TestARenewalThatArrivesLate(t *testing.T) {
	for _, policy := range []idem.InFlight{idem.Wait, idem.Reject} {
		synctest.Test(t, func(t *testing.T) {
			store := &lateRenewStore{Store: memstore.New(memstore.Config{})}
			a := newBenchOn(t, store, func(c *idem.Contract) { c.InFlight = policy })
			b := newBenchOn(t, store.Store, func(c *idem.Contract) { c.InFlight = policy })
			first := a.start(func(context.Context) (idem.WriteFunc, error) {
				time.Sleep(11 * time.Second)
				return nil, errProvider
			})
			a.want(<-first, "error: provider failed")
			time.Sleep(30 * time.Second)
			store.late()
			began := time.Now()
			b.want(b.run(b.charge(0)), "201 charge 1")
			if took := time.Since(began); took > 0 {
				t.Errorf("%s: the next request waited %v for a renewal of nobody", policy, took)
			}
		})
	}
}

// A lateRenewStore keeps a renewal and does it when late is called.
type lateRenewStore struct {
	idem.Store
	late func()
}

func (s *lateRenewStore) Renew(_ context.Context, k idem.StoreKey, r *idem.Record) (idem.Reply, error) {
	s.late = func() { s.Store.Renew(context.Background(), k, r) }
	return idem.Reply{}, errLost
}

// The number of the attempt grows over crashes and releases, as long as the store
// has a trace of the key.
func TestTheAttemptNumberGrows(t *testing.T) {
	for _, policy := range []idem.InFlight{idem.Wait, idem.Reject} {
		synctest.Test(t, func(t *testing.T) {
			dead, b := twoEngines(t, func(c *idem.Contract) { c.InFlight = policy })
			lost := dead.start(dead.charge(time.Hour))
			synctest.Wait()
			die(dead)
			time.Sleep(31 * time.Second)
			for want := uint32(2); want < 5; want++ {
				b.want(b.run(failing), "error: provider failed")
				if got := b.last[idem.Executed].Attempt; got != want {
					t.Errorf("%s: attempt %d, want %d", policy, got, want)
				}
				time.Sleep(30 * time.Second)
			}
			dead.store.set(nil)
			<-lost
		})
	}
}
