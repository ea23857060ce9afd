package nethttp

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"
	idem "github.com/idemgen/idemgen/runtime"
	"github.com/idemgen/idemgen/runtime/memstore"
)

// testContract is a contract that keeps every status.
func testContract() idem.Contract {
	return idem.Contract{API: "Test", Operation: "op", Remember: []idem.StatusRange{{From: 100, To: 599}}}
}

func newTestEngine(t *testing.T, opts ...idem.Option) *idem.Engine {
	engine := idem.New(memstore.New(memstore.Config{}), append(opts, idem.WithLogger(nil))...)
	t.Cleanup(func() { engine.Close(context.Background()) })
	return engine
}

// protect returns a handler that keeps contract around handle, as generated code
// does: the key is the Idempotency-Key header, the body the fingerprint.
func protect(t *testing.T, contract idem.Contract, handle func(ctx context.Context) (VisitFunc, error), opts ...idem.Option) http.Handler {
	op := newTestEngine(t, opts...).MustOperation(contract)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var key *string
		if values := r.Header["Idempotency-Key"]; len(values) > 0 {
			key = &values[0]
		}
		body, _ := io.ReadAll(r.Body)
		call := idem.Call{Key: OptionalHeaderKey(key), Fingerprint: func(h *idem.Hasher) {
			h.Field("body")
			h.Bytes(body)
		}}
		reply, err := Serve(r.Context(), op, call, handle)
		if err == nil {
			err = reply.Visit(w)
		}
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
		}
	})
}

func visiting(visit VisitFunc) func(context.Context) (VisitFunc, error) {
	return func(context.Context) (VisitFunc, error) { return visit, nil }
}

func post(t *testing.T, h http.Handler, key, body string) *httptest.ResponseRecorder {
	t.Helper()
	w := httptest.NewRecorder()
	r := httptest.NewRequest("POST", "/op", strings.NewReader(body))
	if key != "" {
		r.Header.Set("Idempotency-Key", key)
	}
	h.ServeHTTP(w, r)
	return w
}

func TestServeLeavesHeadersOutOfTheRecord(t *testing.T) {
	h := protect(t, testContract(), visiting(func(w http.ResponseWriter) error {
		w.Header().Add("Set-Cookie", "a=1")
		w.Header().Add("Set-Cookie", "b=2")
		w.Header().Add("Connection", "close, x-hop")
		w.Header().Set("X-Hop", "1")
		w.Header().Set("Keep-Alive", "timeout=5")
		w.Header().Set("Idempotent-Replayed", "true")
		w.Header().Set("X-Kept", "1")
		return nil
	}))
	first, replay := post(t, h, "k", "").Header(), post(t, h, "k", "").Header()
	if diff := cmp.Diff([]string{"a=1", "b=2"}, first["Set-Cookie"]); diff != "" {
		t.Errorf("cookies of the first answer (-want +got):\n%s", diff)
	}
	if first.Get("X-Hop") == "" || first.Get("Connection") == "" {
		t.Errorf("the first answer lacks a header: %v", first)
	}
	want := http.Header{"X-Kept": {"1"}, "Idempotent-Replayed": {"true"}}
	if diff := cmp.Diff(want, replay); diff != "" {
		t.Errorf("replay (-want +got):\n%s", diff)
	}
}

// The header lines of middleware around the server stay, for both answers.
func TestServeInsideMiddleware(t *testing.T) {
	inner := protect(t, testContract(), visiting(func(w http.ResponseWriter) error {
		w.Header().Set("Content-Type", "text/plain")
		w.Header().Set("Vary", "Accept")
		w.Header().Add("Set-Cookie", "handler=1")
		return nil
	}))
	h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-Request-Id", "r1")
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Vary", "Origin")
		w.Header().Add("Set-Cookie", "outer=1")
		inner.ServeHTTP(w, r)
	})
	want := http.Header{"X-Request-Id": {"r1"}, "Content-Type": {"text/plain"}, "Vary": {"Origin", "Accept"}, "Set-Cookie": {"outer=1", "handler=1"}}
	if diff := cmp.Diff(want, post(t, h, "k", "").Header()); diff != "" {
		t.Errorf("first answer (-want +got):\n%s", diff)
	}
	want.Set("Idempotent-Replayed", "true")
	want["Set-Cookie"] = []string{"outer=1"}
	if diff := cmp.Diff(want, post(t, h, "k", "").Header()); diff != "" {
		t.Errorf("replay (-want +got):\n%s", diff)
	}
}

func TestServeQuotedAndBareKeyAreOne(t *testing.T) {
	var runs atomic.Int32
	h := protect(t, testContract(), func(context.Context) (VisitFunc, error) { runs.Add(1); return nil, nil })
	for _, key := range []string{"k1", `"k1"`, ` "k1" `, `"k1";a=b`} {
		post(t, h, key, "")
	}
	if runs.Load() != 1 {
		t.Errorf("one key in four spellings ran %d times", runs.Load())
	}
}

