package render_test

import (
	"context"
	"testing"

	"github.com/idemgen/idemgen/testdata/cases/imports"
)

type importsServer struct{ effects }

func (s *importsServer) CreateOrder(context.Context, imports.CreateOrderRequestObject) (imports.CreateOrderResponseObject, error) {
	return done[imports.CreateOrderResponseObject](&s.effects, imports.CreateOrder204Response{})
}

// Fields whose types are in other packages are picked as those of the same.
func TestImports(t *testing.T) {
	next := &importsServer{}
	server := imports.NewIdempotentServer(next, newEngine(t))
	client := newClient(t, imports.Handler(imports.NewStrictHandler(server, nil)))
	const id = `"request_id":"6ba7b810-9dad-11d1-80b4-00c04fd430c8","account":"a"`
	base := call{method: "POST", path: "/orders/1", body: `{` + id + `,"customer":{"name":"A"},"total":{"amount":5,"currency":"EUR"}}`}.withHeader("X-Tenant", "7")
	client.run(scenario{first: base,
		same: []call{
			base.withBody(`{` + id + `,"customer":{"name":"A","address":{"country":"de"}},"total":{"amount":5},"placed":"2026-01-01T01:00:00+01:00"}`),
			base.withPath("/orders/1?dryRun=false"),
		},
		different: map[string]call{
			"customer/name":            base.withBody(`{` + id + `,"customer":{"name":"B"},"total":{"amount":5}}`),
			"customer/address/country": base.withBody(`{` + id + `,"customer":{"name":"A","address":{"country":"fr"}},"total":{"amount":5}}`),
			"total/amount":             base.withBody(`{` + id + `,"customer":{"name":"A"},"total":{"amount":6}}`),
			"placed":                   base.withBody(`{` + id + `,"customer":{"name":"A"},"total":{"amount":5},"placed":"2026-01-01T01:00:00Z"}`),
			"path.id":                  base.withPath("/orders/2"),
		},
	}, &next.n)
	if a := client.do(base.withHeader("X-Tenant", "8")); a.replayed {
		t.Error("two tenants share a key")
	}
}
