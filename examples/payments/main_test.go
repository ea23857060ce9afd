package main

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	idem "github.com/idemgen/idemgen/runtime"
	"github.com/idemgen/idemgen/runtime/memstore"
	"github.com/idemgen/idemgen/runtime/storetest/redistest"
)

// TestMain lets the test binary be a server process, as the program itself is.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "serve" {
		main()
		return
	}
	os.Exit(m.Run())
}

// table is what the demo prints when the promise holds.
const table = `scenario                      responses      charges   what it shows
in flight: run                201 201        2         a result cache: same answers, two charges
in flight: wait               201 201        1         the second waits and gets the first's answer
in flight: reject             201 409        1
same key, same request        201 201        1         replayed
same key, other amount        201 422        1         refused, names: amount
provider fails, then retry    502 201        1         failures are not kept
worker dies, then retry       -   201        2         after the lease; at least once, as documented
the same, provider dedupes    -   201        1         the handler hands a derived key on
store down, run               201            1         availability over one effect, by choice
store down, reject            503            0
client leaves, then retries   -   201        1         the first run finished; its answer was kept
two tenants, one key          201 201        2         keys do not meet
`

func checkTable(t *testing.T, args ...string) {
	t.Helper()
	var out bytes.Buffer
	if err := run(t.Context(), args, strings.NewReader(""), &out, t.Output()); err != nil {
		t.Errorf("run: %v", err)
	}
	if got := out.String(); got != table {
		t.Errorf("the table is\n%s\nwant\n%s", got, table)
	}
}

func TestTheTableOnTheEmbeddedStore(t *testing.T) {
	t.Parallel()
	checkTable(t, "-takes", "1s")
}

func TestTheTableOnRedisWithTwoProcesses(t *testing.T) {
	t.Parallel()
	server := redistest.Start(t)
	checkTable(t, "-takes", "1s", "-store", "redis", "-redis", server.Addr)
}

// TestPairsOnRedis sends pairs to two processes: none is charged twice.
func TestPairsOnRedis(t *testing.T) {
	t.Parallel()
	server := redistest.Start(t)
	var out bytes.Buffer
	err := run(t.Context(), []string{"-store", "redis", "-redis", server.Addr, "-pairs", "200"}, strings.NewReader(""), &out, t.Output())
	if err != nil {
		t.Errorf("%v:\n%s", err, out.String())
	}
}

// A cacheStore is what most idempotency layers are: it remembers answers and
// claims nothing.
type cacheStore struct{ idem.Store }

func (s cacheStore) Claim(ctx context.Context, k idem.StoreKey, r *idem.Record) (idem.Reply, error) {
	reply, err := s.Load(ctx, k)
	reply.Accepted = err == nil && reply.Record == nil
	return reply, err
}

// TestAResultCacheIsCaught shows that the table is observed, not recited: with
// the claim taken away the demo fails.
func TestAResultCacheIsCaught(t *testing.T) {
	t.Parallel()
	p := newProvider(300 * time.Millisecond)
	server := httptest.NewServer(p)
	defer server.Close()
	d, err := newDemo(t.Context(), &embedded{store: cacheStore{memstore.New(memstore.Config{})}, provider: server.URL}, p)
	if err != nil {
		t.Fatal(err)
	}
	defer d.close()
	var out bytes.Buffer
	if err := d.printTable(scenarios(), &out); !errors.Is(err, errBroken) {
		t.Errorf("printTable: %v, want errBroken", err)
	}
	if !strings.Contains(out.String(), "BROKEN: in flight: wait: 2 charges, want 1") {
		t.Errorf("output:\n%s", out.String())
	}
}

// TestKeysInHTTP sends keys as clients send them.
func TestKeysInHTTP(t *testing.T) {
	t.Parallel()
	p := newProvider(0)
	server := httptest.NewServer(p)
	defer server.Close()
	d, err := newDemo(t.Context(), newEmbedded(server.URL), p)
	if err != nil {
		t.Fatal(err)
	}
	defer d.close()
	p.reset(false, false)
	send := func(keys ...string) response {
		body := strings.NewReader(`{"order_id":"o1","amount":100,"currency":"EUR"}`)
		request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, d.a.url+"/payments", body)
		if err != nil {
			t.Fatal(err)
		}
		request.Header = http.Header{"Authorization": {"Bearer alice"}, "X-Account-Id": {"main"}, "Content-Type": {"application/json"}}
		for _, k := range keys {
			request.Header.Add("Idempotency-Key", k)
		}
		got, err := d.client.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		defer got.Body.Close()
		var text bytes.Buffer
		text.ReadFrom(got.Body)
		return response{got.StatusCode, got.Header, text.Bytes()}
	}
	for _, test := range []struct {
		keys    []string
		status  int
		problem string
	}{
		{[]string{"k-1"}, 201, ""},
		{[]string{`"k-1"`}, 201, ""},
		{[]string{`"k-1";p=1`}, 201, ""},
		{nil, 400, "urn:idemgen:problem:missing-key"},
		{[]string{""}, 400, "urn:idemgen:problem:invalid-key"},
		{[]string{"a", "b"}, 400, "urn:idemgen:problem:invalid-key"},
		{[]string{strings.Repeat("k", 256)}, 400, "urn:idemgen:problem:invalid-key"},
		{[]string{`"open`}, 400, "urn:idemgen:problem:invalid-key"},
		{[]string{"a b"}, 400, "urn:idemgen:problem:invalid-key"},
	} {
		got := send(test.keys...)
		if got.status != test.status || test.problem != "" && !strings.Contains(string(got.body), `"`+test.problem+`"`) {
			t.Errorf("keys %q: %d %s, want %d %s", test.keys, got.status, got.body, test.status, test.problem)
		}
	}
	if n := p.charged(); n != 1 {
		t.Errorf("%d charges, want 1: the quoted and the bare form are one key", n)
	}
}
