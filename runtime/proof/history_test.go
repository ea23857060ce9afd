package proof

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"

	idem "github.com/idemgen/idemgen/runtime"
)

// checkLimit bounds the search for an order of one history. One without an
// answer by then fails its test.
const checkLimit = time.Minute

// A history records what clients do to a store.
type history struct {
	store idem.Store
	// exactLeft: replies of claims and loads tell what is left of a lease at
	// the moment of their record. All other steps' always do.
	exactLeft bool
	limit     time.Duration // of a step

	began  time.Time
	events atomic.Int64

	mu    sync.Mutex
	steps []*step
	// underWay has the steps that have not ended, by the token of their
	// record. A client takes one step at a time, and tokens are of one client.
	underWay map[idem.Token]*step
}

// A sending is one message of a step, where something watches what is sent. A
// store may send several.
type sending struct {
	called, from int64
	replied      bool // guarded by the history's mutex
}

func newHistory(store idem.Store) *history {
	return &history{store: store, began: time.Now(), limit: time.Hour, underWay: map[idem.Token]*step{}}
}

func (h *history) clock() int64 { return int64(time.Since(h.began)) }

// do takes a step and records it.
func (h *history) do(s *step, key idem.StoreKey) (idem.Reply, error) {
	ctx, cancel := context.WithTimeout(context.Background(), h.limit)
	defer cancel()
	s.exactLeft = h.exactLeft || s.op != claim && s.op != load
	h.begin(s)
	reply, err := h.call(ctx, s, key)
	s.to, s.returned = h.clock(), h.events.Add(1)
	s.reply = reply
	h.record(s, err)
	return reply, err
}

func (h *history) call(ctx context.Context, s *step, key idem.StoreKey) (idem.Reply, error) {
	switch s.op {
	case claim:
		return h.store.Claim(ctx, key, s.record)
	case takeover:
		return h.store.Takeover(ctx, key, &idem.Record{State: idem.Pending, Token: s.seen}, s.record)
	case renew:
		return h.store.Renew(ctx, key, s.record)
	case complete:
		return h.store.Complete(ctx, key, s.record)
	case release:
		return h.store.Release(ctx, key, s.record, s.trace)
	}
	return h.store.Load(ctx, key)
}

func (h *history) begin(s *step) {
	h.mu.Lock()
	defer h.mu.Unlock()
	s.called, s.from = h.events.Add(1), h.clock()
	if s.record != nil {
		h.underWay[s.record.Token] = s
	}
}

// record keeps a step that has ended. Where it failed, or was sent more than
// once, each sending whose reply was not seen is a step of its own: it may take
// effect at any time. A step that was certainly not applied is none at all: if
// it was applied, the other steps tell.
func (h *history) record(s *step, err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if s.record != nil {
		delete(h.underWay, s.record.Token)
	}
	if errors.Is(err, idem.ErrNotApplied) || err != nil && s.op == load {
		return
	}
	if err == nil {
		h.steps = append(h.steps, s)
	}
	unseen := 0
	for _, one := range s.sendings {
		if !one.replied {
			unseen++
			h.steps = append(h.steps, s.as(one))
		}
	}
	// A message of a step that ran out of time may still be on its way out.
	if err != nil && (unseen == 0 || errors.Is(err, context.DeadlineExceeded)) {
		h.steps = append(h.steps, s.as(&sending{called: s.called, from: s.from}))
	}
}

// as is a step of unknown outcome that was sent at another moment.
func (s *step) as(one *sending) *step {
	return &step{op: s.op, client: s.client, key: s.key, record: s.record, seen: s.seen, trace: s.trace,
		called: one.called, from: one.from, returned: never, to: never, unknown: true}
}

// sending tells of a message with the record of a token, and returns what to
// call when its reply is there.
func (h *history) sending(token idem.Token) (replied func()) {
	h.mu.Lock()
	defer h.mu.Unlock()
	one := &sending{called: h.events.Add(1), from: h.clock()}
	if s := h.underWay[token]; s != nil {
		s.sendings = append(s.sendings, one)
	}
	return func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		one.replied = true
	}
}

// check searches for an order in which the steps make sense.
func (h *history) check(slack time.Duration) porcupine.CheckResult {
	operations := make([]porcupine.Operation, 0, len(h.steps))
	for _, s := range h.steps {
		operations = append(operations, porcupine.Operation{ClientId: s.client, Input: s, Call: s.called, Return: s.returned})
	}
	return porcupine.CheckOperationsTimeout(model(slack), operations, checkLimit)
}

// mustMakeSense fails the test where the steps make no sense in any order.
func (h *history) mustMakeSense(t *testing.T, slack time.Duration) {
	t.Helper()
	if result := h.check(slack); result != porcupine.Ok {
		t.Errorf("history is %s:\n%s", result, h.firstBad(slack))
	}
}

// firstBad returns the steps of the first key whose history makes no sense.
func (h *history) firstBad(slack time.Duration) string {
	keys := map[int]*history{}
	for _, s := range h.steps {
		if keys[s.key] == nil {
			keys[s.key] = &history{}
		}
		keys[s.key].steps = append(keys[s.key].steps, s)
	}
	for key, one := range keys {
		if one.check(slack) == porcupine.Ok {
			continue
		}
		var b strings.Builder
		fmt.Fprintf(&b, "key %d: (events, milliseconds)\n", key)
		for _, s := range one.steps {
			fmt.Fprintln(&b, s)
		}
		return b.String()
	}
	return "every key by itself makes sense"
}

// A tally counts what histories are made of. Its methods may be called
// concurrently.
type tally struct{ histories, steps, accepted, unknown atomic.Int64 }

func (n *tally) add(h *history) {
	n.histories.Add(1)
	for _, s := range h.steps {
		n.steps.Add(1)
		switch {
		case s.unknown:
			n.unknown.Add(1)
		case s.reply.Accepted:
			n.accepted.Add(1)
		}
	}
}

func (n *tally) String() string {
	return fmt.Sprintf("%d histories make sense: %d steps, %d accepted, %d of unknown outcome",
		n.histories.Load(), n.steps.Load(), n.accepted.Load(), n.unknown.Load())
}
