package redisstore_test

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"net"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	idem "github.com/idemgen/idemgen/runtime"
	"github.com/idemgen/idemgen/runtime/redisstore"
	"github.com/idemgen/idemgen/runtime/storetest/redistest"
)

func TestOpen(t *testing.T) {
	t.Parallel()
	socket := filepath.Join(t.TempDir(), "redis.sock")
	server := redistest.Start(t, "--unixsocket", socket, "--appendonly", "yes")
	command(t, server, "acl", "setuser", "pay", "on", ">p@/w", "~*", "&*", "+@all")
	cluster := redistest.Cluster(t, 3, 0)
	sentinel := redistest.Sentinel(t, 1)
	for name, url := range map[string]string{
		"single":       "redis://" + server.Addr,
		"with a user":  "redis://pay:p%40%2Fw@" + server.Addr + "/3?pool_size=5",
		"unix":         "unix://" + socket,
		"cluster":      "redis+cluster://" + addrs(cluster.Masters),
		"one of many":  "redis+cluster://" + cluster.Masters[2].Addr,
		"sentinel":     "redis+sentinel://" + addrs(sentinel.Sentinels) + "/" + redistest.MasterName,
		"sentinel, db": "redis+sentinel://" + addrs(sentinel.Sentinels) + "/" + redistest.MasterName + "?db=1",
	} {
		t.Run(name, func(t *testing.T) {
			store, err := redisstore.Open(soon(t), url, redisstore.Config{Logger: logTo(t)})
			if err != nil {
				t.Fatal(err)
			}
			key, _ := newKey(t)
			r := newPending()
			mustAccept(t)(store.Claim(soon(t), key, r))
			mustAccept(t)(store.Complete(soon(t), key, in(idem.Done, r)))
			mustRefuse(t, in(idem.Done, r))(store.Load(soon(t), key))
			if err := store.Close(); err != nil {
				t.Error(err)
			}
			if err := store.Close(); err != nil {
				t.Errorf("second Close: %v", err)
			}
		})
	}
}

func addrs(servers []*redistest.Server) string {
	var list []string
	for _, s := range servers {
		list = append(list, s.Addr)
	}
	return strings.Join(list, ",")
}

func logTo(t *testing.T) *slog.Logger { return slog.New(slog.NewTextHandler(t.Output(), nil)) }

// TestOpenClosesItsClient checks that neither a store that was closed nor one
// that could not be opened leaves anything behind.
func TestOpenClosesItsClient(t *testing.T) {
	server := redistest.Start(t)
	client := server.Client(t)
	if err := client.Ping(soon(t)).Err(); err != nil {
		t.Fatal(err)
	}
	known := goleak.IgnoreCurrent()
	store, err := redisstore.Open(soon(t), "redis://"+server.Addr, redisstore.Config{Logger: logTo(t)})
	if err != nil {
		t.Fatal(err)
	}
	store.Close()
	if _, err := redisstore.Open(soon(t), "redis://"+server.Addr, redisstore.Config{Strict: true}); err == nil {
		t.Error("no error with Strict, although a restart loses all")
	}
	goleak.VerifyNone(t, known)
	eventually(t, "no connection is left but the test's own", func() bool {
		list, err := client.Do(soon(t), "client", "list").Text()
		return err == nil && countLines(list) == 1
	})
	runtime.KeepAlive(store) // connections that nobody has end by themselves
}

func TestOpenStrict(t *testing.T) {
	t.Parallel()
	var logged bytes.Buffer
	config := redisstore.Config{Logger: slog.New(slog.NewTextHandler(&logged, nil))}
	url := "redis://" + redistest.Start(t, "--maxmemory", "100mb", "--maxmemory-policy", "volatile-ttl").Addr
	store, err := redisstore.Open(soon(t), url, config)
	if err != nil {
		t.Fatal(err)
	}
	store.Close()
	if log := logged.String(); !strings.Contains(log, "level=WARN") || !strings.Contains(log, "check=eviction") {
		t.Errorf("log %q, want a warning of eviction", log)
	}
	config.Strict = true
	if _, err = redisstore.Open(soon(t), url, config); err == nil || !strings.Contains(err.Error(), "volatile-ttl") {
		t.Errorf("error %v, want one that tells of the policy", err)
	}
	safe := "redis://" + redistest.Start(t, "--appendonly", "yes").Addr
	store, err = redisstore.Open(soon(t), safe, config)
	if err != nil {
		t.Fatalf("a server that is as it shall be: %v", err)
	}
	store.Close()
}

func TestOpenWithoutServer(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0") // accepts and says nothing
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	closed := redistest.Start(t)
	closed.Kill(t)
	for _, addr := range []string{l.Addr().String(), closed.Addr} {
		for _, form := range []string{"redis://:secret@%s", "redis+cluster://:secret@%s", "redis+sentinel://:secret@%s/x?sentinel_password=secret"} {
			ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
			began := time.Now()
			store, err := redisstore.Open(ctx, fmt.Sprintf(form, addr), redisstore.Config{})
			cancel()
			if err == nil {
				store.Close()
				t.Errorf(form+": no error", addr)
			} else if strings.Contains(err.Error(), "secret") {
				t.Errorf("the error tells the password: %v", err)
			}
			if took := time.Since(began); took > 3*time.Second {
				t.Errorf(form+": it took %v, want little more than the context", addr, took)
			}
		}
	}
}

func TestOpenWithAWrongPassword(t *testing.T) {
	t.Parallel()
	server := redistest.Start(t, "--requirepass", "right")
	for _, user := range []string{"", ":wrong@", "nobody:wrong@"} {
		_, err := redisstore.Open(soon(t), "redis://"+user+server.Addr, redisstore.Config{})
		if err == nil || strings.Contains(err.Error(), "wrong@") || strings.Contains(err.Error(), ":wrong") {
			t.Errorf("user %q: error %v", user, err)
		}
	}
}

func TestOpenWaitLimit(t *testing.T) {
	t.Parallel()
	config := redisstore.Config{WaitReplicas: 1, WaitLimit: time.Second}
	if _, err := redisstore.Open(soon(t), "redis://127.0.0.1:1", config); err == nil || !strings.Contains(err.Error(), "WaitLimit") {
		t.Errorf("error %v, want one that tells of WaitLimit", err)
	}
}
