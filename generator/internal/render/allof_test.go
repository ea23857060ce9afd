package render_test

import (
	"context"
	"testing"

	"github.com/idemgen/idemgen/testdata/cases/allof"
)

type allofServer struct{ effects }

func (s *allofServer) CreateOrder(context.Context, allof.CreateOrderRequestObject) (allof.CreateOrderResponseObject, error) {
	return done[allof.CreateOrderResponseObject](&s.effects, allof.CreateOrder204Response{})
}

func (s *allofServer) CreateShipment(context.Context, allof.CreateShipmentRequestObject) (allof.CreateShipmentResponseObject, error) {
	return done[allof.CreateShipmentResponseObject](&s.effects, allof.CreateShipment204Response{})
}

func TestAllOf(t *testing.T) {
	next := &allofServer{}
	server := allof.NewIdempotentServer(next, newEngine(t))
	client := newClient(t, allof.Handler(allof.NewStrictHandler(server, nil)))

	order := call{method: "POST", path: "/orders"}.withHeader("Idempotency-Key", "k")
	client.run(scenario{
		first: order.withBody(`{"reference":"r","amount":1,"shipping":{"reference":"s","city":"Bonn"}}`),
		same:  []call{order.withBody(`{"shipping":{"city":"Bonn","reference":"s"},"amount":1,"reference":"r"}`)},
		different: map[string]call{
			"reference": order.withBody(`{"reference":"q","amount":1,"shipping":{"reference":"s","city":"Bonn"}}`),
			"amount":    order.withBody(`{"reference":"r","amount":2,"shipping":{"reference":"s","city":"Bonn"}}`),
			"shipping":  order.withBody(`{"reference":"r","amount":1,"shipping":{"reference":"s","city":"Kiel"}}`),
			"parent":    order.withBody(`{"reference":"r","amount":1,"shipping":{"reference":"s","city":"Bonn"},"parent":{"reference":"p"}}`),
		},
	}, &next.n)

	shipment := call{method: "POST", path: "/shipments"}.withHeader("Idempotency-Key", "k")
	client.run(scenario{
		first: shipment.withBody(`{"reference":"r","to":{"reference":"s","city":"Bonn"}}`),
		same:  []call{shipment.withBody(`{"reference":"r","to":{"reference":"s","city":"Bonn"},"parent":{"reference":"not compared"}}`)},
		different: map[string]call{
			"to/city":              shipment.withBody(`{"reference":"r","to":{"reference":"s"}}`),
			"to/reference":         shipment.withBody(`{"reference":"r","to":{"reference":"t","city":"Bonn"}}`),
			"to/city to/reference": shipment.withBody(`{"reference":"r"}`),
		},
	}, &next.n)
}
