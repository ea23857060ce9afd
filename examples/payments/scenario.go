package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"
)

// secondAfter is how long after the charge of the first request the second one is
// sent, and how long an impatient client waits.
const secondAfter = 50 * time.Millisecond

// A scenario sends requests and says what must come of them.
type scenario struct {
	name    string
	want    string // responses
	charges int
	shows   string
	// same says that all answers must be the same, byte for byte.
	same bool
	// fail has the provider fail once; dedupe has it heed the derived key.
	fail, dedupe bool
	run          func(*demo) ([]response, error)
	// shown, if set, replaces shows by something observed.
	shown func([]response) string
}

// scenarios is the table of the demo.
func scenarios() []scenario {
	return []scenario{
		{name: "in flight: run", want: "201 201", charges: 2, same: true,
			shows: "a result cache: same answers, two charges", run: inFlight(newAuthorization)},
		{name: "in flight: wait", want: "201 201", charges: 1, same: true,
			shows: "the second waits and gets the first's answer", run: inFlight(newPayment)},
		{name: "in flight: reject", want: "201 409", charges: 1,
			run: inFlight(newRefund)},
		{name: "same key, same request", want: "201 201", charges: 1, same: true,
			shows: "replayed", run: sameRequest},
		{name: "same key, other amount", want: "201 422", charges: 1,
			shows: "refused, names: amount", run: otherAmount, shown: refusedFields},
		{name: "provider fails, then retry", want: "502 201", charges: 1, fail: true,
			shows: "failures are not kept", run: sameRequest},
		{name: "worker dies, then retry", want: "- 201", charges: 2,
			shows: "after the lease; at least once, as documented", run: workerDies},
		{name: "the same, provider dedupes", want: "- 201", charges: 1, dedupe: true,
			shows: "the handler hands a derived key on", run: workerDies},
		{name: "store down, run", want: "201", charges: 1,
			shows: "availability over one effect, by choice", run: storeDown(newRefund)},
		{name: "store down, reject", want: "503", charges: 0,
			run: storeDown(newPayment)},
		{name: "client leaves, then retries", want: "- 201", charges: 1,
			shows: "the first run finished; its answer was kept", run: clientLeaves},
		{name: "two tenants, one key", want: "201 201", charges: 2,
			shows: "keys do not meet", run: twoTenants},
	}
}

// check compares what was observed with what was promised.
func (s scenario) check(got []response, charges int) error {
	var wrong []string
	if text := responsesText(got); text != s.want {
		wrong = append(wrong, fmt.Sprintf("responses %s, want %s", text, s.want))
	}
	if charges != s.charges {
		wrong = append(wrong, fmt.Sprintf("%d charges, want %d", charges, s.charges))
	}
	if s.same && len(got) == 2 && !bytes.Equal(got[0].body, got[1].body) {
		wrong = append(wrong, "the two answers differ")
	}
	if s.shown != nil && s.shown(got) != s.shows {
		wrong = append(wrong, fmt.Sprintf("%s, want %s", s.shown(got), s.shows))
	}
	if wrong == nil {
		return nil
	}
	return fmt.Errorf("%s: %s", s.name, strings.Join(wrong, "; "))
}

func responsesText(responses []response) string {
	var words []string
	for _, r := range responses {
		words = append(words, r.String())
	}
	return strings.Join(words, " ")
}

// inFlight sends an order to one node, and the same order to the other while
// the first still works on it.
func inFlight(make func() order) func(*demo) ([]response, error) {
	return func(d *demo) ([]response, error) {
		o := make()
		charge := d.provider.watch(o.charge, false)
		first := d.sendAsync(o, d.a)
		<-charge.made
		time.Sleep(secondAfter)
		second := d.send(o, d.b)
		return []response{<-first, second}, nil
	}
}

func sameRequest(d *demo) ([]response, error) {
	o := newPayment()
	return []response{d.send(o, d.a), d.send(o, d.b)}, nil
}

func otherAmount(d *demo) ([]response, error) {
	o := newPayment()
	return []response{d.send(o, d.a), d.send(o.with("amount", 999), d.b)}, nil
}

func twoTenants(d *demo) ([]response, error) {
	o := newPayment()
	return []response{d.send(o, d.a), d.send(o.by("bob"), d.b)}, nil
}

// workerDies kills a node after its handler has charged and before it can tell.
func workerDies(d *demo) ([]response, error) {
	victim, err := d.cluster.start()
	if err != nil {
		return nil, err
	}
	defer victim.stop()
	o := newPayment()
	charge := d.provider.watch(o.charge, false)
	first := d.sendAsync(o, victim)
	<-charge.made
	victim.kill()
	return []response{<-first, d.send(o, d.b)}, nil
}

func storeDown(make func() order) func(*demo) ([]response, error) {
	return func(d *demo) ([]response, error) {
		down, err := d.cluster.startDown()
		if err != nil {
			return nil, err
		}
		defer down.stop()
		return []response{d.send(make(), down)}, nil
	}
}

func clientLeaves(d *demo) ([]response, error) {
	ctx, leave := context.WithCancel(d.ctx)
	defer leave()
	o := newPayment()
	charge := d.provider.watch(o.charge, false)
	first := make(chan response, 1)
	go func() { first <- o.send(ctx, d.client, d.a) }()
	<-charge.made
	time.Sleep(secondAfter)
	leave()
	return []response{<-first, d.send(o, d.b)}, nil
}

// refusedFields says what the second answer, a problem, names.
func refusedFields(got []response) string {
	var problem struct {
		Fields []string `json:"fields"`
	}
	if len(got) != 2 || json.Unmarshal(got[1].body, &problem) != nil {
		return "not refused"
	}
	slices.Sort(problem.Fields)
	return "refused, names: " + strings.Join(problem.Fields, " ")
}
