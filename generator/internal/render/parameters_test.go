package render_test

import (
	"context"
	"testing"

	"github.com/idemgen/idemgen/testdata/cases/parameters"
)

type parameterServer struct{ effects }

func (s *parameterServer) PutOrder(context.Context, parameters.PutOrderRequestObject) (parameters.PutOrderResponseObject, error) {
	return done[parameters.PutOrderResponseObject](&s.effects, parameters.PutOrder204Response{})
}

func (s *parameterServer) Type(context.Context, parameters.TypeRequestObject) (parameters.TypeResponseObject, error) {
	return done[parameters.TypeResponseObject](&s.effects, parameters.Type204Response{})
}

func TestParameters(t *testing.T) {
	next := &parameterServer{}
	server := parameters.NewIdempotentServer(next, newEngine(t))
	client := newClient(t, parameters.Handler(parameters.NewStrictHandler(server, nil)))

	const query = "?limit=5&filter[name]=x&sort=up"
	first := call{method: "PUT", path: "/shops/7/orders/6ba7b810-9dad-11d1-80b4-00c04fd430c8" + query}.withHeader("Idempotency-Key", "k1")
	other := func(pairs ...string) call { return first.withPath(edit(first.path, pairs...)) }
	client.run(scenario{
		first: first,
		same: []call{
			other(query, "?sort=up&filter[name]=x&limit=5"),
			other("6ba7b810", "6BA7B810"),
			other("&sort=up", ""),
			other("sort=up", "dry-run=false&day=2026-01-31&since=2026-01-31T11:00:00%2B01:00&factor=0.1&tags=a&tags=b"),
			other("sort=up", "undeclared=1"),
			first.withHeader("X-Trace", "t"),
		},
		different: map[string]call{
			"path.shop":     other("/7/", "/8/"),
			"path.order-id": other("6ba7b810", "6ba7b811"),
			"query.limit":   other("limit=5", "limit=6"),
			"query.filter":  other("=x", "=y"),
			"query.sort":    other("sort=up", "sort=down"),
			"query.dry-run": other("sort=up", "dry-run=true"),
			"query.day":     other("sort=up", "day=2026-02-01"),
			"query.since":   other("sort=up", "since=2026-01-31T12:00:00Z"),
			"query.factor":  other("sort=up", "factor=0.25"),
			"query.tags":    other("sort=up", "tags=b&tags=a"),
		},
	}, &next.n)

	next.n = 0
	scoped := call{method: "DELETE"}.withHeader("Idempotency-Key", "k1")
	for _, path := range []string{"/types/a?region=1&live=true", "/types/b?region=1&live=true", "/types/a?region=2&live=true", "/types/a?region=1&live=false"} {
		for range 2 {
			client.do(scoped.withPath(path))
		}
	}
	if next.n != 4 {
		t.Errorf("four scopes: %d effects", next.n)
	}
}
