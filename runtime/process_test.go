package runtime_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync"
	"syscall"
	"testing"
	"time"

	idem "github.com/idemgen/idemgen/runtime"
	"github.com/idemgen/idemgen/runtime/redisstore"
	"github.com/idemgen/idemgen/runtime/storetest/redistest"
	"github.com/redis/go-redis/v9"
)

// The tests of this file kill, stop and continue real processes that work on a
// real Redis.

const workerAddr = "IDEMGEN_TEST_WORKER_REDIS"

// TestMain lets the test binary be a worker process.
func TestMain(m *testing.M) {
	if addr := os.Getenv(workerAddr); addr != "" {
		work(addr, os.Stdin, os.Stdout)
		return
	}
	os.Exit(m.Run())
}

// A job is what a worker is told to do: run a handler under a contract.
type job struct {
	Key          string
	OnCrash      idem.OnCrash
	OnStoreError idem.OnStoreError
	Takes        time.Duration // of the handler, which does not heed its context
	Answer       string
}

// A message is what a worker tells: that a handler has begun, that something
// was observed, or how a job ended.
type message struct {
	Key   string
	What  string // began, event, ended
	Text  string
	Times int // attempt number where What is began
}

const processLease = time.Second

func (j job) contract() idem.Contract {
	return idem.Contract{API: "Processes", Operation: "job", Lease: processLease, TTL: time.Minute,
		OnCrash: j.OnCrash, OnStoreError: j.OnStoreError}
}

// work is a worker process: it takes jobs from in, one JSON value each, and
// runs them at the same time.
func work(addr string, in io.Reader, out io.Writer) {
	var mu sync.Mutex
	tell := func(m message) {
		mu.Lock()
		defer mu.Unlock()
		json.NewEncoder(out).Encode(m)
	}
	client := redis.NewClient(&redis.Options{Addr: addr, ContextTimeoutEnabled: true})
	engine := idem.New(redisstore.New(client, redisstore.Config{}), idem.WithLogger(nil),
		idem.WithObserver(idem.ObserverFunc(func(_ context.Context, e idem.Event) {
			tell(message{What: "event", Text: e.Outcome.String()})
		})))
	for decoder := json.NewDecoder(in); ; {
		var j job
		if decoder.Decode(&j) != nil {
			return // the test has ended
		}
		go func() {
			op := engine.MustOperation(j.contract())
			result, err := op.Run(context.Background(), call(j.Key, 1), func(ctx context.Context) (idem.WriteFunc, error) {
				info, _ := idem.FromContext(ctx)
				tell(message{Key: j.Key, What: "began", Times: int(info.Attempt)})
				time.Sleep(j.Takes)
				return answering(201, j.Answer), nil
			})
			tell(message{Key: j.Key, What: "ended", Text: outcome{result, err}.String()})
		}()
	}
}

// A worker is a worker process as a test sees it.
type worker struct {
	t       *testing.T
	process *os.Process
	jobs    *json.Encoder

	mu     sync.Mutex
	told   *sync.Cond
	heard  []message
	closed bool
}

func startWorker(t *testing.T, redisAddr string) *worker {
	t.Helper()
	command := exec.Command(os.Args[0])
	command.Env = append(os.Environ(), workerAddr+"="+redisAddr)
	command.Stderr = os.Stderr
	in, err := command.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	w := &worker{t: t, process: command.Process, jobs: json.NewEncoder(in)}
	w.told = sync.NewCond(&w.mu)
	read := make(chan struct{})
	go func() {
		defer close(read)
		w.listen(out)
	}()
	t.Cleanup(func() {
		command.Process.Signal(syscall.SIGCONT)
		command.Process.Kill()
		<-read
		command.Wait()
	})
	return w
}

func (w *worker) listen(out io.Reader) {
	for lines := bufio.NewScanner(out); lines.Scan(); {
		var m message
		if err := json.Unmarshal(lines.Bytes(), &m); err != nil {
			w.t.Errorf("a worker said %q", lines.Text())
			continue
		}
		w.mu.Lock()
		w.heard = append(w.heard, m)
		w.told.Broadcast()
		w.mu.Unlock()
	}
	w.mu.Lock()
	w.closed = true
	w.told.Broadcast()
	w.mu.Unlock()
}

func (w *worker) do(j job) {
	w.t.Helper()
	if err := w.jobs.Encode(j); err != nil {
		w.t.Fatal(err)
	}
}

// wait waits until the worker has told something of a key, or of an event.
func (w *worker) wait(key, what string) message {
	w.t.Helper()
	w.mu.Lock()
	defer w.mu.Unlock()
	for {
		for _, m := range w.heard {
			if m.What == what && (m.Key == key || what == "event" && m.Text == key) {
				return m
			}
		}
		if w.closed {
			w.t.Fatalf("the worker ended before it told of %s %s; it told %+v", key, what, w.heard)
		}
		w.told.Wait()
	}
}

// began reports how many handlers of a key have begun.
func (w *worker) began(key string) (n int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, m := range w.heard {
		if m.What == "began" && m.Key == key {
			n++
		}
	}
	return n
}

func (w *worker) signal(s os.Signal) {
	w.t.Helper()
	if err := w.process.Signal(s); err != nil {
		w.t.Fatal(err)
	}
}

