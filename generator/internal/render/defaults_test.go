package render_test

import (
	"context"
	"testing"

	"github.com/idemgen/idemgen/testdata/cases/defaults"
)

type defaultsServer struct{ effects }

func (s *defaultsServer) CreateOrder(context.Context, defaults.CreateOrderRequestObject) (defaults.CreateOrderResponseObject, error) {
	return done[defaults.CreateOrderResponseObject](&s.effects, defaults.CreateOrder204Response{})
}

func (s *defaultsServer) CreateRaw(context.Context, defaults.CreateRawRequestObject) (defaults.CreateRawResponseObject, error) {
	return done[defaults.CreateRawResponseObject](&s.effects, defaults.CreateRaw204Response{})
}

// An absent member counts as its default, however deep it lies.
func TestDefaultsInside(t *testing.T) {
	for _, test := range []struct {
		body, field string
		same        []string
		different   []string
	}{
		{`{"item":"i","address":{"city":"x"}}`, "address",
			[]string{`{"item":"i","address":{"country":"de","city":"x"}}`, `{"item":"i","note":"none","address":{"city":"x"}}`},
			[]string{`{"item":"i","address":{"city":"x","country":"fr"}}`, `{"item":"i"}`}},
		{`{"item":"i","lines":[{"sku":"a"},{"count":1}]}`, "lines",
			[]string{`{"item":"i","lines":[{"count":1,"sku":"a"},{}]}`},
			[]string{`{"item":"i","lines":[{"sku":"a","count":2},{}]}`, `{"item":"i","lines":[{"sku":"a"}]}`}},
		{`{"item":"i","prices":{"p":{}}}`, "prices",
			[]string{`{"item":"i","prices":{"p":{"count":1}}}`},
			[]string{`{"item":"i","prices":{"p":{"count":0}}}`, `{"item":"i","prices":{}}`}},
		{`{"item":"i"}`, "options",
			[]string{
				`{"item":"i","options":{}}`,
				`{"item":"i","options":{"express":true,"after":"2026-01-01T01:00:00+01:00","id":"6ba7b810-9DAD-11d1-80b4-00c04fd430c8","ratio":5e-1,"nothing":null}}`,
			},
			[]string{`{"item":"i","options":{"express":false}}`, `{"item":"i","options":{"after":"2026-01-01T01:00:00Z"}}`, `{"item":"i","options":{"nothing":""}}`}},
		// A schema inside itself counts as it is.
		{`{"item":"i","tree":{"children":[{}]}}`, "tree",
			[]string{`{"item":"i","tree":{"leaf":true,"children":[{}]}}`},
			[]string{`{"item":"i","tree":{"children":[{"leaf":false}]}}`}},
	} {
		for path, field := range map[string]string{"/orders": test.field, "/raw": "$request.body"} {
			next := &defaultsServer{}
			server := defaults.NewIdempotentServer(next, newEngine(t))
			client := newClient(t, defaults.Handler(defaults.NewStrictHandler(server, nil)))
			base := call{method: "POST", path: path, body: test.body}.withHeader("Idempotency-Key", "k")
			s := scenario{first: base}
			for _, body := range test.same {
				s.same = append(s.same, base.withBody(body))
			}
			client.run(s, &next.n)
			for _, body := range test.different {
				if a := client.do(base.withBody(body)); a.problem != "key-reused" || len(a.fields) != 1 || a.fields[0] != field {
					t.Errorf("%s: %s after %s: %d %v", path, body, test.body, a.status, a.fields)
				}
			}
		}
	}
}