func TestServeInProgress(t *testing.T) {
	contract := testContract()
	contract.InFlight = idem.Reject
	started, finish := make(chan struct{}), make(chan struct{})
	h := protect(t, contract, func(context.Context) (VisitFunc, error) {
		close(started)
		<-finish
		return nil, nil
	})
	first := make(chan *httptest.ResponseRecorder)
	go func() { first <- post(t, h, "k", "") }()
	<-started
	second := post(t, h, "k", "")
	close(finish)
	if second.Code != http.StatusConflict || second.Header().Get("Retry-After") != "30" {
		t.Errorf("status %d, Retry-After %q", second.Code, second.Header().Get("Retry-After"))
	}
	if code := (<-first).Code; code != http.StatusOK {
		t.Errorf("first: status %d", code)
	}
}

func TestServeHandlerErrors(t *testing.T) {
	own := errors.New("provider down")
	// A handler may use an engine itself and pass on what that says.
	nested := &idem.Error{Code: idem.CodeInProgress, Operation: "charge"}
	op := newTestEngine(t).MustOperation(testContract())
	for name, want := range map[string]error{"own": own, "nested": nested, "wrapped": fmt.Errorf("charge: %w", nested)} {
		for _, of := range []string{"handler", "visit"} {
			call := idem.Call{Key: idem.KeyOf(name + of)}
			reply, err := Serve(t.Context(), op, call, func(context.Context) (VisitFunc, error) {
				if of == "handler" {
					return nil, want
				}
				return func(http.ResponseWriter) error { return want }, nil
			})
			if err != want || reply != nil {
				t.Errorf("%s error of %s: got reply %v, error %v", name, of, reply, err)
			}
		}
	}
}

// After its handler has returned, an answer that cannot be written never runs
// again.
func TestServeFailingVisit(t *testing.T) {
	for name, visit := range map[string]VisitFunc{
		"reader fails": func(w http.ResponseWriter) error {
			_, err := io.Copy(w, io.MultiReader(strings.NewReader("half"), failingReader{}))
			return err
		},
		"shorter than declared": func(w http.ResponseWriter) error {
			w.Header().Set("Content-Length", "5")
			_, err := io.WriteString(w, "four")
			return err
		},
		"longer than declared": func(w http.ResponseWriter) error {
			w.Header().Set("Content-Length", "3")
			_, err := io.WriteString(w, "four")
			return err
		},
		"body where none may be": func(w http.ResponseWriter) error {
			w.WriteHeader(http.StatusNoContent)
			_, err := io.WriteString(w, "four")
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			runs := 0
			h := protect(t, testContract(), func(context.Context) (VisitFunc, error) { runs++; return visit, nil })
			if code := post(t, h, "k", "").Code; code != http.StatusInternalServerError {
				t.Errorf("first: status %d", code)
			}
			second := post(t, h, "k", "")
			if second.Code != http.StatusConflict || !strings.Contains(second.Body.String(), "response-not-retained") || runs != 1 {
				t.Errorf("second: status %d after %d runs: %s", second.Code, runs, second.Body)
			}
		})
	}
}

type failingReader struct{}

func (failingReader) Read([]byte) (int, error) { return 0, errors.New("disk on fire") }

func TestServeOversized(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	contract := testContract()
	contract.MaxResponseBytes = 1000
	body := bytes.Repeat([]byte("0123456789"), 1000)
	server := httptest.NewServer(protect(t, contract, visiting(func(w http.ResponseWriter) error {
		w.Header().Add("X-Line", "1")
		_, err := io.Copy(w, io.MultiReader(bytes.NewReader(body[:300]), bytes.NewReader(body[300:900]), bytes.NewReader(body[900:])))
		return err
	})))
	defer server.Close()
	response, err := http.ReadResponse(bufio.NewReader(strings.NewReader(wire(t, server, "POST", "k", ""))), nil)
	if err != nil {
		t.Fatal(err)
	}
	got, err := io.ReadAll(response.Body)
	if err != nil || !bytes.Equal(got, body) || response.Header.Get("X-Line") != "1" {
		t.Errorf("first: %d bytes, error %v, header %v", len(got), err, response.Header)
	}
	if second := wire(t, server, "POST", "k", ""); !strings.HasPrefix(second, "HTTP/1.1 409 ") {
		t.Errorf("second: %s", second)
	}
}