func (w *worker) wantEnd(key, want string) {
	w.t.Helper()
	if got := w.wait(key, "ended").Text; got != want {
		w.t.Errorf("key %s ended with %q, want %q", key, got, want)
	}
}

func TestAKilledWorkersKeyRunsAgainUnderRerun(t *testing.T) {
	t.Parallel()
	server := redistest.Start(t)
	dead, alive := startWorker(t, server.Addr), startWorker(t, server.Addr)
	dead.do(job{Key: "k", Takes: time.Hour, Answer: "first"})
	dead.wait("k", "began")
	began := time.Now()
	dead.signal(syscall.SIGKILL)
	alive.do(job{Key: "k", Answer: "second"})
	alive.wantEnd("k", "201 second")
	if took := time.Since(began); took < processLease/2 {
		t.Errorf("the retry ran after %v, within the lease of %v", took, processLease)
	}
	if m := alive.wait("k", "began"); m.Times != 2 {
		t.Errorf("attempt %d, want 2", m.Times)
	}
	alive.wait("takeover", "event")
}

func TestAKilledWorkersKeyIsHeldUnderHold(t *testing.T) {
	t.Parallel()
	server := redistest.Start(t)
	dead, alive := startWorker(t, server.Addr), startWorker(t, server.Addr)
	for _, key := range []string{"settled", "released"} {
		dead.do(job{Key: key, OnCrash: idem.Hold, Takes: time.Hour})
		dead.wait(key, "began")
	}
	dead.signal(syscall.SIGKILL)
	for _, key := range []string{"settled", "released"} {
		alive.do(job{Key: key, OnCrash: idem.Hold})
		alive.wantEnd(key, "outcome-unknown")
	}

	operator := idem.New(redisstore.New(server.Client(t), redisstore.Config{}), idem.WithLogger(nil))
	defer operator.Close(t.Context())
	contract := job{OnCrash: idem.Hold}.contract()
	if in, err := operator.Inspect(t.Context(), contract, nil, "settled"); err != nil || !in.Held || !in.Lapsed {
		t.Errorf("Inspect: %+v, %v", in, err)
	}
	if err := operator.Settle(t.Context(), contract, nil, "settled", idem.Answer{Status: 201, Body: []byte("by hand")}); err != nil {
		t.Error(err)
	}
	if err := operator.Release(t.Context(), contract, nil, "released"); err != nil {
		t.Error(err)
	}
	later := startWorker(t, server.Addr)
	later.do(job{Key: "settled", OnCrash: idem.Hold})
	later.wantEnd("settled", "201 by hand replayed")
	later.do(job{Key: "released", OnCrash: idem.Hold, Answer: "again"})
	later.wantEnd("released", "201 again")
}

// A worker is stopped beyond its lease and continued: its completion is refused
// and both clients get the one stored answer.
func TestAStoppedWorkerAnswersWithTheStoredRecord(t *testing.T) {
	t.Parallel()
	server := redistest.Start(t)
	frozen, alive := startWorker(t, server.Addr), startWorker(t, server.Addr)
	frozen.do(job{Key: "k", Takes: 500 * time.Millisecond, Answer: "frozen"})
	frozen.wait("k", "began")
	frozen.signal(syscall.SIGSTOP)
	alive.do(job{Key: "k", Answer: "alive"})
	alive.wantEnd("k", "201 alive")
	frozen.signal(syscall.SIGCONT)
	frozen.wantEnd("k", "201 alive replayed")
	frozen.wait("lease_lost", "event")
}

// Redis restarts, with and without its data, while a second request waits. Who
// has seen the key in flight does not run, whatever the contract says.
func TestAWaiterDoesNotRunWhenRedisRestarts(t *testing.T) {
	t.Parallel()
	for _, policy := range []idem.OnStoreError{idem.RunUnprotected, idem.RefuseRequest} {
		for _, persistent := range []bool{true, false} {
			t.Run(fmt.Sprintf("%s, persistent %v", policy, persistent), func(t *testing.T) {
				t.Parallel()
				var args []string
				if persistent {
					args = []string{"--appendonly", "yes", "--appendfsync", "always"}
				}
				server := redistest.Start(t, args...)
				owner, waiting := startWorker(t, server.Addr), startWorker(t, server.Addr)
				owner.do(job{Key: "k", OnStoreError: policy, Takes: 3 * time.Second, Answer: "first"})
				owner.wait("k", "began")
				waiting.do(job{Key: "k", OnStoreError: policy, Answer: "second"})
				waitForSubscriber(t, server)
				server.Kill(t)
				server.Restart(t)
				owner.wantEnd("k", "201 first")
				waiting.wantEnd("k", "201 first replayed")
				if n := waiting.began("k"); n != 0 {
					t.Errorf("the waiter ran %d times", n)
				}
			})
		}
	}
}

// waitForSubscriber waits until somebody waits for a key.
func waitForSubscriber(t *testing.T, server *redistest.Server) {
	t.Helper()
	client := server.Client(t)
	for {
		channels, err := client.PubSubShardChannels(t.Context(), "*").Result()
		if err != nil {
			t.Fatal(err)
		}
		if len(channels) > 0 {
			return
		}
	}
}
