package gomodel

import "github.com/idemgen/idemgen/generator/internal/server"

// A backend is how the generated code meets one framework.
type backend struct {
	// serve is the call that keeps a contract, up to its context.
	serve string
	// parameter is the parameter of a Visit method, writer the
	// http.ResponseWriter that a reply is written to there.
	parameter, writer string
	// records says that a Visit method does not write to an
	// http.ResponseWriter: the wrapper's method record makes it do so.
	records bool
	// clones says that strings of the request are valid for as long as the
	// handler runs, and no longer.
	clones bool
	// app is the type of the application that the server runs in, where
	// that is needed to write an answer; appDoc says which one it is.
	app, appDoc string
	// support is the template of what else the wrapper needs, "" for none.
	support string
	// errorHandler is the template of the handler of binding errors.
	errorHandler string
	// name qualifies the framework's own names, "" for none.
	name string
}

// netHTTP is the backend of all that hand an http.ResponseWriter on.
func netHTTP() backend {
	return backend{
		serve:        "nethttp.Serve(ctx",
		parameter:    "w http.ResponseWriter",
		writer:       "w",
		errorHandler: "error handler",
	}
}

func backendOf(framework server.Framework) backend {
	b := netHTTP()
	switch framework {
	case server.Echo:
		b.name, b.errorHandler = "echo", "error handler echo"
	case server.EchoV5:
		b.name, b.errorHandler = "echo", "error handler echo v5"
	case server.Gin:
		b.name, b.errorHandler = "gin", "error handler gin"
		b.serve, b.support = "nethttp.ServePooled(ctx, s.requestContext(ctx)", "support gin"
	case server.Fiber:
		b = fiber("*fiber.Ctx")
	case server.FiberV3:
		b = fiber("fiber.Ctx")
	case server.Iris:
		b.name, b.errorHandler = "iris", "error handler iris"
		b.serve, b.support = "nethttp.ServePooled(ctx, s.requestContext(ctx)", "support iris"
		b.parameter, b.writer = "ctx iris.Context", "ctx.ResponseWriter()"
		b.records = true
		b.app, b.appDoc = "*iris.Application", "Iris application"
	}
	return b
}

func fiber(context string) backend {
	return backend{
		name:         "fiber",
		serve:        "nethttp.Serve(ctx",
		parameter:    "ctx " + context,
		writer:       "nethttp.NewFastWriter(ctx.Response(), &ctx.Response().Header)",
		records:      true,
		clones:       true,
		app:          "*fiber.App",
		appDoc:       "Fiber app",
		support:      "support fiber",
		errorHandler: "error handler fiber",
	}
}

// record returns the function that writes an answer to an http.ResponseWriter.
func (b *backend) record(visit string) string {
	if b.records {
		return "s.record(response." + visit + ")"
	}
	return "response." + visit
}