func TestServeWithoutKey(t *testing.T) {
	contract := testContract()
	contract.OptionalKey = true
	h := protect(t, contract, visiting(func(w http.ResponseWriter) error {
		_, recorded := w.(*recorder)
		fmt.Fprint(w, recorded)
		return nil
	}))
	for range 2 {
		w := post(t, h, "", "")
		if w.Body.String() != "false" || w.Header().Get("Idempotent-Unprotected") != "true" || w.Header().Get("Idempotent-Replayed") != "" {
			t.Errorf("%q, header %v", w.Body, w.Header())
		}
	}
	silent := protect(t, contract, visiting(nil))
	if w := post(t, silent, "", ""); w.Code != http.StatusOK || w.Body.Len() > 0 {
		t.Errorf("no answer: status %d, body %q", w.Code, w.Body)
	}
}

// downStore is a store that nobody reaches.
type downStore struct{ idem.Store }

func (downStore) Claim(context.Context, idem.StoreKey, *idem.Record) (idem.Reply, error) {
	return idem.Reply{}, idem.ErrNotApplied
}

func (downStore) Complete(context.Context, idem.StoreKey, *idem.Record) (idem.Reply, error) {
	return idem.Reply{}, idem.ErrNotApplied
}

func (downStore) Renew(context.Context, idem.StoreKey, *idem.Record) (idem.Reply, error) {
	return idem.Reply{}, idem.ErrNotApplied
}

func (downStore) Release(context.Context, idem.StoreKey, *idem.Record, bool) (idem.Reply, error) {
	return idem.Reply{}, idem.ErrNotApplied
}

func TestServeStoreDown(t *testing.T) {
	engine := idem.New(downStore{memstore.New(memstore.Config{})}, idem.WithLogger(nil))
	serve := func(onError idem.OnStoreError) *httptest.ResponseRecorder {
		contract := testContract()
		contract.OnStoreError, contract.Operation = onError, string(onError)
		op, err := engine.Operation(contract)
		if err != nil {
			t.Fatal(err)
		}
		reply, err := Serve(t.Context(), op, idem.Call{Key: idem.KeyOf("k")}, visiting(nil))
		if err != nil {
			t.Fatal(err)
		}
		w := httptest.NewRecorder()
		if err := reply.Visit(w); err != nil {
			t.Fatal(err)
		}
		return w
	}
	if w := serve(idem.RunUnprotected); w.Code != http.StatusOK || w.Header().Get("Idempotent-Unprotected") != "true" {
		t.Errorf("run: status %d, header %v", w.Code, w.Header())
	}
	if w := serve(idem.RefuseRequest); w.Code != http.StatusServiceUnavailable || w.Header().Get("Retry-After") != "1" {
		t.Errorf("reject: status %d, header %v", w.Code, w.Header())
	}
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	engine.Close(ended)
}

func TestServePanicPasses(t *testing.T) {
	op := newTestEngine(t).MustOperation(testContract())
	for name, handle := range map[string]func(context.Context) (VisitFunc, error){
		"handler": func(context.Context) (VisitFunc, error) { panic(http.ErrAbortHandler) },
		"visit":   visiting(func(http.ResponseWriter) error { panic(http.ErrAbortHandler) }),
	} {
		func() {
			defer func() {
				if got := recover(); got != http.ErrAbortHandler {
					t.Errorf("%s: recovered %v", name, got)
				}
			}()
			Serve(t.Context(), op, idem.Call{Key: idem.KeyOf(name)}, handle)
		}()
	}
}

func BenchmarkServe(b *testing.B) {
	engine := idem.New(memstore.New(memstore.Config{}), idem.WithLogger(nil))
	defer engine.Close(context.Background())
	op := engine.MustOperation(testContract())
	body := bytes.Repeat([]byte("x"), 200)
	handle := visiting(func(w http.ResponseWriter) error {
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Location", "/payments/1")
		w.WriteHeader(http.StatusCreated)
		_, err := w.Write(body)
		return err
	})
	fingerprint := func(h *idem.Hasher) { h.Field("amount"); h.Int(1200) }
	run := func(b *testing.B, key string) {
		reply, err := Serve(context.Background(), op, idem.Call{Key: idem.KeyOf(key), Fingerprint: fingerprint}, handle)
		if err != nil {
			b.Fatal(err)
		}
		reply.Visit(discardResponse{})
	}
	b.Run("first", func(b *testing.B) {
		b.ReportAllocs()
		n := 0
		for b.Loop() {
			n++
			run(b, fmt.Sprint("first", n))
		}
	})
	b.Run("replay", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			run(b, "replay")
		}
	})
}

// discardResponse is a ResponseWriter that costs next to nothing.
type discardResponse struct{}

func (discardResponse) Header() http.Header         { return http.Header{} }
func (discardResponse) Write(p []byte) (int, error) { return len(p), nil }
func (discardResponse) WriteHeader(int)             {}
