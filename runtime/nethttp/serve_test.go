package nethttp

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
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

// wire sends a request and returns every byte of the response.
func wire(t *testing.T, server *httptest.Server, method, key, body string) string {
	t.Helper()
	conn, err := net.Dial("tcp", server.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	request := method + " /op HTTP/1.1\r\nHost: test\r\nConnection: close\r\n"
	if key != "" {
		request += "Idempotency-Key: " + key + "\r\n"
	}
	fmt.Fprintf(conn, "%sContent-Length: %d\r\n\r\n%s", request, len(body), body)
	response, err := io.ReadAll(conn)
	if err != nil {
		t.Fatal(err)
	}
	return string(response)
}

// without returns a raw response without the lines of a header.
func without(response, name string) string {
	head, body, _ := strings.Cut(response, "\r\n\r\n")
	lines := slices.DeleteFunc(strings.Split(head, "\r\n"), func(line string) bool {
		return strings.HasPrefix(line, name+":")
	})
	return strings.Join(lines, "\r\n") + "\r\n\r\n" + body
}

func gzipped(text string) []byte {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	io.WriteString(z, text)
	z.Close()
	return b.Bytes()
}

// The first answer is what the server would send without the engine, and the
// replay is that answer: byte for byte on the connection.
func TestServeBytesOnTheWire(t *testing.T) {
	for name, visit := range map[string]VisitFunc{
		"JSON": func(w http.ResponseWriter) error {
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(http.StatusOK)
			return json.NewEncoder(w).Encode(map[string]any{"amount": 1200, "note": "<é>"})
		},
		"created, location, links, disposition": func(w http.ResponseWriter) error {
			w.Header().Set("Location", "/payments/1")
			w.Header().Add("Link", `</a>; rel="next"`)
			w.Header().Add("Link", `</b>; rel="last"`)
			w.Header().Set("Content-Disposition", `attachment; filename="a,b.txt"`)
			w.Header().Set("Content-Type", "text/plain; charset=utf-8")
			w.WriteHeader(http.StatusCreated)
			_, err := io.WriteString(w, "created")
			return err
		},
		"no content":   func(w http.ResponseWriter) error { w.WriteHeader(http.StatusNoContent); return nil },
		"not modified": func(w http.ResponseWriter) error { w.Header().Set("Etag", `"1"`); w.WriteHeader(304); return nil },
		"nothing":      func(http.ResponseWriter) error { return nil },
		"empty created": func(w http.ResponseWriter) error {
			w.WriteHeader(http.StatusCreated)
			return nil
		},
		"sniffed text": func(w http.ResponseWriter) error { _, err := io.WriteString(w, "plain text"); return err },
		"sniffed HTML": func(w http.ResponseWriter) error { _, err := io.WriteString(w, "<html>"); return err },
		"in two writes": func(w http.ResponseWriter) error {
			io.WriteString(w, "<ht")
			_, err := io.WriteString(w, "ml>")
			return err
		},
		"with a length": func(w http.ResponseWriter) error {
			w.Header().Set("Content-Length", "3")
			_, err := w.Write([]byte("abc"))
			return err
		},
		"large": func(w http.ResponseWriter) error {
			_, err := w.Write(bytes.Repeat([]byte("0123456789"), 5000))
			return err
		},
		"unusual status": func(w http.ResponseWriter) error { w.WriteHeader(299); _, err := io.WriteString(w, "x"); return err },
		"header twice":   func(w http.ResponseWriter) error { w.WriteHeader(202); w.Header().Set("X-Late", "1"); return nil },
		"empty value":    func(w http.ResponseWriter) error { w.Header().Set("X-Empty", ""); return nil },
		"raw name":       func(w http.ResponseWriter) error { w.Header()["x-raw"] = []string{"b", "a"}; return nil },
		"a line break":   func(w http.ResponseWriter) error { w.Header().Set("X-Break", "a\r\nb"); return nil },
		"an error":       func(w http.ResponseWriter) error { http.Error(w, "refused", http.StatusPaymentRequired); return nil },
		"gzip": func(w http.ResponseWriter) error {
			w.Header().Set("Content-Encoding", "gzip")
			w.Header().Set("Content-Type", "text/plain")
			_, err := w.Write(gzipped("some text"))
			return err
		},
		"gzip without a type": func(w http.ResponseWriter) error {
			w.Header().Set("Content-Encoding", "gzip")
			_, err := w.Write(gzipped("some text"))
			return err
		},
	} {
		for _, method := range []string{"POST", "HEAD"} {
			t.Run(name+"/"+method, func(t *testing.T) {
				plain := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { visit(w) }))
				defer plain.Close()
				server := httptest.NewServer(protect(t, testContract(), visiting(visit)))
				defer server.Close()
				want := without(wire(t, plain, method, "", ""), "Date")
				first := without(wire(t, server, method, "k", ""), "Date")
				if diff := cmp.Diff(want, first); diff != "" {
					t.Errorf("first answer (-plain server +first):\n%s", diff)
				}
				replay := without(wire(t, server, method, "k", ""), "Date")
				if !strings.Contains(replay, "\r\nIdempotent-Replayed: true\r\n") {
					t.Errorf("the replay is not marked:\n%s", replay)
				}
				if diff := cmp.Diff(first, without(replay, "Idempotent-Replayed")); diff != "" {
					t.Errorf("replay (-first +replay):\n%s", diff)
				}
			})
		}
	}
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

