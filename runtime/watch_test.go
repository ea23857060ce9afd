package runtime_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	idem "github.com/idemgen/idemgen/runtime"
	"github.com/idemgen/idemgen/runtime/memstore"
)

// A change between the reading of a record and the watching of its key would be
// missed, were it not read again as soon as it is watched.
func TestAWaiterReadsAgainOnceItWatches(t *testing.T) {
	for end, want := range map[string]string{
		"completed": "201 done replayed",
		"released":  "201 charge 1",
	} {
		t.Run(end, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				store := &lateWatchStore{Store: memstore.New(memstore.Config{}), before: make(chan struct{}), watch: make(chan struct{})}
				a, b := newBenchOn(t, store, nil), newBenchOn(t, store, nil)
				finish := make(chan struct{})
				first := a.start(func(context.Context) (idem.WriteFunc, error) {
					<-finish
					if end == "released" {
						return nil, errProvider
					}
					return answering(201, "done"), nil
				})
				synctest.Wait()
				waiting := b.start(b.charge(0))
				<-store.before // it has read that the key is in flight
				close(finish)
				<-first
				began := time.Now()
				close(store.watch)
				b.want(<-waiting, want)
				if took := time.Since(began); took > 0 {
					t.Errorf("a waiter missed the change and learned of it %v later", took)
				}
			})
		})
	}
}

// A lateWatchStore tells when it is about to watch, and does not until told to.
type lateWatchStore struct {
	idem.Store
	before, watch chan struct{}
}

func (s *lateWatchStore) Watch(key idem.StoreKey) (<-chan struct{}, func()) {
	close(s.before)
	<-s.watch
	return s.Store.Watch(key)
}

// Who has found a dead owner's record and fails to take the key over has seen it
// in flight: it never runs on the store's error.
func TestAFailedTakeoverNeverRuns(t *testing.T) {
	for _, policy := range []idem.InFlight{idem.Wait, idem.Reject} {
		for _, f := range []fault{loseRequest, loseReply, refuse, hang} {
			synctest.Test(t, func(t *testing.T) {
				dead, b := twoEngines(t, func(c *idem.Contract) {
					c.InFlight, c.OnStoreError = policy, idem.RunUnprotected
				})
				lost := dead.start(dead.charge(time.Hour))
				synctest.Wait()
				die(dead)
				time.Sleep(31 * time.Second)
				b.store.set(on("takeover", f))
				b.want(b.run(b.charge(0)), "in-progress")
				b.wantCharges(0)
				b.store.set(nil)
				time.Sleep(31 * time.Second)
				b.want(b.run(b.charge(0)), "201 charge 1")
				dead.store.set(nil)
				<-lost
			})
		}
	}
}
