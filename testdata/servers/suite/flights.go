package suite

import (
	"context"
	"errors"
	"net/http"
	"testing"

	idem "github.com/idemgen/idemgen/runtime"
)

// drain forgets that somebody asked who calls.
func (s *Subject) drain() {
	for len(s.Desk.Asked) > 0 {
		<-s.Desk.Asked
	}
}

func wait(t *testing.T, s *Subject) {
	first := s.start(t, payment("k", Hold))
	await(t, s.Desk.Working, "the first request works")
	s.drain()
	second := s.start(t, payment("k", Hold))
	await(t, s.Desk.Asked, "the second request arrives")
	refused(t, s.do(t, payment("k", "o2")), http.StatusUnprocessableEntity, "key-reused", "order")
	s.Desk.Resume <- struct{}{}
	replays(t, await(t, first, "first answer"), await(t, second, "second answer"))
	s.effects(t, 1)
}

func reject(t *testing.T, s *Subject) {
	r := post("/payments/reject", "k", `{"order":"hold","amount":1}`)
	first := s.start(t, r)
	await(t, s.Desk.Working, "the first request works")
	second := s.do(t, r)
	refused(t, second, http.StatusConflict, "in-progress")
	if second.Header.Get("Retry-After") == "" {
		t.Errorf("header %v", second.Header)
	}
	s.Desk.Resume <- struct{}{}
	replays(t, await(t, first, "first answer"), s.do(t, r))
	s.effects(t, 1)
}

func runAlso(t *testing.T, s *Subject) {
	r := post("/payments/run", "k", `{"order":"hold","amount":1}`)
	first, second := s.start(t, r), s.start(t, r)
	await(t, s.Desk.Working, "one request works")
	await(t, s.Desk.Working, "both requests work")
	s.Desk.Resume <- struct{}{}
	s.Desk.Resume <- struct{}{}
	a, b := await(t, first, "one answer"), await(t, second, "the other answer")
	if a.Replayed {
		a, b = b, a
	}
	replays(t, a, b)
	s.effects(t, 2)
}

func errorRetry(t *testing.T, s *Subject) {
	first := s.do(t, payment("k", Fail))
	if first.Status != http.StatusInternalServerError || first.Replayed || first.Problem.Name != "" {
		t.Errorf("answer %d %s", first.Status, first.Body)
	}
	second := s.do(t, payment("k", Fail))
	if second.Status != http.StatusCreated || second.Replayed {
		t.Errorf("retry: %d %s", second.Status, second.Body)
	}
	replays(t, second, s.do(t, payment("k", Fail)))
	s.effects(t, 2)
}

// leave sends a request and leaves once the given thing has happened.
func (s *Subject) leave(t *testing.T, r request, once <-chan struct{}) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	gone := make(chan error, 1)
	go func() {
		_, err := s.send(ctx, r)
		gone <- err
	}()
	await(t, once, "the server has the request")
	cancel()
	if err := await(t, gone, "the client leaves"); err == nil {
		t.Error("the client that left got an answer")
	}
}

func clientLeaves(t *testing.T, s *Subject) {
	s.leave(t, payment("k", Hold), s.Desk.Working)
	s.Desk.Resume <- struct{}{}
	s.awaitEvent(t, idem.Executed)
	again := s.do(t, payment("k", Hold))
	if again.Status != http.StatusCreated || !again.Replayed {
		t.Errorf("retry: %d, replayed %t: %s", again.Status, again.Replayed, again.Body)
	}
	s.effects(t, 1)
}

func clientLeavesCancel(t *testing.T, s *Subject) {
	s.leave(t, post("/payments/optional", "k", `{"order":"abort","amount":1}`), s.Desk.Working)
	await(t, s.Desk.Aborted, "the handler's context ends")
}

func waiterLeaves(t *testing.T, s *Subject) {
	first := s.start(t, payment("k", Hold))
	await(t, s.Desk.Working, "the first request works")
	s.drain()
	s.leave(t, payment("k", Hold), s.Desk.Asked)
	if event := s.awaitEvent(t, idem.Rejected); !errors.Is(event.Err, context.Canceled) {
		t.Errorf("the second request ends with %v", event.Err)
	}
	s.Desk.Resume <- struct{}{}
	if a := await(t, first, "first answer"); a.Status != http.StatusCreated || a.Replayed {
		t.Errorf("answer %d %s", a.Status, a.Body)
	}
	s.effects(t, 1)
}