func TestServeProblems(t *testing.T) {
	required := testContract()
	formatted := testContract()
	formatted.KeyFormat = "uuid"
	scoped := testContract()
	scoped.Scope = []string{idem.ScopePrincipal}
	for name, c := range map[string]struct {
		contract idem.Contract
		key      string
		want     problem
	}{
		"missing":     {required, "", problem{Status: 400, Type: "urn:idemgen:problem:missing-key"}},
		"broken":      {required, `"secret`, problem{Status: 400, Type: "urn:idemgen:problem:invalid-key"}},
		"empty":       {required, `""`, problem{Status: 400, Type: "urn:idemgen:problem:invalid-key"}},
		"long":        {required, strings.Repeat("k", 256), problem{Status: 400, Type: "urn:idemgen:problem:invalid-key"}},
		"two":         {required, `"secret", "b"`, problem{Status: 400, Type: "urn:idemgen:problem:invalid-key"}},
		"format":      {formatted, "secret", problem{Status: 400, Type: "urn:idemgen:problem:invalid-key"}},
		"nobody":      {scoped, "secret", problem{Status: 401, Type: "urn:idemgen:problem:no-principal"}},
		"reused":      {required, "secret", problem{Status: 422, Type: "urn:idemgen:problem:key-reused", Fields: []string{"body"}}},
		"not ASCII":   {required, "secret\u00e9", problem{Status: 400, Type: "urn:idemgen:problem:invalid-key"}},
		"with blanks": {required, "secret b", problem{Status: 400, Type: "urn:idemgen:problem:invalid-key"}},
	} {
		t.Run(name, func(t *testing.T) {
			h := protect(t, c.contract, visiting(nil))
			if name == "reused" {
				post(t, h, c.key, "first")
			}
			w := post(t, h, c.key, "second")
			var got problem
			if err := json.Unmarshal(w.Body.Bytes(), &got); err != nil {
				t.Fatal(err)
			}
			if w.Code != c.want.Status || w.Header().Get("Content-Type") != "application/problem+json" {
				t.Errorf("status %d, header %v", w.Code, w.Header())
			}
			if got.Title == "" || got.Detail == "" || c.key != "" && strings.Contains(got.Detail, c.key) {
				t.Errorf("title %q, detail %q", got.Title, got.Detail)
			}
			got.Title, got.Detail = "", ""
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("problem (-want +got):\n%s", diff)
			}
		})
	}
}

func TestServeProblemBase(t *testing.T) {
	h := protect(t, testContract(), visiting(nil), idem.WithProblemBase("https://docs.example.com/"))
	if body := post(t, h, "", "").Body.String(); !strings.Contains(body, `"type":"https://docs.example.com/missing-key"`) {
		t.Error(body)
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
