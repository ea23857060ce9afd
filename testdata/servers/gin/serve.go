package gin

import (
	"context"
	"net/http"

	"github.com/gin-gonic/gin"

	idem "github.com/idemgen/idemgen/runtime"
	"github.com/idemgen/idemgen/runtime/nethttp"
	"github.com/idemgen/idemgen/testdata/servers/suite"
)

// New returns the server with its contracts kept by engine.
func New(engine *idem.Engine, desk *suite.Desk) http.Handler {
	gin.SetMode(gin.ReleaseMode)
	router := gin.New()
	router.Use(func(c *gin.Context) {
		c.Header(suite.MiddlewareHeader, suite.MiddlewareValue)
		c.Header("Vary", suite.MiddlewareVary)
		c.Set(suite.CallerKey, c.GetHeader(suite.CallerHeader))
	})
	server := NewIdempotentServer(handler{desk}, engine, desk.Principal)
	RegisterHandlersWithOptions(router, NewStrictHandler(server, nil), GinServerOptions{
		ErrorHandler: IdempotencyErrorHandler(nil),
	})
	return router
}

// A note is an answer of text with links.
type note string

func (n note) VisitAddNoteResponse(w http.ResponseWriter) error { return suite.WriteNote(w, string(n)) }

// caller asks gin's own context.
func caller(ctx context.Context) string {
	return nethttp.ServerContext(ctx).(*gin.Context).GetString(suite.CallerKey)
}
