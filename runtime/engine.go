package runtime

import (
	"context"
	"fmt"
	"io"
	"reflect"
	"sync"
	"sync/atomic"
)

// An Engine keeps contracts, with the records of one [Store]. A process has one
// for each store. Its methods may be called concurrently. Close it when the
// server has stopped.
type Engine struct {
	*core
	settings settings
}

// core is what the views of an engine share; see [Engine.With].
type core struct {
	store   Store
	flights flightTable
	work    workGroup

	// ctx ends when the engine must stop waiting and trying.
	ctx  context.Context
	stop context.CancelFunc

	hashers sync.Pool // of *Hasher, each between two requests

	waiting    atomic.Int64 // requests that wait
	unrecorded atomic.Int64 // bytes of answers not recorded yet
	chores     atomic.Int64 // releases and holds that are tried again

	mu         sync.Mutex
	counters   map[operationName]*counters
	operations map[operationName]*Operation // of [Do] and the operator's methods
}

type operationName struct{ api, operation string }

// New returns an engine on store.
func New(store Store, opts ...Option) *Engine {
	if store == nil {
		panic("idem: New: store is nil")
	}
	ctx, stop := context.WithCancel(context.Background())
	c := &core{
		store:      store,
		ctx:        ctx,
		stop:       stop,
		counters:   map[operationName]*counters{},
		operations: map[operationName]*Operation{},
	}
	c.flights.init()
	c.work.init()
	return &Engine{core: c, settings: defaultSettings().with(opts)}
}

// With returns an engine that shares everything with e but has its own options,
// those given on top of e's. Closing one closes both.
func (e *Engine) With(opts ...Option) *Engine {
	return &Engine{core: e.core, settings: e.settings.with(opts)}
}

// Operation puts a contract to work. An error says what is wrong with it.
func (e *Engine) Operation(c Contract) (*Operation, error) {
	c = c.withDefaults()
	if err := c.validate(); err != nil {
		return nil, err
	}
	pattern, err := c.keyPattern()
	if err != nil {
		return nil, err
	}
	return &Operation{
		engine:   e,
		contract: c,
		name:     readableName(c.API, c.Operation),
		frame:    appendFramed(appendFramed(nil, c.API), c.Operation),
		pattern:  pattern,
		digest:   c.digest(),
		counters: e.countersOf(operationName{c.API, c.Operation}),
	}, nil
}

// MustOperation is [Engine.Operation] for generated code, whose contracts were
// checked when it was generated. It panics on a bad contract.
func (e *Engine) MustOperation(c Contract) *Operation {
	op, err := e.Operation(c)
	if err != nil {
		panic(err)
	}
	return op
}

func (e *Engine) countersOf(name operationName) *counters {
	e.mu.Lock()
	defer e.mu.Unlock()
	c := e.counters[name]
	if c == nil {
		c = new(counters)
		e.counters[name] = c
	}
	return c
}

// operationOf is Operation for callers that bring a contract with every call:
// the one made last for its name is used again while the contract is the same.
func (e *Engine) operationOf(c Contract) (*Operation, error) {
	name := operationName{c.API, c.Operation}
	e.mu.Lock()
	op := e.operations[name]
	e.mu.Unlock()
	if op != nil && op.engine == e && reflect.DeepEqual(op.source, c) {
		return op, nil
	}
	op, err := e.Operation(c)
	if err != nil {
		return nil, err
	}
	op.source = c
	e.mu.Lock()
	e.operations[name] = op
	e.mu.Unlock()
	return op, nil
}

// Close refuses new calls, waits until running handlers have returned and
// unrecorded answers are recorded, and releases what the engine holds; it closes
// a store that implements io.Closer. It gives no running key back: a worker that
// still runs keeps its promise to its client. When ctx ends first, Close stops
// waiting and trying and returns an error that says what was left.
func (e *Engine) Close(ctx context.Context) error {
	e.work.close()
	var err error
	select {
	case <-e.work.idle:
	case <-ctx.Done():
		err = fmt.Errorf("idem: close: %d calls or unrecorded answers were left: %w", e.work.count(), context.Cause(ctx))
	}
	e.stop()
	if closer, ok := e.store.(io.Closer); ok {
		if cerr := closer.Close(); err == nil && cerr != nil {
			err = fmt.Errorf("idem: close store: %w", cerr)
		}
	}
	return err
}

// ProblemType returns the problem type URI of a code.
func (o *Operation) ProblemType(code Code) string {
	return o.engine.settings.problemBase + string(code)
}

// workGroup counts what Close must wait for. Every request passes it, so it has no
// mutex.
type workGroup struct {
	state  atomic.Int64 // twice the pieces of work, plus one when it is closed
	idle   chan struct{}
	isIdle sync.Once // closes idle, when it is closed and there is no work
}

func (w *workGroup) init() { w.idle = make(chan struct{}) }

// begin counts a piece of work, unless the group is closed. Work that follows
// from counted work begins in any case.
func (w *workGroup) begin(follows bool) bool {
	closed := w.state.Add(2)&1 == 1
	if closed && !follows {
		w.done()
		return false
	}
	return true
}

func (w *workGroup) done() { w.look(w.state.Add(-2)) }

func (w *workGroup) close() { w.look(w.state.Or(1) | 1) }

// look closes idle where a new state says so.
func (w *workGroup) look(state int64) {
	if state == 1 {
		w.isIdle.Do(func() { close(w.idle) })
	}
}

func (w *workGroup) count() int { return int(w.state.Load() >> 1) }
