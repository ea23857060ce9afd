package redisstore_test

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"log/slog"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	idem "github.com/idemgen/idemgen/runtime"
	"github.com/idemgen/idemgen/runtime/redisstore"
	"github.com/idemgen/idemgen/runtime/storetest"
	"github.com/idemgen/idemgen/runtime/storetest/redistest"
)

func TestConformance(t *testing.T) {
	t.Parallel()
	server := redistest.Start(t)
	hanging := redistest.Start(t)
	hanging.Client(t).Ping(t.Context())
	hanging.Pause(t)
	options := map[string]func(addr string) *redis.Options{
		"client that keeps deadlines": func(addr string) *redis.Options {
			return &redis.Options{Addr: addr, ContextTimeoutEnabled: true}
		},
		"client with defaults": func(addr string) *redis.Options {
			return &redis.Options{Addr: addr}
		},
		"client of RESP2": func(addr string) *redis.Options {
			return &redis.Options{Addr: addr, Protocol: 2}
		},
	}
	for name, options := range options {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			client := newClient(t, options(server.Addr))
			open := func(t *testing.T) idem.Store { return open(t, client) }
			openHanging := func(t *testing.T) idem.Store {
				return redisstore.New(newClient(t, options(hanging.Addr)), redisstore.Config{})
			}
			storetest.Run(t, open, storetest.Hanging(openHanging))
		})
	}
}

func TestConformanceCluster(t *testing.T) {
	t.Parallel()
	client := redistest.Cluster(t, 3, 0).Client(t)
	storetest.Run(t, func(t *testing.T) idem.Store { return open(t, client) })
}

// newClient returns a client that is closed after the test.
func newClient(t *testing.T, options *redis.Options) *redis.Client {
	client := redis.NewClient(options)
	t.Cleanup(func() { client.Close() })
	return client
}

// open returns a store that is closed after the test.
func open(t testing.TB, client redis.UniversalClient) *redisstore.Store {
	return openWith(t, client, redisstore.Config{})
}

func openWith(t testing.TB, client redis.UniversalClient, config redisstore.Config) *redisstore.Store {
	if config.Logger == nil {
		config.Logger = slog.New(slog.NewTextHandler(t.Output(), nil))
	}
	store := redisstore.New(client, config)
	t.Cleanup(func() { store.Close() })
	return store
}

// start returns a store on a server of its own.
func start(t testing.TB, args ...string) (*redistest.Server, *redis.Client, *redisstore.Store) {
	server := redistest.Start(t, args...)
	client := server.Client(t)
	return server, client, open(t, client)
}

// newKey returns a random key, and the name of its record.
func newKey(t testing.TB) (idem.StoreKey, string) {
	t.Helper()
	var sum [32]byte
	rand.Read(sum[:])
	key, err := idem.ParseStoreKey("test:operation:" + base64.RawURLEncoding.EncodeToString(sum[:]))
	if err != nil {
		t.Fatal(err)
	}
	return key, redisstore.DefaultPrefix + key.String()
}

func newPending() *idem.Record {
	r := &idem.Record{State: idem.Pending, Attempt: 1, TTL: time.Minute, Lease: time.Minute}
	rand.Read(r.Token[:])
	return r
}

func in(state idem.State, r *idem.Record) *idem.Record {
	n := *r
	n.State = state
	if state == idem.Done {
		n.Answer = &idem.Answer{Status: 201, Body: []byte("body")}
	}
	return &n
}

// mustAccept checks the results of a step.
func mustAccept(t testing.TB) func(reply idem.Reply, err error) {
	t.Helper()
	return func(reply idem.Reply, err error) {
		t.Helper()
		if err != nil || !reply.Accepted {
			t.Fatalf("%+v, %v; want it accepted", reply, err)
		}
	}
}

// mustRefuse checks the results of a step, and that the key has want.
func mustRefuse(t testing.TB, want *idem.Record) func(reply idem.Reply, err error) {
	t.Helper()
	return func(reply idem.Reply, err error) {
		t.Helper()
		if err != nil || reply.Accepted {
			t.Fatalf("%+v, %v; want it refused", reply, err)
		}
		if reply.Record == nil || reply.Record.State != want.State || reply.Record.Token != want.Token {
			t.Fatalf("the key has %+v, want %+v", reply.Record, want)
		}
	}
}

// soon returns a context that lasts long enough for anything that works.
func soon(t testing.TB) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	t.Cleanup(cancel)
	return ctx
}
