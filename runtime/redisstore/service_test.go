package redisstore_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	idem "github.com/idemgen/idemgen/runtime"
)

// A service is an engine with requests to run on it.
type service struct {
	t      *testing.T
	engine *idem.Engine
	calls  int
}

func newService(t *testing.T, store idem.Store) *service {
	return &service{t: t, engine: idem.New(store, idem.WithLogger(nil))}
}

// call runs a request, and returns its answer in one line. A key of "" is a new
// one.
func (s *service) call(policy idem.OnStoreError, key, body string, takes time.Duration) string {
	s.t.Helper()
	if s.calls++; key == "" {
		key = fmt.Sprint("key-", s.calls)
	}
	op := s.engine.MustOperation(idem.Contract{API: "Outage", Operation: string(policy), OnStoreError: policy,
		TTL: time.Minute, Lease: time.Minute})
	result, err := op.Run(s.t.Context(), idem.Call{Key: idem.KeyOf(key)}, func(context.Context) (idem.WriteFunc, error) {
		time.Sleep(takes)
		return func() (*idem.Answer, error) { return &idem.Answer{Status: 201, Body: []byte(body)}, nil }, nil
	})
	if err != nil {
		if e, ok := errors.AsType[*idem.Error](err); ok && e.Code == idem.CodeStoreUnavailable {
			return "503"
		}
		return err.Error()
	}
	line := fmt.Sprint(result.Answer.Status, " ", string(result.Answer.Body))
	if result.Unprotected {
		line += " unprotected"
	}
	if result.Replayed {
		line += " replayed"
	}
	return line
}

func (s *service) want(want, got string) {
	s.t.Helper()
	if got != want {
		s.t.Fatalf("answer %q, want %q", got, want)
	}
}

// within checks the answers of some requests, and how long the fastest took: a
// machine that is busy may hold up others.
func (s *service) within(calls int, limit time.Duration, want string, policy idem.OnStoreError, takes time.Duration) {
	s.t.Helper()
	fastest := time.Hour
	for range calls {
		began := time.Now()
		s.want(want, s.call(policy, "", "x", takes))
		fastest = min(fastest, time.Since(began))
	}
	if fastest > limit {
		s.t.Errorf("%q took %v, want %v", want, fastest, limit)
	}
}
