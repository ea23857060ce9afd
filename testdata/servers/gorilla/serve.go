package gorilla

import (
	"context"
	"net/http"

	idem "github.com/idemgen/idemgen/runtime"
	"github.com/idemgen/idemgen/testdata/servers/suite"
)

// New returns the server with its contracts kept by engine.
func New(engine *idem.Engine, desk *suite.Desk) http.Handler {
	server := NewIdempotentServer(handler{desk}, engine, desk.Principal)
	api := HandlerWithOptions(NewStrictHandler(server, nil), GorillaServerOptions{
		ErrorHandlerFunc: IdempotencyErrorHandler(nil),
	})
	return suite.Middleware(api)
}

// A note is an answer of text with links.
type note string

func (n note) VisitAddNoteResponse(w http.ResponseWriter) error { return suite.WriteNote(w, string(n)) }

func caller(ctx context.Context) string { return suite.Caller(ctx) }
