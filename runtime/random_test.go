package runtime_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	idem "github.com/idemgen/idemgen/runtime"
	"github.com/idemgen/idemgen/runtime/memstore"
	"pgregory.net/rapid"
)

// The tests of this file run several processes on one store under schedules
// drawn at random, on fake time, and check what a contract promises:
//
//   - an effect never happens while another attempt of its key is alive, nor
//     after one has succeeded;
//   - protected answers to one key are all the same;
//   - no request gets the answer of a different one;
//   - when all faults are over, no key is stuck.

const randomLease = 30 * time.Second

// A plan is a schedule, drawn before it runs, so that rapid can shrink it.
type plan struct {
	contract idem.Contract
	steps    []planStep
}

// A planStep is one step of a plan; what it does with its fields depends on do.
type planStep struct {
	do      string // request, advance, fault, heal, kill
	process int
	key     int
	body    int
	takes   time.Duration // of the handler
	end     string        // of the handler: ok, error, panic, write error, not kept
	leaves  time.Duration // when the client goes, zero for never
	fault   fault
	wait    time.Duration
}

func (s planStep) String() string {
	switch s.do {
	case "request":
		return fmt.Sprintf("request p%d k%d b%d takes %v ends %q leaves %v", s.process, s.key, s.body, s.takes, s.end, s.leaves)
	case "advance":
		return fmt.Sprintf("advance %v", s.wait)
	case "fault":
		return fmt.Sprintf("fault p%d %d", s.process, s.fault)
	}
	return fmt.Sprintf("%s p%d", s.do, s.process)
}

const randomProcesses = 3

func drawPlan(t *rapid.T, onStoreError idem.OnStoreError) plan {
	c := payment
	c.Lease, c.OnStoreError = randomLease, onStoreError
	c.InFlight = rapid.SampledFrom([]idem.InFlight{idem.Wait, idem.Reject}).Draw(t, "inFlight")
	c.OnCrash = rapid.SampledFrom([]idem.OnCrash{idem.Rerun, idem.Hold}).Draw(t, "onCrash")
	c.OnDisconnect = rapid.SampledFrom([]idem.OnDisconnect{idem.Finish, idem.Cancel}).Draw(t, "onDisconnect")
	step := rapid.Custom(func(t *rapid.T) planStep {
		ms := func(name string, values ...int) time.Duration {
			return time.Duration(rapid.SampledFrom(values).Draw(t, name)) * time.Millisecond
		}
		return planStep{
			do:      rapid.SampledFrom([]string{"request", "request", "request", "advance", "advance", "fault", "heal", "kill"}).Draw(t, "do"),
			process: rapid.IntRange(0, randomProcesses-1).Draw(t, "process"),
			key:     rapid.SampledFrom([]int{0, 0, 0, 1}).Draw(t, "key"),
			body:    rapid.SampledFrom([]int{0, 0, 0, 0, 1}).Draw(t, "body"),
			takes:   ms("takes", 0, 1, 300, 9_000, 25_000, 45_000, 70_000),
			end:     rapid.SampledFrom([]string{"ok", "ok", "ok", "error", "panic", "write error", "not kept"}).Draw(t, "end"),
			leaves:  ms("leaves", 0, 0, 0, 50, 20_000),
			fault:   rapid.SampledFrom([]fault{loseRequest, loseReply, refuse, hang}).Draw(t, "fault"),
			wait:    ms("wait", 1, 50, 500, 9_999, 10_000, 19_000, 31_000),
		}
	})
	return plan{contract: c, steps: rapid.SliceOfN(step, 1, 30).Draw(t, "steps")}
}

// A world is what runs a plan and watches.
type world struct {
	plan      plan
	store     *memstore.Store
	processes []*process
	all       []*process // the killed ones too
	wg        sync.WaitGroup

	mu      sync.Mutex
	runs    []*handlerRun
	answers map[int]map[string]*process // by key: who gave which protected answer
	wrong   []string
}

// A process is an engine of its own on the shared store.
type process struct {
	store  *faultStore
	engine *idem.Engine
	op     *idem.Operation
	killed bool

	faulty time.Time // since when its store fails, zero if it does not
	spells [][2]time.Time
}

