package storetest

import (
	"context"
	"errors"
	"io"
	"sync"
	"time"

	idem "github.com/idemgen/idemgen/runtime"
)

// ctx is short for the type of the first argument of every step.
type ctx = context.Context

// returnLimit is how long after the end of its context a step may return.
const returnLimit = time.Second

func storeChecks() []check {
	return []check{
		{"returns soon when a context is over before the call", storeReturnsFromEndedContext},
		{"takes calls from many at once", storeTakesManyCalls},
		{"returns errors when it is closed", storeFailsWhenClosed},
	}
}

func storeReturnsFromEndedContext(s *subject) {
	over, cancel := context.WithCancel(context.Background())
	cancel()
	s.everyStep(func(name string, step func(ctx) (idem.Reply, error)) {
		start := time.Now()
		step(over)
		if after := time.Since(start); after > returnLimit {
			s.Errorf("%s returned after %v", name, after)
		}
	})
}

func storeTakesManyCalls(s *subject) {
	var wg sync.WaitGroup
	errs := make(chan error, 8)
	for range cap(errs) {
		wg.Go(func() { errs <- s.oneLife() })
	}
	wg.Wait()
	close(errs)
	for err := range errs {
		if err != nil {
			s.Error(err)
		}
	}
}

func storeFailsWhenClosed(s *subject) {
	closer, ok := s.store.(io.Closer)
	if !ok {
		s.Skip("the store does not implement io.Closer")
	}
	changed, stop := s.store.Watch(s.newKey())
	s.told(changed)
	if err := closer.Close(); err != nil {
		s.Fatal(err)
	}
	stop()
	s.everyStep(func(name string, step func(ctx) (idem.Reply, error)) {
		if _, err := step(s.ctx); err == nil {
			s.Errorf("%s: no error", name)
		}
	})
	_, stop = s.store.Watch(s.newKey())
	stop()
}

// everyStep calls do for each step of the store, with a key of its own.
func (s *subject) everyStep(do func(name string, step func(ctx) (idem.Reply, error))) {
	key, r := s.newKey(), newPending(long, long)
	do("Claim", func(c ctx) (idem.Reply, error) { return s.store.Claim(c, key, r) })
	do("Takeover", func(c ctx) (idem.Reply, error) { return s.store.Takeover(c, key, r, next(r)) })
	do("Renew", func(c ctx) (idem.Reply, error) { return s.store.Renew(c, key, r) })
	do("Complete", func(c ctx) (idem.Reply, error) { return s.store.Complete(c, key, done(r)) })
	do("Release", func(c ctx) (idem.Reply, error) { return s.store.Release(c, key, released(r), true) })
	do("Load", func(c ctx) (idem.Reply, error) { return s.store.Load(c, key) })
}

// oneLife takes a key through its whole life a few times.
func (s *subject) oneLife() error {
	for range 20 {
		key, r := s.newKey(), newPending(long, long)
		for _, step := range []func() (idem.Reply, error){
			func() (idem.Reply, error) { return s.store.Claim(s.ctx, key, r) },
			func() (idem.Reply, error) { return s.store.Renew(s.ctx, key, r) },
			func() (idem.Reply, error) { return s.store.Release(s.ctx, key, released(r), true) },
			func() (idem.Reply, error) { return s.store.Takeover(s.ctx, key, r, next(r)) },
			func() (idem.Reply, error) { return s.store.Load(s.ctx, key) },
		} {
			if _, err := step(); err != nil {
				return err
			}
		}
	}
	return nil
}

// returnsFromHanging checks a store whose backend does not answer.
func returnsFromHanging(s *subject) {
	contexts := map[string]func() (ctx, context.CancelFunc){
		"deadline": func() (ctx, context.CancelFunc) {
			return context.WithTimeout(context.Background(), short)
		},
		"cancel": func() (ctx, context.CancelFunc) {
			c, cancel := context.WithCancel(context.Background())
			timer := time.AfterFunc(short, cancel)
			return c, func() { timer.Stop(); cancel() }
		},
		"cancel before a deadline": func() (ctx, context.CancelFunc) {
			c, cancel := context.WithTimeout(context.Background(), time.Minute)
			timer := time.AfterFunc(short, cancel)
			return c, func() { timer.Stop(); cancel() }
		},
	}
	for kind, newContext := range contexts {
		s.everyStep(func(name string, step func(ctx) (idem.Reply, error)) {
			c, cancel := newContext()
			defer cancel()
			start := time.Now()
			_, err := step(c)
			if after := time.Since(start); after > short+returnLimit {
				s.Errorf("%s returned %v after the call, its context ended after %v (%s)", name, after, short, kind)
			}
			if err == nil || errors.Is(err, idem.ErrFull) || errors.Is(err, idem.ErrUnreadable) {
				s.Errorf("%s: error %v, want one that says that the outcome is unknown or nothing", name, err)
			}
		})
	}
}
