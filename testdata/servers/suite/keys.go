package suite

import (
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	idem "github.com/idemgen/idemgen/runtime"
)

func otherRequest(t *testing.T, s *Subject) {
	s.do(t, payment("k", "o1"))
	refused(t, s.do(t, payment("k", "o2")), http.StatusUnprocessableEntity, "key-reused", "order")
	other := payment("k", "o1")
	other.path = "/accounts/a2/payments?channel=web"
	refused(t, s.do(t, other), http.StatusUnprocessableEntity, "key-reused", "path.account_id", "query.channel")
	s.effects(t, 1)
}

func otherCaller(t *testing.T, s *Subject) {
	first := s.do(t, payment("k", "o1"))
	if other := s.do(t, payment("k", "o1").with(CallerHeader, "bob")); other.Replayed || other.Body == first.Body {
		t.Errorf("bob gets %s", other.Body)
	}
	refused(t, s.do(t, payment("k", "o1").with(CallerHeader)), http.StatusUnauthorized, "no-principal")
	s.effects(t, 2)
}

func missingKey(t *testing.T, s *Subject) {
	for _, path := range []string{"/accounts/a1/payments", "/payments/reject", "/payments/7/note"} {
		r := post(path, "", `{"order":"o1","amount":1}`).with("Idempotency-Key")
		refused(t, s.do(t, r), http.StatusBadRequest, "missing-key")
	}
	refused(t, s.do(t, request{method: http.MethodDelete, path: "/payments/7"}), http.StatusBadRequest, "missing-key")
	s.effects(t, 0)
}

func malformedKey(t *testing.T, s *Subject) {
	for _, lines := range [][]string{{""}, {"a", "b"}, {"a b"}, {`"a`}, {"\u00e9"}, {strings.Repeat("k", 256)}} {
		a := s.do(t, payment("", "o1").with("Idempotency-Key", lines...))
		if refused(t, a, http.StatusBadRequest, "invalid-key"); t.Failed() {
			t.Fatalf("key %q", lines)
		}
	}
	for _, path := range []string{"/payments/7?request_id=7", "/payments/7?request_id="} {
		refused(t, s.do(t, request{method: http.MethodDelete, path: path}), http.StatusBadRequest, "invalid-key")
	}
	refused(t, s.do(t, post("/payments/optional", "", `{"order":"o1","amount":1}`)), http.StatusBadRequest, "invalid-key")
	s.effects(t, 0)
}

// otherRefusal sends good keys with other faults.
func otherRefusal(t *testing.T, s *Subject) {
	for _, r := range []request{
		post("/payments/seven/note", "k", `{"order":"o1","amount":1}`),
		post("/payments/reject", "k", `{"order":`),
		{method: http.MethodDelete, path: "/payments/seven?request_id=6ba7b810-9dad-11d1-80b4-00c04fd430c8"},
	} {
		if a := s.do(t, r); a.Status != http.StatusBadRequest || a.Problem.Name != "" || a.Body == "" {
			t.Errorf("%s: answer %d %s", r.path, a.Status, a.Body)
		}
	}
	if a := s.do(t, post("/elsewhere", "k", "").with("Idempotency-Key")); a.Status != http.StatusNotFound {
		t.Errorf("no such path: answer %d %s", a.Status, a.Body)
	}
	s.effects(t, 0)
}

func optionalKey(t *testing.T, s *Subject) {
	r := post("/payments/optional", "", `{"order":"o1","amount":1}`).with("Idempotency-Key")
	first, second := s.do(t, r), s.do(t, r)
	for _, a := range []response{first, second} {
		if a.Status != http.StatusCreated || a.Replayed || a.Header.Get("Idempotent-Unprotected") != "true" || a.Header.Get("Location") == "" {
			t.Errorf("answer %d %v %s", a.Status, a.Header, a.Body)
		}
	}
	if first.Body == second.Body {
		t.Errorf("both answers are %s", first.Body)
	}
	s.effects(t, 2)
	r = r.with("Idempotency-Key", "k")
	replays(t, s.do(t, r), s.do(t, r))
	s.effects(t, 3)
}

// handlerContext sends two requests over one connection: what a handler has kept
// of the first must not be overwritten by the second.
func handlerContext(t *testing.T, s *Subject) {
	s.do(t, post("/payments/7/note", "k-1", `{"order":"o1","amount":1}`)) // its text needs the server's own context
	s.do(t, post("/payments/7/note", "k-2", `{"order":"o1","amount":1}`))
	want := []idem.Info{
		{Key: "k-1", Attempt: 1, Operation: "addNote"},
		{Key: "k-2", Attempt: 1, Operation: "addNote"},
	}
	if diff := cmp.Diff(want, s.Desk.Infos()); diff != "" {
		t.Error(diff)
	}
}
