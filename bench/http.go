package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strconv"
	"sync/atomic"

	"github.com/gofiber/fiber/v3"
	"github.com/gofiber/fiber/v3/middleware/idempotency"
	fiberredis "github.com/gofiber/storage/redis/v3"

	"github.com/idemgen/idemgen/examples/payments/api"
	idem "github.com/idemgen/idemgen/runtime"
	"github.com/idemgen/idemgen/runtime/redisstore"
)

// httpRows compares whole requests: the bare generated server, the same one
// with its contracts on Redis, and fiber's middleware on its Redis storage.
func httpRows(p plan, t *table) error {
	srv, err := startServer()
	if err != nil {
		return err
	}
	defer srv.stop()
	var sent [3]atomic.Int64
	engine := idem.New(redisstore.New(srv.client(&sent[1]), redisstore.Config{}))
	defer engine.Close(context.Background())
	bare := serveHTTP(handler(payments{}))
	defer bare.close()
	ours := serveHTTP(handler(api.NewIdempotentServer(payments{}, engine, principal)))
	defer ours.close()
	peer, err := serveFiber(fiberredis.NewFromConnection(srv.client(&sent[2])))
	if err != nil {
		return err
	}
	defer peer.close()
	var keys atomic.Uint64
	first := func() uint64 { return keys.Add(1) }
	again := func() uint64 { return keys.Add(1) % hotKeys }
	var races []race
	for _, kind := range []struct {
		what string
		key  func() uint64
	}{{"HTTP first", first}, {"HTTP replay", again}} {
		for _, connections := range []int{1, 64} {
			races = append(races, race{
				what: kind.what, callers: connections, unit: "connections", server: srv,
				limit: bare.contender(&sent[0], kind.key), ours: ours.contender(&sent[1], kind.key), peer: new(peer.contender(&sent[2], kind.key)),
			})
		}
	}
	return t.races(p, races)
}

// payments is the server whose handler does nothing else.
type payments struct{ api.StrictServerInterface }

// CreatePayment answers at once.
func (payments) CreatePayment(_ context.Context, request api.CreatePaymentRequestObject) (api.CreatePaymentResponseObject, error) {
	location := "/payments/pay_1234567890"
	return api.CreatePayment201JSONResponse{
		Body:    api.Payment{Id: "pay_1234567890", Amount: request.Body.Amount, Currency: string(request.Body.Currency)},
		Headers: api.CreatePayment201ResponseHeaders{Location: &location},
	}, nil
}

func principal(context.Context) (string, error) { return "user:1", nil }

func handler(server api.StrictServerInterface) http.Handler {
	return api.Handler(api.NewStrictHandler(server, nil))
}

// A target is a running server.
type target struct {
	addr      string
	keyHeader string
	close     func()
	callers   map[int]*httpCaller // by number; connections stay open
}

func serveHTTP(h http.Handler) *target {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err) // no loopback interface
	}
	server := &http.Server{Handler: h}
	go server.Serve(l)
	return &target{addr: l.Addr().String(), keyHeader: "Idempotency-Key", close: func() { server.Close() }}
}

// serveFiber serves the same operation with fiber and its middleware, in the
// settings that its documentation recommends: its defaults and a shared storage.
func serveFiber(storage fiber.Storage) (*target, error) {
	app := fiber.New()
	app.Use(idempotency.New(idempotency.Config{Storage: storage}))
	app.Post("/payments", func(c fiber.Ctx) error {
		var body api.NewPayment
		if err := c.Bind().JSON(&body); err != nil {
			return err
		}
		c.Set("Location", "/payments/pay_1234567890")
		return c.Status(http.StatusCreated).JSON(api.Payment{Id: "pay_1234567890", Amount: body.Amount, Currency: string(body.Currency)})
	})
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	go app.Listener(l, fiber.ListenConfig{DisableStartupMessage: true})
	return &target{addr: l.Addr().String(), keyHeader: "X-Idempotency-Key", close: func() { app.Shutdown() }}, nil
}

func (t *target) contender(sent *atomic.Int64, key func() uint64) contender {
	t.callers = map[int]*httpCaller{}
	return contender{sent: sent, caller: func(i int) func() error {
		c := t.callers[i]
		if c == nil {
			c = &httpCaller{target: t}
			t.callers[i] = c
		}
		return func() error { return c.post(key()) }
	}}
}

// An httpCaller sends one request after the other on one connection. It is as
// plain as can be, so that it takes little of what is measured.
type httpCaller struct {
	target *target
	conn   net.Conn
	reader *bufio.Reader
	buf    []byte
}

const paymentBody = `{"order_id":"o-1234567","amount":1999,"currency":"EUR"}`

func (c *httpCaller) post(key uint64) error {
	if c.conn == nil {
		conn, err := net.Dial("tcp", c.target.addr)
		if err != nil {
			return err
		}
		c.conn, c.reader = conn, bufio.NewReader(conn)
	}
	c.buf = fmt.Appendf(c.buf[:0], "POST /payments HTTP/1.1\r\nHost: bench\r\nContent-Type: application/json\r\nX-Account-Id: acc-1\r\n%s: %s\r\nContent-Length: %d\r\n\r\n%s",
		c.target.keyHeader, uuid(key), len(paymentBody), paymentBody)
	if _, err := c.conn.Write(c.buf); err != nil {
		return err
	}
	return c.answer()
}

var statusLine = []byte("HTTP/1.1 201 ")

// answer reads an answer, which must be a 201 with a Content-Length.
func (c *httpCaller) answer() error {
	line, err := c.reader.ReadSlice('\n')
	if err != nil {
		return err
	}
	if !bytes.HasPrefix(line, statusLine) {
		return fmt.Errorf("answered %q", line)
	}
	length := -1
	for {
		line, err = c.reader.ReadSlice('\n')
		if err != nil {
			return err
		}
		if len(line) <= 2 {
			break
		}
		if name := "content-length: "; len(line) > len(name) && bytes.EqualFold(line[:len(name)], []byte(name)) {
			if length, err = strconv.Atoi(string(bytes.TrimSpace(line[len(name):]))); err != nil {
				return err
			}
		}
	}
	if length < 0 {
		return errors.New("answered without a Content-Length")
	}
	_, err = c.reader.Discard(length)
	return err
}
