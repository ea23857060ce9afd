//go:build unix

package chaos

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	idem "github.com/idemgen/idemgen/runtime"
)

// A fleet is the worker processes that share a store, and what was done to
// them. Its methods may be called concurrently.
type fleet struct {
	t      testing.TB
	ledger *ledger
	config func(place int) workerConfig // of the worker at a place

	mu       sync.Mutex
	workers  []*workerProcess // by place
	troubles map[string]*trouble
	started  int
}

// A workerProcess is one worker.
type workerProcess struct {
	name string
	url  string
	p    *process
	in   io.Closer // its standard input, which keeps it alive
}

// A trouble is what was done to one worker process.
type trouble struct {
	killed time.Time // zero for not
	away   []span    // stopped, or cut off from the store
}

// A span is a time between two instants; a zero end is not there yet.
type span struct{ from, to time.Time }

// newFleet starts n workers.
func newFleet(t testing.TB, l *ledger, n int, config func(place int) workerConfig) *fleet {
	t.Helper()
	f := &fleet{
		t: t, ledger: l, config: config, workers: make([]*workerProcess, n), troubles: map[string]*trouble{},
	}
	var all sync.WaitGroup
	for place := range n {
		all.Go(func() { f.start(place) })
	}
	all.Wait()
	if t.Failed() {
		t.FailNow()
	}
	return f
}

// start starts a worker at a place.
func (f *fleet) start(place int) {
	f.mu.Lock()
	f.started++
	config := f.config(place)
	config.Name = fmt.Sprintf("worker %d, process %d", place, f.started)
	config.Ledger = f.ledger.url
	f.mu.Unlock()
	w, err := startWorker(f.t, config)
	if err != nil {
		f.t.Error(err)
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.workers[place] = w
	f.troubles[w.name] = &trouble{}
}

func startWorker(t testing.TB, config workerConfig) (*workerProcess, error) {
	text, err := json.Marshal(config)
	if err != nil {
		return nil, err
	}
	cmd, err := selfCommand(workerVariable, string(text))
	if err != nil {
		return nil, err
	}
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	p, addr, err := startProcess(t, cmd, workerSign)
	if err != nil {
		return nil, err
	}
	return &workerProcess{name: config.Name, url: "http://" + addr, p: p, in: in}, nil
}

// url returns the address of a worker chosen at random.
func (f *fleet) url(rng *rand.Rand) string { return f.at(rng.IntN(len(f.workers))).url }

func (f *fleet) at(place int) *workerProcess {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.workers[place]
}

// kill ends the worker at a place with SIGKILL and starts another there.
func (f *fleet) kill(place int) {
	w := f.at(place)
	f.mu.Lock()
	f.troubles[w.name].killed = time.Now()
	f.mu.Unlock()
	w.p.kill()
	f.start(place)
}

// stop stops the worker at a place with SIGSTOP for a while.
func (f *fleet) stop(place int, d time.Duration) {
	w := f.at(place)
	back := f.takeAway(place)
	w.p.signal(syscall.SIGSTOP)
	time.Sleep(d)
	w.p.signal(syscall.SIGCONT)
	back()
}

// takeAway notes that the worker at a place is stopped or cut off from now on,
// until back is called.
func (f *fleet) takeAway(place int) (back func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	t := f.troubles[f.workers[place].name]
	i := len(t.away)
	t.away = append(t.away, span{from: time.Now()})
	return func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		t.away[i].to = time.Now()
	}
}

// takeAllAway is takeAway for every worker.
func (f *fleet) takeAllAway() (back func()) {
	backs := make([]func(), len(f.workers))
	for place := range f.workers {
		backs[place] = f.takeAway(place)
	}
	return func() {
		for _, back := range backs {
			back()
		}
	}
}

// logs tells what the workers have printed last.
func (f *fleet) logs() {
	f.t.Helper()
	for place := range f.workers {
		w := f.at(place)
		f.t.Logf("%s:\n%s", w.name, w.p.log())
	}
}

// A reply is what a client got.
type reply struct {
	status      int
	body        string
	replayed    bool
	unprotected bool
	took        time.Duration // in the engine
	handling    time.Duration // of that in the handler
}

// is reports whether the answer is the problem of a code.
func (r reply) is(code idem.Code) bool { return strings.Contains(r.body, ":"+string(code)+`"`) }

// post sends a request to a worker and waits for its answer.
func post(ctx context.Context, client *http.Client, url, key string, o order, fail bool) (reply, error) {
	body, err := json.Marshal(o)
	if err != nil {
		return reply{}, err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, url+"/orders", newReader(body))
	if err != nil {
		return reply{}, err
	}
	req.Header.Set(keyHeader, key)
	if fail {
		req.Header.Set(failHeader, "1")
	}
	resp, err := client.Do(req)
	if err != nil {
		return reply{}, err
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		return reply{}, err
	}
	took, _ := time.ParseDuration(resp.Header.Get(tookHeader))
	handling, _ := time.ParseDuration(resp.Header.Get(handlingHeader))
	return reply{
		status:      resp.StatusCode,
		body:        string(text),
		replayed:    resp.Header.Get("Idempotent-Replayed") == "true",
		unprotected: resp.Header.Get("Idempotent-Unprotected") == "true",
		took:        took,
		handling:    handling,
	}, nil
}

// newReader returns a body that net/http cannot rewind: its own retries, which
// it does for requests with an idempotency key, would not be counted.
func newReader(body []byte) io.Reader { return io.MultiReader(bytes.NewReader(body)) }
