// Quickstart is the smallest program that keeps a contract: an orders API on
// net/http that remembers its answers in memory.
package main

import (
	"context"
	"log"
	"net/http"
	"os"
	"os/signal"
	"sync/atomic"

	idem "github.com/idemgen/idemgen/runtime"
	"github.com/idemgen/idemgen/runtime/memstore"
)

//go:generate go tool oapi-codegen -config oapi-codegen.yaml openapi.yaml
//go:generate go tool idemgen generate openapi.yaml

// orders counts orders. It knows nothing of keys.
type orders struct{ last atomic.Int64 }

func (o *orders) CreateOrder(context.Context, CreateOrderRequestObject) (CreateOrderResponseObject, error) {
	return CreateOrder201JSONResponse{Number: int(o.last.Add(1))}, nil
}

func newHandler(engine *idem.Engine) http.Handler {
	server := NewIdempotentServer(&orders{}, engine)
	return HandlerWithOptions(NewStrictHandler(server, nil), StdHTTPServerOptions{
		ErrorHandlerFunc: IdempotencyErrorHandler(nil),
	})
}

func main() {
	engine := idem.New(memstore.New(memstore.Config{}))
	server := &http.Server{Addr: "localhost:8080", Handler: newHandler(engine)}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	context.AfterFunc(ctx, func() { server.Shutdown(context.Background()) })

	log.Println("try it:", `curl -i localhost:8080/orders -H 'Idempotency-Key: 1' --json '{"article":"tea","quantity":2}'`)
	log.Println(server.ListenAndServe())
	engine.Close(context.Background()) // waits for handlers that still run
}
