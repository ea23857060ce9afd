package render_test

import (
	"context"
	"testing"

	"github.com/idemgen/idemgen/testdata/cases/references"
)

type referenceServer struct{ effects }

func (s *referenceServer) ChangeOrder(_ context.Context, request references.ChangeOrderRequestObject) (references.ChangeOrderResponseObject, error) {
	return done[references.ChangeOrderResponseObject](&s.effects,
		references.ChangeOrder200JSONResponse{ChangedJSONResponse: references.ChangedJSONResponse(*request.Body)})
}

func TestReferences(t *testing.T) {
	next := &referenceServer{}
	server := references.NewIdempotentServer(next, newEngine(t))
	client := newClient(t, references.Handler(references.NewStrictHandler(server, nil)))

	const body = `{"code":"c","status":"open","placed":"2026-01-31T12:00:00Z","line":{"sku":"s","extra":{"a":1,"b":[true,null]}},` +
		`"state":"open","level":2,"day":"2026-01-31","mail":"a@example.com","price":1.25,"blob":"AAEC","anything":{"x":1}}`
	first := call{method: "POST", path: "/orders/6ba7b810-9dad-11d1-80b4-00c04fd430c8?expand=all", body: body}.
		withHeader("Idempotency-Key", "key-0001").withHeader("X-Tenant", "6ba7b811-9dad-11d1-80b4-00c04fd430c8")
	other := func(pairs ...string) call { return first.withBody(edit(body, pairs...)) }
	client.run(scenario{
		first: first,
		same: []call{
			other(`{"a":1,"b":[true,null]}`, `{"b":[true,null],"a":1.0}`),
			other(`{"x":1}`, `{"x":1e0}`),
			first.withHeader("X-Tenant", "6BA7B811-9DAD-11D1-80B4-00C04FD430C8"),
		},
		different: map[string]call{
			"path.order":   first.withPath("/orders/6ba7b819-9dad-11d1-80b4-00c04fd430c8?expand=all"),
			"query.expand": first.withPath("/orders/6ba7b810-9dad-11d1-80b4-00c04fd430c8?expand=lines"),
			"code":         other(`"c"`, `"d"`),
			"status":       other(`"status":"open"`, `"status":"closed"`),
			"state":        other(`"state":"open",`, ``),
			"level":        other(`"level":2`, `"level":3`),
			"placed":       other("12:00", "12:01"),
			"day":          other(`"2026-01-31"`, `"2026-01-30"`),
			"mail":         other("a@", "b@"),
			"price":        other("1.25", "1.5"),
			"line/sku":     other(`"sku":"s"`, `"sku":"t"`),
			"line/extra":   other("[true,null]", "[null,true]"),
			"blob":         other("AAEC", "AAED"),
			"anything":     other(`{"x":1}`, `{"x":"1"}`),
		},
	}, &next.n)
}
