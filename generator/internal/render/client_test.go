package render_test

import (
	"context"
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	idem "github.com/idemgen/idemgen/runtime"
	"github.com/idemgen/idemgen/runtime/memstore"
)

// newEngine returns an engine for one test.
func newEngine(t *testing.T, opts ...idem.Option) *idem.Engine {
	t.Helper()
	engine := idem.New(memstore.New(memstore.Config{}), append(opts, idem.WithLogger(nil))...)
	t.Cleanup(func() {
		if err := engine.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return engine
}

// A call is one HTTP request.
type call struct {
	method, path, body string
	header             map[string]string
}

// with returns the call with another body, path or header.
func (c call) withBody(body string) call { c.body = body; return c }
func (c call) withPath(path string) call { c.path = path; return c }

func (c call) withHeader(name, value string) call {
	c.header = maps.Clone(c.header)
	if c.header == nil {
		c.header = make(map[string]string)
	}
	c.header[name] = value
	return c
}

// An answer is what came back.
type answer struct {
	status   int
	header   http.Header
	body     string
	replayed bool
	problem  string   // the last part of a problem's type
	fields   []string // of the problem key-reused
}

// A client sends calls to a handler over TCP.
type client struct {
	t    *testing.T
	url  string
	http *http.Client
}

func newClient(t *testing.T, handler http.Handler) client {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	return client{t: t, url: server.URL, http: server.Client()}
}

func (c client) do(call call) answer {
	c.t.Helper()
	request, err := http.NewRequestWithContext(c.t.Context(), call.method, c.url+call.path, strings.NewReader(call.body))
	if err != nil {
		c.t.Fatal(err)
	}
	if call.body != "" {
		request.Header.Set("Content-Type", "application/json")
	}
	for name, value := range call.header {
		request.Header.Set(name, value)
	}
	response, err := c.http.Do(request)
	if err != nil {
		c.t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		c.t.Fatal(err)
	}
	a := answer{status: response.StatusCode, header: response.Header, body: string(body)}
	a.replayed = response.Header.Get("Idempotent-Replayed") == "true"
	if response.Header.Get("Content-Type") == "application/problem+json" {
		var problem struct {
			Type   string
			Fields []string
		}
		if err := json.Unmarshal(body, &problem); err != nil {
			c.t.Fatal(err)
		}
		a.problem = problem.Type[strings.LastIndexByte(problem.Type, ':')+1:]
		a.fields = problem.Fields
	}
	return a
}

// A scenario is one operation's promise: first runs, each of same is answered
// with its answer, and each of different is refused, naming the fields that are
// its key, separated by spaces.
type scenario struct {
	first     call
	same      []call
	different map[string]call
}

// run checks a scenario. effects counts the runs of the handler.
func (c client) run(s scenario, effects *int) {
	c.t.Helper()
	*effects = 0
	first := c.do(s.first)
	if first.status >= 300 || first.replayed || *effects != 1 {
		c.t.Fatalf("first call: status %d, replayed %t, %d effects: %s", first.status, first.replayed, *effects, first.body)
	}
	for _, call := range append([]call{s.first}, s.same...) {
		a := c.do(call)
		if !a.replayed || a.status != first.status || a.body != first.body {
			c.t.Errorf("%s %s %s: status %d, replayed %t: %s", call.method, call.path, call.body, a.status, a.replayed, a.body)
		}
	}
	for _, names := range slices.Sorted(maps.Keys(s.different)) {
		call := s.different[names]
		a := c.do(call)
		if a.problem != "key-reused" || strings.Join(a.fields, " ") != names {
			c.t.Errorf("%s %s %s: status %d, fields %q, want key-reused and %q: %s", call.method, call.path, call.body, a.status, a.fields, names, a.body)
		}
	}
	if *effects != 1 {
		c.t.Errorf("%d effects, want 1", *effects)
	}
}

// effects counts the runs of handlers. Calls come one after the other.
type effects struct{ n int }

// done stands for the effect of a handler whose answer is an empty 204.
func done[T any](e *effects, answer T) (T, error) {
	e.n++
	return answer, nil
}
