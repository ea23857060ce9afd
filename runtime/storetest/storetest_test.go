package storetest

import (
	"fmt"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	idem "github.com/idemgen/idemgen/runtime"
)

func TestRun(t *testing.T) {
	Run(t, func(*testing.T) idem.Store { return newModel("") })
}

// TestFaults checks that a store that breaks a rule fails the check of that
// rule.
func TestFaults(t *testing.T) {
	for fault, name := range faults() {
		t.Run(fault, func(t *testing.T) {
			t.Parallel()
			noticed := false
			for _, c := range checks() {
				if strings.HasPrefix(c.name, name) {
					noticed = noticed || fails(t, c, newModel(fault))
				}
			}
			if !noticed {
				t.Errorf("no check whose name begins with %q has failed", name)
			}
		})
	}
}

// fails runs a check and reports whether it fails.
func fails(t *testing.T, c check, store idem.Store) bool {
	r := &recorder{TB: t}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		defer r.cleanUp()
		s := newSubject(r, store)
		s.soon = time.Second
		c.run(s)
	}()
	<-ended
	return r.failed
}

// A recorder is a test that may fail without failing the real one.
type recorder struct {
	testing.TB
	mu       sync.Mutex
	failed   bool
	cleanups []func()
}

func (r *recorder) fail() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.failed = true
}

func (r *recorder) cleanUp() {
	for _, f := range r.cleanups {
		f()
	}
}

func (r *recorder) Cleanup(f func())             { r.cleanups = append(r.cleanups, f) }
func (r *recorder) Error(args ...any)            { r.fail(); r.Log(args...) }
func (r *recorder) Errorf(f string, args ...any) { r.Error(fmt.Sprintf(f, args...)) }
func (r *recorder) Fatal(args ...any)            { r.Error(args...); runtime.Goexit() }
func (r *recorder) Fatalf(f string, args ...any) { r.Fatal(fmt.Sprintf(f, args...)) }
func (r *recorder) Skip(args ...any)             { runtime.Goexit() }
