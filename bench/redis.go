package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/redis/go-redis/v9"
)

// A server is one redis-server process on a free loopback port, without
// persistence.
type server struct {
	addr    string
	dir     string
	process *child
	admin   *redis.Client
}

// startServer starts a server and waits until it answers.
func startServer(args ...string) (*server, error) {
	dir, err := os.MkdirTemp("", "idemgen-bench-")
	if err != nil {
		return nil, err
	}
	addr, err := freeAddr()
	if err != nil {
		return nil, err
	}
	host, port, _ := net.SplitHostPort(addr)
	s := &server{addr: addr, dir: dir}
	cmd := exec.Command("redis-server", append([]string{
		"--bind", host, "--port", port, "--dir", dir, "--save", "", "--appendonly", "no", "--logfile", "redis.log",
	}, args...)...)
	if s.process, err = startChild(cmd, toServerCore); err != nil {
		return nil, fmt.Errorf("%w; install redis-server 7.0 or newer", err)
	}
	s.admin = redis.NewClient(&redis.Options{Addr: addr})
	if err := s.await(); err != nil {
		s.stop()
		return nil, err
	}
	return s, nil
}

func (s *server) await() error {
	var err error
	for range 500 {
		if err = s.admin.Ping(context.Background()).Err(); err == nil {
			return nil
		}
		time.Sleep(10 * time.Millisecond)
	}
	return fmt.Errorf("redis-server does not answer: %w", err)
}

func (s *server) stop() {
	s.admin.Close()
	s.process.stop(syscall.SIGTERM)
	os.RemoveAll(s.dir)
}

func freeAddr() (string, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	defer l.Close()
	return l.Addr().String(), nil
}

// client returns a client with the settings that redisstore asks for, whose
// commands are counted in sent.
func (s *server) client(sent *atomic.Int64) *redis.Client {
	c := redis.NewClient(&redis.Options{Addr: s.addr, ContextTimeoutEnabled: true, MaxRetries: -1})
	c.AddHook(counter{sent})
	return c
}

// cpu is the processor time that the server has used.
func (s *server) cpu() time.Duration {
	seconds := s.number("cpu", "used_cpu_user_main_thread") + s.number("cpu", "used_cpu_sys_main_thread")
	return time.Duration(seconds * float64(time.Second))
}

// settle waits until the server is done with doubling its tables, which it does a
// little at a time.
func (s *server) settle() error {
	for range 300 {
		tables, err := s.admin.Do(context.Background(), "debug", "htstats", 0).Text()
		if err != nil || !strings.Contains(tables, "rehashing") {
			return err
		}
		time.Sleep(time.Second)
	}
	return errors.New("redis-server goes on doubling its tables")
}

// memory is what the server has allocated but for its clients' buffers, in bytes.
func (s *server) memory() float64 {
	return s.number("memory", "used_memory") - s.number("memory", "mem_clients_normal")
}

func (s *server) number(section, field string) float64 {
	text, err := s.admin.Info(context.Background(), section).Result()
	if err != nil {
		return 0
	}
	for line := range strings.Lines(text) {
		if value, ok := strings.CutPrefix(line, field+":"); ok {
			n, _ := strconv.ParseFloat(strings.TrimSpace(value), 64)
			return n
		}
	}
	return 0
}

func (s *server) flush() error { return s.admin.FlushAll(context.Background()).Err() }

// A counter counts the commands that a client sends, those in pipelines
// included.
type counter struct{ sent *atomic.Int64 }

var _ redis.Hook = counter{}

// DialHook implements redis.Hook.
func (counter) DialHook(next redis.DialHook) redis.DialHook { return next }

// ProcessHook implements redis.Hook.
func (c counter) ProcessHook(next redis.ProcessHook) redis.ProcessHook {
	return func(ctx context.Context, cmd redis.Cmder) error {
		c.sent.Add(1)
		return next(ctx, cmd)
	}
}

// ProcessPipelineHook implements redis.Hook.
func (c counter) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return func(ctx context.Context, cmds []redis.Cmder) error {
		c.sent.Add(int64(len(cmds)))
		return next(ctx, cmds)
	}
}
