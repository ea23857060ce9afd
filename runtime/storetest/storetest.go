// Package storetest checks that a store keeps the specification of
// [idem.Store]. Whoever writes a store runs it in that store's tests:
//
//	func TestStore(t *testing.T) {
//		storetest.Run(t, func(t *testing.T) idem.Store { return mystore.New() })
//	}
//
// Every sentence of the specification is a subtest that is named after it.
package storetest

import (
	"testing"

	idem "github.com/idemgen/idemgen/runtime"
)

// Run checks a store. It calls open for each subtest, which run in parallel.
// The stores that open returns may be one and the same, or share what they
// store in: every subtest uses keys of its own, random ones. What open starts
// it ends with t.Cleanup. A store that implements io.Closer is closed in the
// subtest of that name, so each of those must be a new one.
//
// A run takes a few seconds, most of them waiting for lives and leases to end.
func Run(t *testing.T, open func(t *testing.T) idem.Store, opts ...Option) {
	t.Helper()
	var s settings
	for _, opt := range opts {
		opt.apply(&s)
	}
	for _, c := range checks() {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			c.run(newSubject(t, open(t)))
		})
	}
	if s.openHanging != nil {
		t.Run("a step returns soon after its context ends", func(t *testing.T) {
			t.Parallel()
			returnsFromHanging(newSubject(t, s.openHanging(t)))
		})
	}
}

// An Option adds to what [Run] checks.
type Option interface{ apply(*settings) }

type settings struct {
	openHanging func(t *testing.T) idem.Store
}

type optionFunc func(*settings)

func (f optionFunc) apply(s *settings) { f(s) }

// Hanging adds a check with a store whose backend takes calls and does not
// answer them, such as a server that was stopped with SIGSTOP: every step must
// return soon after its context ends.
func Hanging(open func(t *testing.T) idem.Store) Option {
	return optionFunc(func(s *settings) { s.openHanging = open })
}

// A check is one subtest. It fails through its subject.
type check struct {
	name string
	run  func(s *subject)
}

func checks() []check {
	var all []check
	for _, group := range []struct {
		step   string
		checks []check
	}{
		{"claim", claimChecks()},
		{"takeover", takeoverChecks()},
		{"renew", renewChecks()},
		{"complete", completeChecks()},
		{"release", releaseChecks()},
		{"load", loadChecks()},
		{"clock", clockChecks()},
		{"watch", watchChecks()},
		{"store", storeChecks()},
	} {
		for _, c := range group.checks {
			all = append(all, check{group.step + " " + c.name, c.run})
		}
	}
	return all
}
