package render_test

import (
	"context"
	"testing"

	"github.com/idemgen/idemgen/testdata/cases/ownpackage"
	"github.com/idemgen/idemgen/testdata/cases/ownpackage/idempotent"
)

type ownServer struct{ effects }

func (s *ownServer) CreateOrder(_ context.Context, request ownpackage.CreateOrderRequestObject) (ownpackage.CreateOrderResponseObject, error) {
	return done[ownpackage.CreateOrderResponseObject](&s.effects, ownpackage.CreateOrder201JSONResponse(*request.Body))
}

func (s *ownServer) Ping(context.Context, ownpackage.PingRequestObject) (ownpackage.PingResponseObject, error) {
	return done[ownpackage.PingResponseObject](&s.effects, ownpackage.Ping204Response{})
}

func TestOwnPackage(t *testing.T) {
	next := &ownServer{}
	principal := func(context.Context) (string, error) { return "alice", nil }
	server := idempotent.NewIdempotentServer(next, newEngine(t), principal)
	client := newClient(t, ownpackage.HandlerWithOptions(ownpackage.NewStrictHandler(server, nil), ownpackage.StdHTTPServerOptions{
		ErrorHandlerFunc: idempotent.IdempotencyErrorHandler(nil),
	}))
	order := call{method: "POST", path: "/orders", body: `{"status":"open","amount":1,"note":"n"}`}.withHeader("Idempotency-Key", "k")
	client.run(scenario{first: order, different: map[string]call{
		"status": order.withBody(`{"status":"closed","amount":1,"note":"n"}`),
		"note":   order.withBody(`{"status":"open","amount":1}`),
	}}, &next.n)
	if a := client.do(call{method: "POST", path: "/orders", body: order.body}); a.problem != "missing-key" {
		t.Errorf("no key: %d %s", a.status, a.body)
	}
	next.n = 0
	for range 2 {
		client.do(call{method: "GET", path: "/ping"})
	}
	if next.n != 2 {
		t.Errorf("an operation without a contract ran %d times of 2", next.n)
	}
}
