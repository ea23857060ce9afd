package proof

import (
	"context"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"

	idem "github.com/idemgen/idemgen/runtime"
	"github.com/idemgen/idemgen/runtime/memstore"
)

// brokenStores are stores that break one rule each. They are built on a store
// that keeps them all, with more than one of its steps, so they work on any.
var brokenStores = map[string]func(idem.Store) idem.Store{
	"complete without the token check": func(s idem.Store) idem.Store { return anyonesComplete{s} },
	"release without the token check":  func(s idem.Store) idem.Store { return anyonesRelease{s} },
	"renew without the token check":    func(s idem.Store) idem.Store { return anyonesRenew{s} },
	"claim that forgets its own token": func(s idem.Store) idem.Store { return forgetfulClaim{s} },
	"claim that reads, then writes":    func(s idem.Store) idem.Store { return twoStepClaim{s} },
	"takeover without the lease":       func(s idem.Store) idem.Store { return earlyTakeover{s} },
	"takeover without the record seen": func(s idem.Store) idem.Store { return blindTakeover{s} },
	"takeover of nothing":              func(s idem.Store) idem.Store { return takeoverOfNothing{s} },
	"release without tombstones":       func(s idem.Store) idem.Store { return tracelessRelease{s} },
	"completion of what vanished":      func(s idem.Store) idem.Store { return timidComplete{s} },
	"renewal that does not renew":      func(s idem.Store) idem.Store { return idleRenew{s} },
	"completion that denies itself":    func(s idem.Store) idem.Store { return lyingStore{s} },
}

// needsShortLeases are those whose fault long leases never show.
var needsShortLeases = map[string]bool{
	"takeover without the record seen": true,
	"renewal that does not renew":      true,
}

// TestBrokenMemstoresAreRejected shows that the check finds what it looks for.
func TestBrokenMemstoresAreRejected(t *testing.T) {
	t.Parallel()
	for name, broken := range brokenStores {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := fakeTimeWorkloads["long leases"]
			if needsShortLeases[name] {
				w = fakeTimeWorkloads["short leases"]
			}
			mustBeRejected(t, func(seed uint64) porcupine.CheckResult {
				return fakeHistory(t, w, seed, broken(memstore.New(memstore.Config{})), false).check(0)
			})
		})
	}
}

// mustBeRejected fails the test where no history is rejected.
func mustBeRejected(t *testing.T, check func(seed uint64) porcupine.CheckResult) {
	t.Helper()
	const most = 200
	for seed := range uint64(most) {
		if check(seed) == porcupine.Illegal {
			t.Logf("rejected at history %d", seed+1)
			return
		}
	}
	t.Errorf("none of %d histories was rejected", most)
}

// put writes record in place of what has a key, unless that is done.
func put(ctx context.Context, s idem.Store, k idem.StoreKey, has, record *idem.Record) (idem.Reply, error) {
	if has != nil && has.State == idem.Released {
		return s.Takeover(ctx, k, has, record)
	}
	if has != nil {
		s.Release(ctx, k, in(idem.Released, has), false)
	}
	return s.Claim(ctx, k, record)
}

type anyonesComplete struct{ idem.Store }

func (s anyonesComplete) Complete(ctx context.Context, k idem.StoreKey, r *idem.Record) (idem.Reply, error) {
	reply, err := s.Store.Complete(ctx, k, r)
	if err == nil && !reply.Accepted {
		return put(ctx, s.Store, k, reply.Record, r)
	}
	return reply, err
}

type anyonesRelease struct{ idem.Store }

func (s anyonesRelease) Release(ctx context.Context, k idem.StoreKey, r *idem.Record, trace bool) (idem.Reply, error) {
	reply, err := s.Store.Release(ctx, k, r, trace)
	if err == nil && !reply.Accepted {
		return s.Store.Release(ctx, k, in(idem.Released, reply.Record), trace)
	}
	return reply, err
}

