package nethttp

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	idem "github.com/idemgen/idemgen/runtime"
)

// An answer that an operator settled a key with may have its lines in any order.
func TestReplyOfUnsortedLines(t *testing.T) {
	w := httptest.NewRecorder()
	w.Header().Set("Link", "outer")
	reply := replyOf(&idem.Answer{Status: 201, Body: []byte("x"), Header: []idem.HeaderLine{
		{Name: "Link", Value: "a"}, {Name: "X-Other", Value: "o"}, {Name: "Link", Value: "b"}, {Name: "Vary", Value: "Accept"},
	}})
	if err := reply.Visit(w); err != nil {
		t.Fatal(err)
	}
	want := http.Header{"Link": {"a", "b"}, "X-Other": {"o"}, "Vary": {"Accept"}}
	if diff := cmp.Diff(want, w.Header()); diff != "" {
		t.Errorf("header (-want +got):\n%s", diff)
	}
	if w.Code != 201 || w.Body.String() != "x" {
		t.Errorf("status %d, body %q", w.Code, w.Body)
	}
}

// An answer that may have no body is not given one, whoever settled it so.
func TestReplyWithoutBody(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if err := replyOf(&idem.Answer{Status: http.StatusNoContent, Body: []byte("x")}).Visit(w); err != nil {
			t.Error(err)
		}
	}))
	defer server.Close()
	if got := wire(t, server, "POST", "", ""); !strings.HasPrefix(got, "HTTP/1.1 204 ") || strings.HasSuffix(got, "x") {
		t.Error(got)
	}
}
