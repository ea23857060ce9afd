// Package servers_test tries one API on every server of oapi-codegen.
package servers_test

import (
	"context"
	"net"
	"net/http"
	"testing"

	idem "github.com/idemgen/idemgen/runtime"
	"github.com/idemgen/idemgen/runtime/memstore"
	"github.com/idemgen/idemgen/testdata/servers/chi"
	"github.com/idemgen/idemgen/testdata/servers/echo"
	"github.com/idemgen/idemgen/testdata/servers/echo5"
	"github.com/idemgen/idemgen/testdata/servers/fiber"
	"github.com/idemgen/idemgen/testdata/servers/fiber3"
	"github.com/idemgen/idemgen/testdata/servers/gin"
	"github.com/idemgen/idemgen/testdata/servers/gorilla"
	"github.com/idemgen/idemgen/testdata/servers/iris"
	"github.com/idemgen/idemgen/testdata/servers/middleware"
	"github.com/idemgen/idemgen/testdata/servers/plain"
	"github.com/idemgen/idemgen/testdata/servers/plainchi"
	"github.com/idemgen/idemgen/testdata/servers/plaingorilla"
	"github.com/idemgen/idemgen/testdata/servers/stdhttp"
	"github.com/idemgen/idemgen/testdata/servers/suite"

	fiberv3 "github.com/gofiber/fiber/v3"
)

// A server is one of those that oapi-codegen generates, or one without it.
type server struct {
	name string
	// serve serves on a listener until it is closed.
	serve func(net.Listener, *idem.Engine, *suite.Desk) error
	// deaf says that the server does not notice that a client leaves.
	deaf bool
}

func strictServers() []server {
	return []server{
		{name: "std-http", serve: overHTTP(stdhttp.New)},
		{name: "chi", serve: overHTTP(chi.New)},
		{name: "gorilla", serve: overHTTP(gorilla.New)},
		{name: "echo", serve: overHTTP(echo.New)},
		{name: "echo5", serve: overHTTP(echo5.New)},
		{name: "gin", serve: overHTTP(gin.New)},
		{name: "fiber", deaf: true, serve: func(l net.Listener, engine *idem.Engine, desk *suite.Desk) error {
			return fiber.New(engine, desk).Listener(l)
		}},
		{name: "fiber-v3", deaf: true, serve: func(l net.Listener, engine *idem.Engine, desk *suite.Desk) error {
			return fiber3.New(engine, desk).Listener(l, fiberv3.ListenConfig{DisableStartupMessage: true})
		}},
		{name: "iris", serve: overHTTP(iris.New)},
	}
}

func otherServers() []server {
	return []server{
		{name: "std-http", serve: overHTTP(plain.New)},
		{name: "chi", serve: overHTTP(plainchi.New)},
		{name: "gorilla", serve: overHTTP(plaingorilla.New)},
		{name: "middleware", serve: overHTTP(middleware.New)},
	}
}

func overHTTP(handler func(*idem.Engine, *suite.Desk) http.Handler) func(net.Listener, *idem.Engine, *suite.Desk) error {
	return func(l net.Listener, engine *idem.Engine, desk *suite.Desk) error {
		return http.Serve(l, handler(engine, desk))
	}
}

// TestServers runs every scenario on every strict server, each on a server of
// its own.
func TestServers(t *testing.T) { runAll(t, "strict", strictServers()) }

// TestOtherServers does so on servers that are not strict, and on one that is
// written by hand.
func TestOtherServers(t *testing.T) { runAll(t, "other", otherServers()) }

func runAll(t *testing.T, kind string, servers []server) {
	table := newTable(kind, servers)
	for _, server := range servers {
		for _, scenario := range suite.Scenarios() {
			subject := suite.Subject{NoticesDisconnect: !server.deaf}
			if !scenario.Applies(&subject) {
				table.set(scenario.Name, server.name, notApplicable)
				continue
			}
			passed := t.Run(server.name+"/"+scenario.Name, func(t *testing.T) {
				scenario.Run(t, start(t, server))
			})
			table.set(scenario.Name, server.name, result(passed))
		}
	}
	if !t.Failed() {
		table.check(t)
	}
}

// start starts a server that ends with the test.
func start(t *testing.T, s server) *suite.Subject {
	t.Helper()
	events := make(chan idem.Event, 64)
	observer := idem.ObserverFunc(func(_ context.Context, event idem.Event) { events <- event })
	engine := idem.New(memstore.New(memstore.Config{}), idem.WithLogger(nil), idem.WithObserver(observer))
	desk := suite.NewDesk()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	transport := &http.Transport{}
	ended := make(chan error, 1)
	go func() { ended <- s.serve(listener, engine, desk) }()
	t.Cleanup(func() {
		transport.CloseIdleConnections()
		listener.Close()
		<-ended
		ctx, cancel := context.WithTimeout(context.Background(), suite.Patience)
		defer cancel()
		if err := engine.Close(ctx); err != nil {
			t.Error(err)
		}
	})
	return &suite.Subject{
		URL: "http://" + listener.Addr().String(), Desk: desk, Transport: transport, Events: events, NoticesDisconnect: !s.deaf,
	}
}