type anyonesRenew struct{ idem.Store }

func (s anyonesRenew) Renew(ctx context.Context, k idem.StoreKey, r *idem.Record) (idem.Reply, error) {
	reply, err := s.Store.Renew(ctx, k, r)
	if err == nil && !reply.Accepted {
		return put(ctx, s.Store, k, reply.Record, r)
	}
	return reply, err
}

type forgetfulClaim struct{ idem.Store }

func (s forgetfulClaim) Claim(ctx context.Context, k idem.StoreKey, r *idem.Record) (idem.Reply, error) {
	if has, err := s.Store.Load(ctx, k); err != nil || has.Record != nil {
		return has, err
	}
	return s.Store.Claim(ctx, k, r)
}

type twoStepClaim struct{ idem.Store }

func (s twoStepClaim) Claim(ctx context.Context, k idem.StoreKey, r *idem.Record) (idem.Reply, error) {
	if has, err := s.Store.Load(ctx, k); err != nil || has.Record != nil && has.Record.Token != r.Token {
		return has, err
	}
	time.Sleep(time.Millisecond)
	reply, err := s.Store.Claim(ctx, k, r)
	if err == nil && !reply.Accepted {
		return put(ctx, s.Store, k, reply.Record, r)
	}
	return reply, err
}

type earlyTakeover struct{ idem.Store }

func (s earlyTakeover) Takeover(ctx context.Context, k idem.StoreKey, seen, r *idem.Record) (idem.Reply, error) {
	reply, err := s.Store.Takeover(ctx, k, seen, r)
	if has := reply.Record; err == nil && has != nil && has.State == idem.Pending && has.Token == seen.Token {
		return put(ctx, s.Store, k, has, r)
	}
	return reply, err
}

type blindTakeover struct{ idem.Store }

func (s blindTakeover) Takeover(ctx context.Context, k idem.StoreKey, seen, r *idem.Record) (idem.Reply, error) {
	reply, err := s.Store.Takeover(ctx, k, seen, r)
	if has := reply.Record; err == nil && has != nil && has.Claimable(reply.LeaseLeft) {
		return s.Store.Takeover(ctx, k, has, r)
	}
	return reply, err
}

type takeoverOfNothing struct{ idem.Store }

func (s takeoverOfNothing) Takeover(ctx context.Context, k idem.StoreKey, seen, r *idem.Record) (idem.Reply, error) {
	reply, err := s.Store.Takeover(ctx, k, seen, r)
	if err == nil && !reply.Accepted && reply.Record == nil {
		return s.Store.Claim(ctx, k, r)
	}
	return reply, err
}

type tracelessRelease struct{ idem.Store }

func (s tracelessRelease) Release(ctx context.Context, k idem.StoreKey, r *idem.Record, _ bool) (idem.Reply, error) {
	return s.Store.Release(ctx, k, r, false)
}

type timidComplete struct{ idem.Store }

func (s timidComplete) Complete(ctx context.Context, k idem.StoreKey, r *idem.Record) (idem.Reply, error) {
	if has, err := s.Store.Load(ctx, k); err != nil || has.Record == nil || has.Record.State == idem.Released {
		return has, err
	}
	return s.Store.Complete(ctx, k, r)
}

type idleRenew struct{ idem.Store }

func (s idleRenew) Renew(ctx context.Context, k idem.StoreKey, r *idem.Record) (idem.Reply, error) {
	has, err := s.Store.Load(ctx, k)
	if err == nil && has.Record != nil && has.Record.State == idem.Pending && has.Record.Token == r.Token {
		return idem.Reply{Accepted: true}, nil
	}
	return s.Store.Renew(ctx, k, r)
}

type lyingStore struct{ idem.Store }

func (s lyingStore) Complete(ctx context.Context, k idem.StoreKey, r *idem.Record) (idem.Reply, error) {
	s.Store.Complete(ctx, k, r)
	return idem.Reply{}, idem.ErrNotApplied
}
