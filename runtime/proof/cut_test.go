package proof

import (
	"sync"
	"testing"
	"time"

	idem "github.com/idemgen/idemgen/runtime"
	"github.com/idemgen/idemgen/runtime/storetest/redistest"
)

// A cut is one fault: what happens to how many messages of the step.
type cut struct {
	mishap   mishap
	messages int
}

func (c cut) String() string {
	if c.messages > 1 {
		return string(c.mishap) + " always"
	}
	return string(c.mishap)
}

func (c cut) delays() bool { return c.mishap == delayReply || c.mishap == delayRequest }

// cuts are the faults that each step has to stand. A store sends a message again
// that was lost once, and gives up where it always is.
var cuts = []cut{
	{loseRequest, 1}, {loseRequest, always},
	{loseReply, 1}, {loseReply, always},
	{delayReply, 1}, {delayReply, always},
	{delayRequest, 1}, {delayRequest, always},
}

// TestEveryStepCut has a fleet work on one key while messages of one step are
// lost or late: one effect among attempts that live, one answer, and a key that
// is free or settled when the faults are over.
func TestEveryStepCut(t *testing.T) {
	t.Parallel()
	server := redistest.Start(t)
	loadScripts(t, server)
	stories := map[op]func(t *testing.T, server *redistest.Server, c cut){
		claim:     cutClaim,
		leaseLeft: cutLeaseLeft,
		takeover:  cutTakeover,
		renew:     cutRenew,
		complete:  cutComplete,
		release:   cutRelease,
		load:      cutLoad,
		subscribe: cutSubscribe,
	}
	var all sync.WaitGroup // they wait most of the time: more at once than there are processors
	turns := make(chan struct{}, 8)
	for step, story := range stories {
		for _, c := range cuts {
			all.Go(func() {
				turns <- struct{}{}
				defer func() { <-turns }()
				t.Run(string(step)+"/"+c.String(), func(t *testing.T) { story(t, server, c) })
			})
		}
	}
	all.Wait()
}

