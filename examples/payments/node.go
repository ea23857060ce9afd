package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"sync/atomic"
	"time"

	idem "github.com/idemgen/idemgen/runtime"
	"github.com/idemgen/idemgen/runtime/memstore"
)

// A node is one server of the payments API.
type node struct {
	url string
	// kill ends it without a word: no completion, no release, no reply.
	kill func()
	// stop ends it in order.
	stop func()
}

// A cluster starts nodes that share a store.
type cluster interface {
	start() (*node, error)
	// startDown starts a node whose store cannot be reached.
	startDown() (*node, error)
}

// An embedded cluster has its nodes in this process, each with an engine of its
// own, on one memstore.
type embedded struct {
	store    idem.Store
	provider string
}

func newEmbedded(provider string) *embedded {
	return &embedded{store: memstore.New(memstore.Config{}), provider: provider}
}

func (c *embedded) start() (*node, error) { return c.startOn(&switchStore{Store: c.store}) }

func (c *embedded) startDown() (*node, error) {
	store := &switchStore{Store: c.store}
	store.off.Store(true)
	return c.startOn(store)
}

func (c *embedded) startOn(store *switchStore) (*node, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	// The demo tells what happens; the log would tell it again.
	engine := idem.New(store, idem.WithLogger(nil))
	server := &http.Server{Handler: newHandler(&providerClient{url: c.provider, http: &http.Client{}}, engine)}
	go server.Serve(listener)
	return &node{
		url: "http://" + listener.Addr().String(),
		kill: func() {
			store.off.Store(true)
			server.Close()
		},
		stop: func() {
			ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
			defer cancel()
			server.Shutdown(ctx)
			if !store.off.Load() {
				engine.Close(ctx)
			}
		},
	}, nil
}

// A switchStore is a store that can be switched off: from then on no call
// reaches it.
type switchStore struct {
	idem.Store
	off atomic.Bool
}

var errOff = fmt.Errorf("%w: the store is switched off", idem.ErrNotApplied)

func (s *switchStore) do(step func() (idem.Reply, error)) (idem.Reply, error) {
	if s.off.Load() {
		return idem.Reply{}, errOff
	}
	return step()
}

func (s *switchStore) Claim(ctx context.Context, k idem.StoreKey, r *idem.Record) (idem.Reply, error) {
	return s.do(func() (idem.Reply, error) { return s.Store.Claim(ctx, k, r) })
}

func (s *switchStore) Takeover(ctx context.Context, k idem.StoreKey, seen, r *idem.Record) (idem.Reply, error) {
	return s.do(func() (idem.Reply, error) { return s.Store.Takeover(ctx, k, seen, r) })
}

func (s *switchStore) Renew(ctx context.Context, k idem.StoreKey, r *idem.Record) (idem.Reply, error) {
	return s.do(func() (idem.Reply, error) { return s.Store.Renew(ctx, k, r) })
}

func (s *switchStore) Complete(ctx context.Context, k idem.StoreKey, r *idem.Record) (idem.Reply, error) {
	return s.do(func() (idem.Reply, error) { return s.Store.Complete(ctx, k, r) })
}

func (s *switchStore) Release(ctx context.Context, k idem.StoreKey, r *idem.Record, trace bool) (idem.Reply, error) {
	return s.do(func() (idem.Reply, error) { return s.Store.Release(ctx, k, r, trace) })
}

func (s *switchStore) Load(ctx context.Context, k idem.StoreKey) (idem.Reply, error) {
	return s.do(func() (idem.Reply, error) { return s.Store.Load(ctx, k) })
}

// A processes cluster has each node in a process of its own, on one Redis.
type processes struct {
	program  string // this program
	redis    string // host:port
	provider string
}

func (c *processes) start() (*node, error) { return c.startOn(c.redis) }

func (c *processes) startDown() (*node, error) {
	// A port that was free a moment ago: connections to it are refused.
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	defer listener.Close()
	n, err := c.startOn(listener.Addr().String())
	if err == nil {
		n.stop = n.kill // it cannot record its answers, and would wait to
	}
	return n, err
}

func (c *processes) startOn(redis string) (*node, error) {
	command := exec.Command(c.program, "serve", "-redis", redis, "-provider", c.provider)
	command.Stderr = os.Stderr
	out, err := command.StdoutPipe()
	if err != nil {
		return nil, err
	}
	in, err := command.StdinPipe() // its end tells the node to stop
	if err != nil {
		return nil, err
	}
	if err := command.Start(); err != nil {
		return nil, err
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	url, ok := strings.CutPrefix(strings.TrimSpace(line), listeningOn)
	if err != nil || !ok {
		command.Process.Kill()
		return nil, errors.Join(fmt.Errorf("a server process did not start"), err, command.Wait())
	}
	return &node{
		url:  url,
		kill: func() { command.Process.Kill(); command.Wait() },
		stop: func() { in.Close(); command.Wait() },
	}, nil
}

// listeningOn starts the line by which a server process tells its address.
const listeningOn = "listening on "

// quietLogger logs errors alone: the demo provokes warnings on purpose.
func quietLogger() *slog.Logger {
	return slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelError}))
}
