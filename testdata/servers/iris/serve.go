package iris

import (
	"context"
	"net/http"

	"github.com/kataras/iris/v12"

	idem "github.com/idemgen/idemgen/runtime"
	"github.com/idemgen/idemgen/runtime/nethttp"
	"github.com/idemgen/idemgen/testdata/servers/suite"
)

// New returns the server with its contracts kept by engine.
func New(engine *idem.Engine, desk *suite.Desk) http.Handler {
	app := iris.New()
	app.Logger().SetLevel("disable")
	app.Use(func(ctx iris.Context) {
		ctx.Header(suite.MiddlewareHeader, suite.MiddlewareValue)
		ctx.Header("Vary", suite.MiddlewareVary)
		ctx.Values().Set(suite.CallerKey, ctx.GetHeader(suite.CallerHeader))
		ctx.Next()
	})
	server := NewIdempotentServer(handler{desk}, engine, app, desk.Principal)
	RegisterHandlersWithOptions(app, NewStrictHandler(server, nil), IrisServerOptions{
		Middlewares: []MiddlewareFunc{IdempotencyErrorHandler()},
	})
	return app
}

// A note is an answer of text with links.
type note string

func (n note) VisitAddNoteResponse(ctx iris.Context) error {
	return suite.WriteNote(ctx.ResponseWriter(), string(n))
}

// caller asks iris's own context.
func caller(ctx context.Context) string {
	return nethttp.ServerContext(ctx).(iris.Context).Values().GetString(suite.CallerKey)
}