// loadScripts has the server know the scripts, so that each step is one message.
func loadScripts(t *testing.T, server *redistest.Server) {
	client := server.Client(t)
	for source := range scriptSteps(t) {
		if len(source) > 40 {
			if err := client.ScriptLoad(t.Context(), source).Err(); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// cutClaim: the claim of a first request. Its client is answered, or told that
// nothing was done; then the next one is answered.
func cutClaim(t *testing.T, server *redistest.Server, c cut) {
	f := newFleet(t, server, nil)
	a, b := f.worker("a", true), f.worker("b", false)
	x := a.proxy.trap(claim, c.mishap, c.messages)
	given := a.proxy.trap(release, "", always)
	first := a.request(atOnceOK())
	wait(t, "the claim", x.caught)
	if c.messages == 1 && !c.delays() {
		f.want("the first request", first, "201")
	} else {
		f.want("the first request", first, "store-unavailable")
		if c.messages == 1 { // what is late comes after the key was given back
			wait(t, "the release", given.caught)
		}
	}
	x.disarm()
	x.open()
	if c.delays() && c.messages == 1 {
		wait(t, "the late claim", x.gone)
	}
	began := time.Now()
	f.want("the next request", a.request(atOnceOK()), "201", "201 replayed")
	if took := time.Since(began); took > fleetLease/2 {
		t.Errorf("the next request waited %v for a claim that nobody holds", took)
	}
	f.want("another's request", b.request(atOnceOK()), "201 replayed")
	f.mustEndWell(1)
}

// cutLeaseLeft: a second request learns how long to wait.
func cutLeaseLeft(t *testing.T, server *redistest.Server, c cut) {
	f := newFleet(t, server, nil)
	a, b := f.worker("a", true), f.worker("b", false)
	h := held()
	first := b.request(h)
	wait(t, "the effect", h.began)
	x := a.proxy.trap(leaseLeft, c.mishap, c.messages)
	second := a.request(atOnceOK())
	wait(t, "the question", x.caught)
	close(h.end)
	f.want("the owner", first, "201")
	x.disarm()
	x.open()
	f.want("the second request", second, "201 replayed")
	f.mustEndWell(1)
}

// cutTakeover: the owner dies, and one who waits takes the key.
func cutTakeover(t *testing.T, server *redistest.Server, c cut) {
	f := newFleet(t, server, nil)
	frozen, a := f.worker("frozen", true), f.worker("a", true)
	h := held()
	first := frozen.request(h)
	wait(t, "the effect", h.began)
	frozen.die()
	took := a.proxy.trap(takeover, c.mishap, c.messages)
	second := a.request(atOnceOK())
	wait(t, "the takeover", took.caught)
	if c.messages > 1 {
		wait(t, "another takeover", took.caught)
	}
	took.disarm()
	took.open()
	f.want("who waits", second, "201")
	frozen.proxy.revive()
	close(h.end)
	f.want("the owner that was taken for dead", first, "201 replayed", "idem: lease lost")
	f.mustEndWell(1)
}

// cutRenew: the owner goes on, or is cancelled where nothing is renewed for a
// lease; and a renewal that comes late does not take the key again.
func cutRenew(t *testing.T, server *redistest.Server, c cut) {
	f := newFleet(t, server, func(c *idem.Contract) { c.InFlight = idem.Reject })
	a, b := f.worker("a", true), f.worker("b", false)
	x := a.proxy.trap(renew, c.mishap, c.messages)
	failing := held()
	failing.err = errProvider
	first := a.request(failing)
	wait(t, "a renewal", x.caught)
	if c.messages > 1 {
		f.want("an owner without renewals", first, "idem: lease lost")
	} else {
		close(failing.end)
		f.want("the owner", first, errProvider.Error())
	}
	x.disarm()
	x.open()
	if c.delays() {
		wait(t, "the late renewal", x.gone)
	}
	began := time.Now()
	f.want("another", b.request(atOnceOK()), "201")
	if took := time.Since(began); c.messages == 1 && took > fleetLease/2 {
		t.Errorf("a key that was given back was taken after %v", took)
	}
	f.mustEndWell(2) // the first of them failed, or was cancelled
}

// cutComplete: the client has its answer, and so has everyone else.
func cutComplete(t *testing.T, server *redistest.Server, c cut) {
	f := newFleet(t, server, nil)
	a, b := f.worker("a", true), f.worker("b", false)
	x := a.proxy.trap(complete, c.mishap, c.messages)
	h := held()
	first := a.request(h)
	wait(t, "the effect", h.began)
	waiting := b.request(atOnceOK())
	close(h.end)
	wait(t, "the completion", x.caught)
	f.want("the owner", first, "201")
	f.want("a retry at the owner's process", a.request(atOnceOK()), "201 replayed")
	x.disarm()
	x.open()
	f.want("who waits", waiting, "201 replayed")
	f.mustEndWell(1)
}

// cutRelease: the handler fails, and one who waits runs, whatever of the first
// comes late.
func cutRelease(t *testing.T, server *redistest.Server, c cut) {
	f := newFleet(t, server, nil)
	a, b := f.worker("a", true), f.worker("b", false)
	x := a.proxy.trap(release, c.mishap, c.messages)
	failing := held()
	failing.err = errProvider
	first := a.request(failing)
	wait(t, "the effect", failing.began)
	next := held()
	waiting := b.request(next)
	close(failing.end)
	f.want("the owner", first, errProvider.Error())
	if c.delays() && c.messages == 1 {
		wait(t, "the second effect", next.began)
		x.open()
		wait(t, "the late release", x.gone)
		close(next.end)
	} else {
		wait(t, "the release", x.caught)
		x.disarm()
		x.open()
		close(next.end)
	}
	f.want("who waits", waiting, "201")
	f.mustEndWell(2) // the first of them failed
}

// cutLoad: the first step under the run policy.
func cutLoad(t *testing.T, server *redistest.Server, c cut) {
	f := newFleet(t, server, func(c *idem.Contract) { c.InFlight = idem.RunAlso })
	a, b := f.worker("a", true), f.worker("b", false)
	x := a.proxy.trap(load, c.mishap, c.messages)
	first := a.request(atOnceOK())
	wait(t, "the read", x.caught)
	if c.messages == 1 && !c.delays() {
		f.want("the first request", first, "201")
	} else {
		f.want("the first request", first, "store-unavailable")
	}
	x.disarm()
	x.open()
	f.want("the next request", a.request(atOnceOK()), "201", "201 replayed")
	f.want("another's request", b.request(atOnceOK()), "201 replayed")
	f.mustEndWell(1)
}

// cutSubscribe: who waits is told late, but no later than it polls.
func cutSubscribe(t *testing.T, server *redistest.Server, c cut) {
	f := newFleet(t, server, nil)
	a, b := f.worker("a", true), f.worker("b", false)
	h := held()
	first := b.request(h)
	wait(t, "the effect", h.began)
	x := a.proxy.trap(subscribe, c.mishap, c.messages)
	waiting := a.request(atOnceOK())
	wait(t, "the subscription", x.caught)
	close(h.end)
	f.want("the owner", first, "201")
	began := time.Now()
	f.want("who waits", waiting, "201 replayed")
	if took := time.Since(began); took > fleetPoll+fleetTimeout+time.Second {
		t.Errorf("who waits was told after %v, it polls every %v", took, fleetPoll)
	}
	x.disarm()
	x.open()
	f.mustEndWell(1)
}

// TestALateTakeoverStandsForOneLeaseAtMost is the one case in which a key waits
// for nobody: a takeover that arrives after its caller has given up, and given
// back what it could not have yet.
func TestALateTakeoverStandsForOneLeaseAtMost(t *testing.T) {
	t.Parallel()
	server := redistest.Start(t)
	loadScripts(t, server)
	f := newFleet(t, server, func(c *idem.Contract) { c.InFlight = idem.Reject })
	frozen, a, b := f.worker("frozen", true), f.worker("a", true), f.worker("b", false)
	h := held()
	first := frozen.request(h)
	wait(t, "the effect", h.began)
	frozen.die()
	x := a.proxy.trap(takeover, delayRequest, 1)
	given := a.proxy.trap(release, "", 1)
	const afterLease = fleetLease + 50*time.Millisecond
	time.Sleep(afterLease)
	f.want("whose takeover is late", a.request(atOnceOK()), "in-progress")
	wait(t, "the release", given.caught)
	x.open()
	wait(t, "the late takeover", x.gone)
	f.want("a request after the late takeover", b.request(atOnceOK()), "in-progress")
	time.Sleep(afterLease)
	f.want("a request a lease later", b.request(atOnceOK()), "201")
	frozen.proxy.revive()
	close(h.end)
	f.want("the owner that was taken for dead", first, "201 replayed", "idem: lease lost")
	f.mustEndWell(1)
}