// A handlerRun is one run of a handler.
type handlerRun struct {
	p         *process
	number    int
	key       int
	ctx       context.Context
	began     time.Time
	running   bool
	succeeded bool // its own answer was given as the key's
}

func (w *world) violation(format string, args ...any) {
	w.wrong = append(w.wrong, fmt.Sprintf("%v: ", time.Now().Format("15:04:05.000"))+fmt.Sprintf(format, args...))
}

func (w *world) newProcess() *process {
	p := &process{store: &faultStore{Store: w.store}}
	p.engine = idem.New(p.store, idem.WithLogger(nil))
	p.op = p.engine.MustOperation(w.plan.contract)
	w.all = append(w.all, p)
	return p
}

// cutOff reports whether p may have lost a lease since the given time without
// being able to know better: its store failed for longer than renewals have.
func (p *process) cutOff(since time.Time) bool {
	spells := p.spells
	if !p.faulty.IsZero() {
		spells = append(spells[:len(spells):len(spells)], [2]time.Time{p.faulty, time.Now()})
	}
	for _, s := range spells {
		if s[1].After(since) && s[1].Sub(s[0]) >= randomLease/2 {
			return true
		}
	}
	return p.killed
}

func (p *process) heal() {
	p.store.set(nil)
	if !p.faulty.IsZero() {
		p.spells = append(p.spells, [2]time.Time{p.faulty, time.Now()})
		p.faulty = time.Time{}
	}
}

// effect is called as a handler has its effect.
func (w *world) effect(p *process, key int, ctx context.Context) *handlerRun {
	w.mu.Lock()
	defer w.mu.Unlock()
	run := &handlerRun{p: p, number: len(w.runs) + 1, key: key, ctx: ctx, began: time.Now(), running: true}
	if w.plan.contract.OnStoreError == idem.RefuseRequest && !p.killed {
		for _, r := range w.runs {
			switch {
			case r.key != key || r.p.killed:
			case r.running && r.ctx.Err() == nil:
				w.violation("k%d: a second effect while an attempt is alive", key)
			case r.succeeded && !r.p.cutOff(r.began):
				w.violation("k%d: a second effect after an attempt had succeeded", key)
			}
		}
	}
	w.runs = append(w.runs, run)
	return run
}

func (w *world) request(s planStep, p *process) {
	w.wg.Go(func() {
		ctx, leave := context.WithCancel(context.Background())
		defer leave()
		if s.leaves > 0 {
			timer := time.AfterFunc(s.leaves, leave)
			defer timer.Stop()
		}
		var run *handlerRun
		defer func() {
			recover() // a panic of the handler's, passed through
			w.mu.Lock()
			defer w.mu.Unlock()
			if run != nil {
				run.running = false
			}
		}()
		result, err := p.op.Run(ctx, call(fmt.Sprintf("key-%d", s.key), int64(s.body)), func(ctx context.Context) (idem.WriteFunc, error) {
			run = w.effect(p, s.key, ctx)
			kept := false
			defer func() {
				if !kept { // the key is given back before Run returns
					w.mu.Lock()
					run.running = false
					w.mu.Unlock()
				}
			}()
			write, err := w.handle(ctx, s, run.number)
			kept = err == nil && s.end == "ok"
			return write, err
		})
		w.mu.Lock()
		defer w.mu.Unlock()
		w.answered(s, p, run, result, err)
	})
}

