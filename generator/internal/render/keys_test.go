package render_test

import (
	"context"
	"strings"
	"testing"

	"github.com/idemgen/idemgen/testdata/cases/keys"
)

type keyServer struct{ effects }

func (s *keyServer) OptionalHeader(context.Context, keys.OptionalHeaderRequestObject) (keys.OptionalHeaderResponseObject, error) {
	return done[keys.OptionalHeaderResponseObject](&s.effects, keys.OptionalHeader204Response{})
}

func (s *keyServer) UuidHeader(context.Context, keys.UuidHeaderRequestObject) (keys.UuidHeaderResponseObject, error) {
	return done[keys.UuidHeaderResponseObject](&s.effects, keys.UuidHeader204Response{})
}

func (s *keyServer) OptionalUuidHeader(context.Context, keys.OptionalUuidHeaderRequestObject) (keys.OptionalUuidHeaderResponseObject, error) {
	return done[keys.OptionalUuidHeaderResponseObject](&s.effects, keys.OptionalUuidHeader204Response{})
}

func (s *keyServer) QueryKey(context.Context, keys.QueryKeyRequestObject) (keys.QueryKeyResponseObject, error) {
	return done[keys.QueryKeyResponseObject](&s.effects, keys.QueryKey204Response{})
}

func (s *keyServer) BodyKey(context.Context, keys.BodyKeyRequestObject) (keys.BodyKeyResponseObject, error) {
	return done[keys.BodyKeyResponseObject](&s.effects, keys.BodyKey204Response{})
}

func (s *keyServer) NestedKey(context.Context, keys.NestedKeyRequestObject) (keys.NestedKeyResponseObject, error) {
	return done[keys.NestedKeyResponseObject](&s.effects, keys.NestedKey204Response{})
}

func (s *keyServer) PathKey(context.Context, keys.PathKeyRequestObject) (keys.PathKeyResponseObject, error) {
	return done[keys.PathKeyResponseObject](&s.effects, keys.PathKey204Response{})
}

func (s *keyServer) PatternKey(context.Context, keys.PatternKeyRequestObject) (keys.PatternKeyResponseObject, error) {
	return done[keys.PatternKeyResponseObject](&s.effects, keys.PatternKey204Response{})
}

func TestKeys(t *testing.T) {
	const one, two = "6ba7b810-9dad-11d1-80b4-00c04fd430c8", "6ba7b811-9dad-11d1-80b4-00c04fd430c8"
	next := &keyServer{}
	server := keys.NewIdempotentServer(next, newEngine(t))
	client := newClient(t, keys.HandlerWithOptions(keys.NewStrictHandler(server, nil), keys.StdHTTPServerOptions{
		ErrorHandlerFunc: keys.IdempotencyErrorHandler(nil),
	}))
	post := func(path, body string) call { return call{method: "POST", path: path, body: body} }
	for _, test := range []struct {
		name          string
		first, second call // with two keys
		other         call // the first key, another amount
		without       call
		problem       string // of the call without a key, "" if it runs
	}{
		{"header", post("/header?amount=1", "").withHeader("X-Request-Key", "a"), post("/header?amount=1", "").withHeader("X-Request-Key", "b"),
			post("/header?amount=2", "").withHeader("x-request-key", "a"), post("/header?amount=1", ""), ""},
		{"uuid header", post("/uuid?amount=1", "").withHeader("Idempotency-Key", one), post("/uuid?amount=1", "").withHeader("Idempotency-Key", two),
			post("/uuid?amount=2", "").withHeader("Idempotency-Key", strings.ToUpper(one)), post("/uuid?amount=1", ""), "missing-key"},
		{"optional uuid header", post("/optional-uuid?amount=1", "").withHeader("Idempotency-Key", one), post("/optional-uuid?amount=1", "").withHeader("Idempotency-Key", two),
			post("/optional-uuid?amount=2", "").withHeader("Idempotency-Key", one), post("/optional-uuid?amount=1", ""), ""},
		{"query", post("/query?key=a&amount=1", ""), post("/query?key=b&amount=1", ""), post("/query?amount=2&key=a", ""), post("/query?amount=1", ""), "missing-key"},
		{"body", post("/body", `{"request_id":"a","amount":1}`), post("/body", `{"request_id":"b","amount":1}`),
			post("/body", `{"amount":2,"request_id":"a"}`), post("/body", `{"amount":1}`), "invalid-key"},
		{"nested", post("/nested", `{"meta":{"id":"a"},"amount":1}`), post("/nested", `{"meta":{"id":"b"},"amount":1}`),
			post("/nested", `{"meta":{"id":"a"},"amount":2}`), post("/nested", `{"meta":{},"amount":1}`), ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			client := client
			client.t = t
			next.n = 0
			for _, c := range []call{test.first, test.first, test.second, test.second} {
				if a := client.do(c); a.status != 204 {
					t.Errorf("status %d: %s", a.status, a.body)
				}
			}
			if next.n != 2 {
				t.Errorf("two keys: %d effects", next.n)
			}
			if a := client.do(test.other); a.problem != "key-reused" {
				t.Errorf("another amount: %d %s", a.status, a.body)
			}
			a := client.do(test.without)
			if a.problem != test.problem || test.problem == "" && a.status != 204 {
				t.Errorf("without a key: %d %s", a.status, a.body)
			}
		})
	}
	path := call{method: "PUT", path: "/path/a", body: `{"amount":1}`}
	client.run(scenario{first: path, different: map[string]call{"amount": path.withBody(`{"amount":2}`)}}, &next.n)
}

// A key has the form that the contract wants, in a header of any case; the same
// key in another scope is another key.
func TestPatternAndScope(t *testing.T) {
	next := &keyServer{}
	client := newClient(t, keys.Handler(keys.NewStrictHandler(keys.NewIdempotentServer(next, newEngine(t)), nil)))
	base := call{method: "POST", path: "/pattern?tenant=1&admin=false&amount=1"}.withHeader("x-Request-KEY", "abc-1")
	client.run(scenario{first: base, different: map[string]call{
		"query.amount": base.withPath("/pattern?tenant=1&admin=false&amount=2"),
	}}, &next.n)
	for _, path := range []string{"/pattern?tenant=2&admin=false&amount=1", "/pattern?tenant=1&admin=true&amount=1"} {
		if a := client.do(base.withPath(path)); a.status != 204 || a.replayed {
			t.Errorf("%s: %d, replayed %t", path, a.status, a.replayed)
		}
	}
	for _, key := range []string{"abc", "abc-1x", "xabc-1", "ABC-1"} {
		if a := client.do(base.withHeader("x-Request-KEY", key)); a.problem != "invalid-key" {
			t.Errorf("key %s: %d %s", key, a.status, a.body)
		}
	}
}
