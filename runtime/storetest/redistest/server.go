//go:build unix

// Package redistest runs real redis-server processes for tests: on a free port
// of the loopback interface, in a temporary folder, ended with the test.
//
// A test fails, and does not skip, where redis-server is not installed.
package redistest

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
)

// startLimit is how long a server may take until it accepts connections.
const startLimit = 20 * time.Second

// A Server is one redis-server process. It has neither RDB nor AOF unless its
// arguments say so. Its methods are for the goroutine of the test.
type Server struct {
	// Addr is its host and port.
	Addr string

	dir     string
	config  string // path of a configuration file, "" for none
	args    []string
	process *process
}

// Start starts a server and waits until it accepts connections. The arguments
// are those of the command line, such as "--maxmemory", "2mb". The server is
// killed when the test ends.
func Start(t testing.TB, args ...string) *Server {
	t.Helper()
	return startServer(t, &Server{args: args})
}

func startServer(t testing.TB, s *Server) *Server {
	t.Helper()
	s.dir = t.TempDir()
	t.Cleanup(func() { s.end() })
	// Another process may take the free port before the server does.
	for range 5 {
		s.Addr = freeAddr(t)
		err := s.start()
		if err == nil {
			return s
		}
		if !strings.Contains(err.Error(), "Address already in use") {
			t.Fatal(err)
		}
	}
	t.Fatal("redistest: found no free port")
	return nil
}

// Client returns a client of the server that does not retry and keeps to the
// deadlines of its contexts. It is closed when the test ends.
func (s *Server) Client(t testing.TB) *redis.Client {
	client := redis.NewClient(s.Options())
	t.Cleanup(func() { client.Close() })
	return client
}

// Options returns the options of [Server.Client], to be changed at will.
func (s *Server) Options() *redis.Options {
	return &redis.Options{
		Addr:                  s.Addr,
		ContextTimeoutEnabled: true,
		MaxRetries:            -1,
		DialerRetries:         1,
	}
}

// Pause stops the process with SIGSTOP: connections stay, nothing answers.
// It returns when that has taken effect.
func (s *Server) Pause(t testing.TB) {
	t.Helper()
	s.signal(t, syscall.SIGSTOP)
	eventually(t, isStopped(s.process.cmd.Process.Pid))
}

// Continue ends a Pause.
func (s *Server) Continue(t testing.TB) { s.signal(t, syscall.SIGCONT) }

// Kill ends the process with SIGKILL and waits until it is gone.
func (s *Server) Kill(t testing.TB) {
	t.Helper()
	s.signal(t, syscall.SIGKILL)
	<-s.process.ended
}

// Restart starts the server again after a Kill, with the same port, folder and
// arguments, and waits until it accepts connections.
func (s *Server) Restart(t testing.TB) {
	t.Helper()
	select {
	case <-s.process.ended:
	default:
		t.Fatal("redistest: restart of a server that runs")
	}
	if err := s.start(); err != nil {
		t.Fatal(err)
	}
}

func (s *Server) signal(t testing.TB, signal syscall.Signal) {
	t.Helper()
	if err := s.process.cmd.Process.Signal(signal); err != nil {
		t.Fatalf("redistest: %v of redis-server: %v", signal, err)
	}
}

func (s *Server) end() {
	if s.process != nil {
		s.process.cmd.Process.Kill()
		<-s.process.ended
	}
}

// start runs the process and waits for the line that says it is ready.
func (s *Server) start() error {
	host, port, err := net.SplitHostPort(s.Addr)
	if err != nil {
		return err
	}
	args := []string{"--bind", host, "--port", port, "--dir", s.dir, "--daemonize", "no", "--logfile", ""}
	if s.config != "" {
		args = slices.Insert(args, 0, s.config)
	} else {
		// A master waits some seconds for more replicas before it sends what
		// it has to the first.
		args = append(args, "--save", "", "--appendonly", "no", "--repl-diskless-sync-delay", "0")
	}
	args = append(args, s.args...)
	p, err := startProcess("redis-server", args...)
	if err != nil {
		return fmt.Errorf("redistest: %w; install it, on Debian: apt-get install redis-server", err)
	}
	s.process = p
	select {
	case <-p.ready:
		return nil
	case <-p.ended:
		return fmt.Errorf("redistest: redis-server has ended:\n%s", p.log())
	case <-time.After(startLimit):
		p.cmd.Process.Kill()
		<-p.ended
		return fmt.Errorf("redistest: redis-server is not ready after %v:\n%s", startLimit, p.log())
	}
}

// A process is a running program that tells on its output when it is ready.
type process struct {
	cmd   *exec.Cmd
	ready chan struct{} // closed when it accepts connections
	ended chan struct{} // closed when it is gone

	mu    sync.Mutex
	lines []string // the output, guarded by mu
}

func startProcess(name string, args ...string) (*process, error) {
	cmd := exec.Command(name, args...)
	cmd.SysProcAttr = dieWithParent()
	output, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	cmd.Stderr = cmd.Stdout
	p := &process{cmd: cmd, ready: make(chan struct{}), ended: make(chan struct{})}
	started := make(chan error)
	go func() {
		// The signal of a parent's death comes with the end of the thread
		// that started the process, so that thread must stay.
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := cmd.Start()
		started <- err
		if err != nil {
			return
		}
		p.read(output)
		cmd.Wait()
		close(p.ended)
	}()
	return p, <-started
}

func (p *process) read(output io.Reader) {
	ready := false
	lines := bufio.NewScanner(output)
	for lines.Scan() {
		p.mu.Lock()
		p.lines = append(p.lines, lines.Text())
		p.mu.Unlock()
		if !ready && isReady(lines.Text()) {
			ready = true
			close(p.ready)
		}
	}
	io.Copy(io.Discard, output) // whatever the scanner did not take
}

// isReady reports whether a line says that a server, or a sentinel, is ready.
func isReady(line string) bool {
	return strings.Contains(line, "Ready to accept connections") || strings.Contains(line, "+monitor")
}

func (p *process) log() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return strings.Join(p.lines, "\n")
}

// freeAddr returns a loopback address that nobody listened on a moment ago.
func freeAddr(t testing.TB) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

// freePort is freeAddr's port.
func freePort(t testing.TB) string {
	t.Helper()
	_, port, _ := net.SplitHostPort(freeAddr(t))
	return port
}

// eventually asks again and again until there is no error.
func eventually(t testing.TB, ask func(ctx context.Context) error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), startLimit)
	defer cancel()
	for {
		err := ask(ctx)
		if err == nil {
			return
		}
		select {
		case <-time.After(20 * time.Millisecond):
		case <-ctx.Done():
			t.Fatalf("redistest: after %v: %v", startLimit, err)
		}
	}
}