func (w *world) handle(ctx context.Context, s planStep, n int) (idem.WriteFunc, error) {
	select {
	case <-time.After(s.takes):
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	switch s.end {
	case "error":
		return nil, errProvider
	case "panic":
		panic("handler")
	case "write error":
		return func() (*idem.Answer, error) { return nil, errProvider }, nil
	case "not kept":
		return answering(502, fmt.Sprintf("b%d failed", s.body)), nil
	}
	return answering(201, fmt.Sprintf("b%d run %d", s.body, n)), nil
}

// answered looks at an answer as its client sees it. The caller holds the mutex.
func (w *world) answered(s planStep, p *process, run *handlerRun, result idem.Result, err error) {
	if run != nil {
		run.running = false
	}
	if err != nil || p.killed {
		return
	}
	body := string(result.Answer.Body)
	if !strings.HasPrefix(body, fmt.Sprintf("b%d ", s.body)) {
		w.violation("k%d: a request with body %d got the answer %q", s.key, s.body, body)
	}
	if result.Answer.Status != 201 || result.Unprotected {
		return
	}
	if run != nil && !result.Replayed {
		run.succeeded = true
	}
	if w.answers[s.key] == nil {
		w.answers[s.key] = map[string]*process{}
	}
	w.answers[s.key][body] = p
}

func (w *world) step(s planStep) {
	p := w.processes[s.process]
	switch s.do {
	case "request":
		w.request(s, p)
	case "advance":
		time.Sleep(s.wait)
	case "fault":
		w.mu.Lock()
		if p.faulty.IsZero() {
			p.faulty = time.Now()
		}
		w.mu.Unlock()
		p.store.set(always(s.fault))
	case "heal":
		w.mu.Lock()
		p.heal()
		w.mu.Unlock()
	case "kill":
		w.mu.Lock()
		p.killed = true
		w.mu.Unlock()
		p.store.set(always(loseRequest))
		w.processes[s.process] = w.newProcess()
	}
	synctest.Wait()
}

// finish ends all faults, and looks at what became of every key.
func (w *world) finish() {
	w.mu.Lock()
	for _, p := range w.processes {
		p.heal()
	}
	w.mu.Unlock()
	time.Sleep(2*randomLease + time.Minute)
	fresh := w.newProcess()
	for key := range 2 {
		_, err := fresh.op.Run(context.Background(), call(fmt.Sprintf("key-%d", key), 0), func(context.Context) (idem.WriteFunc, error) {
			return answering(201, "b0 last"), nil
		})
		switch code := idem.CodeOf(err); code {
		case "", idem.CodeKeyReused, idem.CodeResponseNotRetained:
		case idem.CodeOutcomeUnknown:
			if w.plan.contract.OnCrash != idem.Hold {
				w.violation("k%d is held", key)
			}
		default:
			w.violation("k%d is stuck: %v", key, err)
		}
	}
	for _, p := range w.all {
		ctx, cancel := context.WithTimeout(context.Background(), 30*time.Minute)
		if err := p.engine.Close(ctx); err != nil && !p.killed {
			w.violation("Close: %v", err)
		}
		cancel()
	}
	w.wg.Wait()
	w.checkAnswers()
}

// checkAnswers: one key, one answer, but where a process that had answered its
// client was cut off from the store for so long that it lost the key.
func (w *world) checkAnswers() {
	for key, answers := range w.answers {
		if len(answers) < 2 || w.plan.contract.OnStoreError == idem.RunUnprotected {
			continue
		}
		excused := false
		for _, r := range w.runs {
			excused = excused || r.key == key && r.succeeded && r.p.cutOff(r.began)
		}
		if !excused {
			w.violation("k%d has the answers %v", key, answers)
		}
	}
}

func (p plan) run(t *testing.T) error {
	w := &world{plan: p, answers: map[int]map[string]*process{}}
	synctest.Test(t, func(*testing.T) {
		w.store = memstore.New(memstore.Config{})
		for range randomProcesses {
			w.processes = append(w.processes, w.newProcess())
		}
		for _, s := range p.steps {
			w.step(s)
		}
		w.finish()
	})
	if w.wrong == nil {
		return nil
	}
	var steps strings.Builder
	for _, s := range p.steps {
		fmt.Fprintf(&steps, "\n  %v", s)
	}
	return errors.New(strings.Join(w.wrong, "\n") + "\nplan:" + steps.String())
}

func TestRandomSchedulesUnderReject(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		if err := drawPlan(rt, idem.RefuseRequest).run(t); err != nil {
			rt.Fatal(err)
		}
	})
}

func TestRandomSchedulesUnderRun(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		if err := drawPlan(rt, idem.RunUnprotected).run(t); err != nil {
			rt.Fatal(err)
		}
	})
}
