package suite

import (
	"compress/gzip"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func firstAnswer(t *testing.T, s *Subject) {
	a := s.do(t, payment("k", "o1"))
	if a.Status != http.StatusCreated || a.Replayed || a.Header.Get("Location") != "/payments/1" || a.Header.Get("X-Rate-Remaining") != "9" {
		t.Errorf("answer %d %v %s", a.Status, a.Header, a.Body)
	}
	if !strings.HasPrefix(a.Header.Get("Content-Type"), "application/json") || !strings.Contains(a.Body, `"amount":9007199254740993`) {
		t.Errorf("%s %s", a.Header.Get("Content-Type"), a.Body)
	}
	s.effects(t, 1)
}

func replay(t *testing.T, s *Subject) {
	first := s.do(t, payment("k", "o1"))
	replays(t, first, s.do(t, payment("k", "o1")))
	replays(t, first, s.do(t, payment(`"k";v=1`, "o1")))
	s.effects(t, 1)
	if other := s.do(t, payment("k2", "o1")); other.Replayed || other.Body == first.Body {
		t.Errorf("another key: %s", other.Body)
	}
	s.effects(t, 2)
}

func keptFailure(t *testing.T, s *Subject) {
	first := s.do(t, payment("k", Decline))
	if first.Status != http.StatusPaymentRequired {
		t.Fatalf("answer %d %s", first.Status, first.Body)
	}
	replays(t, first, s.do(t, payment("k", Decline)))
	s.effects(t, 1)
}

func noContent(t *testing.T, s *Subject) {
	r := request{method: http.MethodDelete, path: "/payments/7?request_id=6ba7b810-9dad-11d1-80b4-00c04fd430c8", header: http.Header{}}
	first := s.do(t, r)
	if first.Status != http.StatusNoContent || first.Header.Get("X-Refund") == "" || first.Body != "" {
		t.Fatalf("answer %d %v %q", first.Status, first.Header, first.Body)
	}
	r.path = strings.Replace(r.path, "6ba7b810", "6BA7B810", 1)
	replays(t, first, s.do(t, r))
	s.effects(t, 1)
}

func headerLines(t *testing.T, s *Subject) {
	first := s.do(t, post("/payments/7/note", "k", `{"order":"o1","amount":1}`))
	if diff := cmp.Diff(Links(), first.Header.Values("Link")); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{MiddlewareValue}, first.Header.Values(MiddlewareHeader)); diff != "" {
		t.Error(diff)
	}
	vary := strings.Join(first.Header.Values("Vary"), ",")
	if !strings.Contains(vary, "Accept") || !strings.Contains(vary, MiddlewareVary) {
		t.Errorf("Vary: %s", vary)
	}
	replays(t, first, s.do(t, post("/payments/7/note", "k", `{"amount":1,"order":"o1"}`)))
}

func text(t *testing.T, s *Subject) {
	first := s.do(t, post("/payments/7/note", "k", `{"order":"o1","amount":1}`))
	if !strings.HasPrefix(first.Header.Get("Content-Type"), "text/plain") || first.Body != "effect 1 <&> of alice" {
		t.Errorf("%s %q", first.Header.Get("Content-Type"), first.Body)
	}
	replays(t, first, s.do(t, post("/payments/7/note", "k", `{"order":"o1","amount":1}`)))
	s.effects(t, 1)
}

func compressed(t *testing.T, s *Subject) {
	first := s.do(t, post("/payments/7/receipt", "k", ""))
	if first.Header.Get("Content-Encoding") != "gzip" || first.Header.Get("Content-Type") != "application/pdf" {
		t.Errorf("header %v", first.Header)
	}
	r, err := gzip.NewReader(strings.NewReader(first.Body))
	if err != nil {
		t.Fatal(err)
	}
	if document, err := io.ReadAll(r); err != nil || string(document) != "receipt 7: effect 1 <&>" {
		t.Errorf("document %q, error %v", document, err)
	}
	replays(t, first, s.do(t, post("/payments/7/receipt", "k", "")))
	s.effects(t, 1)
}

func tooLarge(t *testing.T, s *Subject) {
	first := s.do(t, post("/payments/1001/receipt", "k", ""))
	if first.Status != http.StatusOK || len(first.Body) < 50_000 {
		t.Errorf("answer %d of %d bytes", first.Status, len(first.Body))
	}
	if r, err := gzip.NewReader(strings.NewReader(first.Body)); err != nil {
		t.Error(err)
	} else if _, err := io.Copy(io.Discard, r); err != nil {
		t.Error(err)
	}
	refused(t, s.do(t, post("/payments/1001/receipt", "k", "")), http.StatusConflict, "response-not-retained")
	s.effects(t, 1)
}
