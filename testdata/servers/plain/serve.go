package plain

import (
	"net/http"

	idem "github.com/idemgen/idemgen/runtime"
	"github.com/idemgen/idemgen/testdata/servers/suite"
)

// New returns the server with its contracts kept by engine.
func New(engine *idem.Engine, desk *suite.Desk) http.Handler {
	server := NewIdempotentServer(handler{desk}, engine, desk.Principal)
	api := HandlerWithOptions(server, StdHTTPServerOptions{
		ErrorHandlerFunc: IdempotencyErrorHandler(nil),
	})
	return suite.Middleware(api)
}
