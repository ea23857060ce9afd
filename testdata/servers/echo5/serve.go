package echo5

import (
	"context"
	"net/http"

	"github.com/labstack/echo/v5"

	idem "github.com/idemgen/idemgen/runtime"
	"github.com/idemgen/idemgen/testdata/servers/suite"
)

// New returns the server with its contracts kept by engine.
func New(engine *idem.Engine, desk *suite.Desk) http.Handler {
	e := echo.New()
	e.HTTPErrorHandler = IdempotencyErrorHandler(nil)
	e.Use(echo.WrapMiddleware(suite.Middleware))
	server := NewIdempotentServer(handler{desk}, engine, desk.Principal)
	RegisterHandlers(e, NewStrictHandler(server, nil))
	return e
}

// A note is an answer of text with links.
type note string

func (n note) VisitAddNoteResponse(w http.ResponseWriter) error { return suite.WriteNote(w, string(n)) }

func caller(ctx context.Context) string { return suite.Caller(ctx) }
