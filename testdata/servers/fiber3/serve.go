package fiber3

import (
	"context"

	"github.com/gofiber/fiber/v3"

	idem "github.com/idemgen/idemgen/runtime"
	"github.com/idemgen/idemgen/testdata/servers/suite"
)

// New returns the server with its contracts kept by engine.
func New(engine *idem.Engine, desk *suite.Desk) *fiber.App {
	app := fiber.New(fiber.Config{
		ErrorHandler: IdempotencyErrorHandler(nil),
	})
	app.Use(func(c fiber.Ctx) error {
		c.Set(suite.MiddlewareHeader, suite.MiddlewareValue)
		c.Vary(suite.MiddlewareVary)
		c.SetContext(suite.WithCaller(c.Context(), c.Get(suite.CallerHeader)))
		return c.Next()
	})
	server := NewIdempotentServer(handler{desk}, engine, app, desk.Principal)
	RegisterHandlers(app, NewStrictHandler(server, nil))
	return app
}

// A note is an answer of text with links.
type note string

func (n note) VisitAddNoteResponse(c fiber.Ctx) error {
	for _, link := range suite.Links() {
		c.Response().Header.Add("Link", link)
	}
	c.Vary("Accept")
	return c.SendString(string(n))
}

func caller(ctx context.Context) string { return suite.Caller(ctx) }
