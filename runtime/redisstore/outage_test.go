package redisstore_test

import (
	"context"
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"go.uber.org/goleak"

	idem "github.com/idemgen/idemgen/runtime"
	"github.com/idemgen/idemgen/runtime/redisstore"
	"github.com/idemgen/idemgen/runtime/storetest/redistest"
)

// TestHangingServer is what a hanging server costs requests: the time limit of
// a step at first, then next to nothing for the claim, and protection is back
// soon after the server is.
func TestHangingServer(t *testing.T) {
	t.Parallel()
	const handlerTime, limit = 200 * time.Millisecond, 300 * time.Millisecond
	server, _, store := start(t)
	service := newService(t, store)
	service.want("201 x", service.call(idem.RefuseRequest, "first", "x", 0))

	server.Pause(t)
	service.within(2, handlerTime+limit, "201 x unprotected", idem.RunUnprotected, handlerTime)
	service.within(2, limit, "503", idem.RefuseRequest, 0)
	for range 6 {
		service.call(idem.RefuseRequest, "", "x", 0)
	}
	service.within(5, 5*time.Millisecond, "503", idem.RefuseRequest, 0)
	service.within(5, 5*time.Millisecond, "201 x unprotected", idem.RunUnprotected, 0)

	server.Continue(t)
	back := time.Now()
	eventually(t, "requests run protected", func() bool {
		return service.call(idem.RunUnprotected, "", "x", 0) == "201 x"
	})
	if took := time.Since(back); took > 2*time.Second {
		t.Errorf("protection was back after %v, want 2s", took)
	}
	service.want("201 x replayed", service.call(idem.RefuseRequest, "first", "y", 0))
}

// isOpen reports whether an error is that of a breaker.
func isOpen(err error) bool {
	return errors.Is(err, idem.ErrNotApplied) && strings.Contains(err.Error(), "is not asked after")
}

// openBreaker claims new keys until the breaker answers.
func openBreaker(t *testing.T, store *redisstore.Store) {
	t.Helper()
	for range redisstore.DefaultBreakAfter {
		if _, err := claimNew(t, store); err == nil || isOpen(err) {
			t.Fatalf("error %v, want that of the server", err)
		}
	}
	if _, err := claimNew(t, store); !isOpen(err) {
		t.Fatalf("error %v, want that of the breaker", err)
	}
}

func claimNew(t *testing.T, store *redisstore.Store) (idem.Reply, error) {
	t.Helper()
	key, _ := newKey(t)
	return store.Claim(shortly(t), key, newPending())
}

// shortly returns a context with the time limit of a step.
func shortly(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), stepLimit)
	t.Cleanup(cancel)
	return ctx
}

func TestStepsThatPassTheBreaker(t *testing.T) {
	t.Parallel()
	server, _, store := start(t)
	claimNew(t, store)
	server.Pause(t)
	openBreaker(t, store)
	key, _ := newKey(t)
	r := newPending()
	if _, err := store.Load(shortly(t), key); !isOpen(err) {
		t.Errorf("load: error %v, want that of the breaker", err)
	}
	for name, step := range map[string]func(ctx context.Context) (idem.Reply, error){
		"claim of an answer": func(ctx context.Context) (idem.Reply, error) { return store.Claim(ctx, key, in(idem.Done, r)) },
		"takeover":           func(ctx context.Context) (idem.Reply, error) { return store.Takeover(ctx, key, r, newPending()) },
		"renew":              func(ctx context.Context) (idem.Reply, error) { return store.Renew(ctx, key, r) },
		"complete":           func(ctx context.Context) (idem.Reply, error) { return store.Complete(ctx, key, in(idem.Done, r)) },
		"release": func(ctx context.Context) (idem.Reply, error) {
			return store.Release(ctx, key, in(idem.Released, r), true)
		},
	} {
		if _, err := step(shortly(t)); err == nil || errors.Is(err, idem.ErrNotApplied) {
			t.Errorf("%s: error %v, want one of a step that was sent", name, err)
		}
	}
}

// TestRefusingServers checks that a server which refuses claims is left alone,
// replays what it lets read, and is used again soon after it takes writes.
func TestRefusingServers(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		code   string
		args   []string
		reads  bool // done records can still be read
		refuse []any
		relent []any
	}{
		{"OOM", nil, true, []any{"config", "set", "maxmemory", "1"}, []any{"config", "set", "maxmemory", "0"}},
		{"NOREPLICAS", nil, true, []any{"config", "set", "min-replicas-to-write", "1"}, []any{"config", "set", "min-replicas-to-write", "0"}},
		{"READONLY", nil, true, []any{"replicaof", "127.0.0.1", "1"}, []any{"replicaof", "no", "one"}},
		{"NOPERM", nil, false, []any{"acl", "setuser", "default", "-set"}, []any{"acl", "setuser", "default", "+set"}},
	} {
		t.Run(c.code, func(t *testing.T) {
			t.Parallel()
			server, _, store := start(t, c.args...)
			refusing(t, store, c.code, c.reads,
				func() { command(t, server, c.refuse...) },
				func() { command(t, server, c.relent...) })
		})
	}
}

