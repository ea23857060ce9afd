package nethttp

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	idem "github.com/idemgen/idemgen/runtime"
)

// serveWith sends one request with the given key to handle.
func serveWith(op *idem.Operation, key idem.Key, handle http.HandlerFunc) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	ServeHTTP(w, httptest.NewRequest("POST", "/", nil), op, idem.Call{Key: key}, handle, nil)
	return w
}

func TestServeHTTPReplays(t *testing.T) {
	op := newTestEngine(t).MustOperation(testContract())
	runs := 0
	handle := func(w http.ResponseWriter, r *http.Request) {
		runs++
		if info, ok := idem.FromContext(r.Context()); !ok || info.Key != "k" {
			t.Errorf("info %+v", info)
		}
		w.Header().Add("Link", "b")
		w.Header().Add("Link", "a")
		w.WriteHeader(http.StatusCreated)
		_, _ = io.WriteString(w, "text")
	}
	first, again := serveWith(op, idem.KeyOf("k"), handle), serveWith(op, idem.KeyOf("k"), handle)
	if runs != 1 || first.Code != again.Code || first.Body.String() != "text" || again.Body.String() != "text" {
		t.Errorf("%d runs: %d %s, then %d %s", runs, first.Code, first.Body, again.Code, again.Body)
	}
	if first.Header().Get(replayedHeader) != "" || again.Header().Get(replayedHeader) != "true" || strings.Join(again.Header()["Link"], " ") != "b a" {
		t.Errorf("headers %v, then %v", first.Header(), again.Header())
	}
}

// Nothing reaches the client of a handler that panics, and its key is free.
func TestServeHTTPPanic(t *testing.T) {
	op := newTestEngine(t).MustOperation(testContract())
	func() {
		defer func() {
			if p := recover(); p != http.ErrAbortHandler {
				t.Errorf("recovered %v", p)
			}
		}()
		serveWith(op, idem.KeyOf("k"), func(w http.ResponseWriter, _ *http.Request) {
			_, _ = io.WriteString(w, "half")
			panic(http.ErrAbortHandler)
		})
	}()
	w := serveWith(op, idem.KeyOf("k"), func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "whole") })
	if w.Body.String() != "whole" || w.Header().Get(replayedHeader) != "" {
		t.Errorf("%s, header %v", w.Body, w.Header())
	}
}

// An answer that is not what it says it is breaks the connection under net/http,
// and settles the key here.
func TestServeHTTPBrokenAnswer(t *testing.T) {
	op := newTestEngine(t).MustOperation(testContract())
	w := serveWith(op, idem.KeyOf("k"), func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "5")
		_, _ = io.WriteString(w, "1234")
	})
	if w.Code != http.StatusInternalServerError {
		t.Errorf("status %d: %s", w.Code, w.Body)
	}
	w = serveWith(op, idem.KeyOf("k"), func(http.ResponseWriter, *http.Request) { t.Error("it runs again") })
	if w.Code != http.StatusConflict {
		t.Errorf("status %d: %s", w.Code, w.Body)
	}
}

// A request without a key gets its answer as it is written.
func TestServeHTTPUnprotected(t *testing.T) {
	contract := testContract()
	contract.OptionalKey = true
	op := newTestEngine(t).MustOperation(contract)
	w := httptest.NewRecorder()
	ServeHTTP(w, httptest.NewRequest("POST", "/", nil), op, idem.Call{}, func(to http.ResponseWriter, _ *http.Request) {
		if to != w {
			t.Error("the answer goes through a recorder")
		}
		to.WriteHeader(http.StatusAccepted)
	}, nil)
	if w.Code != http.StatusAccepted || w.Header().Get(unprotectedHeader) != "true" {
		t.Errorf("status %d, header %v", w.Code, w.Header())
	}
}

func TestServeHTTPReload(t *testing.T) {
	contract := testContract()
	contract.Replay = idem.Reload
	op := newTestEngine(t).MustOperation(contract)
	for _, want := range []string{"first", "again: order 1"} {
		w := httptest.NewRecorder()
		ServeHTTP(w, httptest.NewRequest("POST", "/", nil), op, idem.Call{Key: idem.KeyOf("k")}, func(w http.ResponseWriter, r *http.Request) {
			idem.SetReference(r.Context(), "order 1")
			_, _ = io.WriteString(w, "first")
		}, func(w http.ResponseWriter, _ *http.Request, reference string) {
			_, _ = io.WriteString(w, "again: "+reference)
		})
		if w.Body.String() != want {
			t.Errorf("%s, want %s", w.Body, want)
		}
	}
}
