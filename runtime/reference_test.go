package runtime_test

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	idem "github.com/idemgen/idemgen/runtime"
)

func reload(c *idem.Contract) { c.Replay = idem.Reload }

// leaving is b.charge, which leaves references on its way.
func (b *bench) leaving(d time.Duration, references ...string) idem.Handler {
	charge := b.charge(d)
	return func(ctx context.Context) (idem.WriteFunc, error) {
		for _, reference := range references {
			idem.SetReference(ctx, reference)
		}
		return charge(ctx)
	}
}

// The first caller gets the answer, those after it the reference, and the store
// nothing of the answer but that.
func TestReload(t *testing.T) {
	b := newBench(t, reload)
	b.want(b.run(b.leaving(0, "a draft", "ch_1")), "201 charge 1")
	second := b.run(b.leaving(0, "ch_2"))
	b.want(second, "201  replayed")
	if got := second.result.Answer.Reference; got != "ch_1" {
		t.Errorf("reference %q, want the last one of the first call", got)
	}
	b.wantCharges(1)
}

func TestReloadOfAWaiter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, reload)
		first := b.start(b.leaving(time.Second, "ch_1"))
		synctest.Wait()
		second := b.run(b.leaving(0, "ch_2"))
		b.want(<-first, "201 charge 1")
		if !second.result.Replayed || second.result.Answer.Reference != "ch_1" {
			t.Errorf("the waiter got %+v", second)
		}
	})
}

// Without a reference a retry is refused: running again would be worse.
func TestReloadWithoutReference(t *testing.T) {
	for _, test := range []struct {
		name       string
		references []string
	}{
		{"none set", nil},
		{"taken back", []string{"ch_1", ""}},
		{"too long", []string{strings.Repeat("x", 100)}},
	} {
		b := newBench(t, func(c *idem.Contract) { c.Replay, c.MaxResponseBytes = idem.Reload, 99 })
		b.want(b.run(b.leaving(0, test.references...)), "201 charge 1")
		if got := b.run(failing); idem.CodeOf(got.err) != idem.CodeResponseNotRetained {
			t.Errorf("%s: %v", test.name, got)
		}
	}
}

// A large answer is no hindrance: it is not kept.
func TestReloadOfALargeAnswer(t *testing.T) {
	b := newBench(t, func(c *idem.Contract) { c.Replay, c.MaxResponseBytes = idem.Reload, 4 })
	b.want(b.run(b.leaving(0, "ch_1")), "201 charge 1")
	if got := b.run(failing); !got.result.Replayed {
		t.Errorf("got %v", got)
	}
}

// An answer that is not to be remembered releases the key, reference or not.
func TestReloadOfAFailure(t *testing.T) {
	b := newBench(t, reload)
	b.want(b.run(func(ctx context.Context) (idem.WriteFunc, error) {
		idem.SetReference(ctx, "ch_1")
		return answering(500, "broken"), nil
	}), "500 broken")
	b.want(b.run(b.leaving(0, "ch_2")), "201 charge 1")
}

// An owner whose key was taken over while it ran leaves its reference to the
// attempt with which it settles in the end.
func TestReloadAfterAnUnseenReply(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, reload)
		b.store.set(on("complete", loseRequest))
		b.want(b.run(b.leaving(0, "ch_1")), "201 charge 1")
		second := b.run(failing) // answered by this process
		if !second.result.Replayed || second.result.Answer.Reference != "ch_1" {
			t.Errorf("before the store has it: %+v", second)
		}
		b.store.set(nil)
		time.Sleep(time.Minute)
		if third := b.run(failing); third.result.Answer == nil || third.result.Answer.Reference != "ch_1" {
			t.Errorf("after: %+v", third)
		}
	})
}

func TestReferenceWithoutEffect(t *testing.T) {
	idem.SetReference(context.Background(), "ch_1")
	b := newBench(t, nil)
	b.want(b.run(b.leaving(0, "ch_1")), "201 charge 1")
	b.want(b.run(failing), "201 charge 1 replayed")

	contract := payment
	reload(&contract)
	_, err := idem.Do(context.Background(), b.engine, contract, call("k", 1), func(context.Context) (int, error) { return 1, nil })
	if err == nil || !strings.Contains(err.Error(), "Replay must be Stored") {
		t.Errorf("Do: %v", err)
	}
}