// TestServerThatCannotSave is a server that refuses writes since its last
// snapshot failed.
func TestServerThatCannotSave(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	server, client, store := start(t, "--dir", folder, "--save", "3600 1000000")
	save := func() {
		command(t, server, "bgsave")
		eventually(t, "the snapshot ends", func() bool {
			info, err := client.InfoMap(soon(t), "persistence").Result()
			return err == nil && info["Persistence"]["rdb_bgsave_in_progress"] == "0"
		})
	}
	refusing(t, store, "MISCONF", true, func() {
		if err := os.RemoveAll(folder); err != nil {
			t.Fatal(err)
		}
		save()
	}, func() { command(t, server, "config", "set", "stop-writes-on-bgsave-error", "no") })
}

func refusing(t *testing.T, store *redisstore.Store, code string, reads bool, refuse, relent func()) {
	t.Helper()
	settled, _ := newKey(t)
	done := in(idem.Done, newPending())
	mustAccept(t)(store.Complete(soon(t), settled, done))

	refuse()
	openBreaker(t, store)
	_, err := claimNew(t, store)
	if !strings.Contains(err.Error(), code) {
		t.Errorf("error %v, want one that tells of %s", err, code)
	}
	if reads {
		mustRefuse(t, done)(store.Claim(shortly(t), settled, newPending()))
		mustRefuse(t, done)(store.Load(shortly(t), settled))
		if _, err := claimNew(t, store); !isOpen(err) {
			t.Errorf("after reads: error %v, want that of the breaker", err)
		}
	}
	relent()
	wantBack(t, store)
}

// wantBack checks that the store takes claims again within two seconds.
func wantBack(t *testing.T, store *redisstore.Store) {
	t.Helper()
	back := time.Now()
	eventually(t, "a claim is accepted", func() bool {
		reply, err := claimNew(t, store)
		return err == nil && reply.Accepted
	})
	if took := time.Since(back); took > 2*time.Second {
		t.Errorf("claims were accepted again after %v, want 2s", took)
	}
}

// command has a server run a command, as an administrator would.
func command(t *testing.T, server *redistest.Server, args ...any) {
	t.Helper()
	if err := server.Client(t).Do(soon(t), args...).Err(); err != nil {
		t.Fatalf("%v: %v", args, err)
	}
}

func TestLoadingServer(t *testing.T) {
	t.Parallel()
	server, _, store := start(t, "--enable-debug-command", "yes", "--key-load-delay", "1000",
		"--loading-process-events-interval-bytes", "1024")
	command(t, server, "debug", "populate", "2000")
	opts := server.Options()
	opts.ReadTimeout = time.Minute
	loaded := make(chan error, 1)
	go func() { loaded <- newClient(t, opts).Do(context.Background(), "debug", "reload").Err() }()
	eventually(t, "the server says that it is loading", func() bool {
		_, err := claimNew(t, store)
		return redis.IsLoadingError(err)
	})
	eventually(t, "the breaker opens", func() bool {
		_, err := claimNew(t, store)
		return isOpen(err)
	})
	if err := <-loaded; err != nil {
		t.Fatal(err)
	}
	wantBack(t, store)
}

func TestKilledServer(t *testing.T) {
	t.Parallel()
	server, _, store := start(t)
	mustAccept(t)(claimNew(t, store))
	server.Kill(t)
	openBreaker(t, store)
	server.Restart(t)
	wantBack(t, store)
}

// TestCloseEndsProbes checks that nothing of a breaker stays behind.
func TestCloseEndsProbes(t *testing.T) {
	server := redistest.Start(t)
	known := goleak.IgnoreCurrent()
	for _, keepsDeadlines := range []bool{true, false} {
		opts := server.Options()
		opts.ContextTimeoutEnabled = keepsDeadlines
		client := redis.NewClient(opts)
		store := redisstore.New(client, redisstore.Config{})
		claimNew(t, store)
		server.Pause(t)
		openBreaker(t, store)
		store.Close()
		server.Continue(t) // a client that keeps no deadlines waits for it
		client.Close()
		goleak.VerifyNone(t, known)
	}
}
