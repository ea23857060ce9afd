package runtime_test

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	idem "github.com/idemgen/idemgen/runtime"
	"github.com/idemgen/idemgen/runtime/memstore"
)

// A garbledStore has a value under every key that is no record.
type garbledStore struct{ idem.Store }

func (garbledStore) Claim(context.Context, idem.StoreKey, *idem.Record) (idem.Reply, error) {
	return idem.Reply{}, fmt.Errorf("%w: version 9", idem.ErrUnreadable)
}

func (s garbledStore) Takeover(ctx context.Context, k idem.StoreKey, _, r *idem.Record) (idem.Reply, error) {
	return s.Claim(ctx, k, r)
}

func (s garbledStore) Load(ctx context.Context, k idem.StoreKey) (idem.Reply, error) {
	return s.Claim(ctx, k, nil)
}

func TestAnUnreadableRecordIsNeverRun(t *testing.T) {
	for _, inFlight := range []idem.InFlight{idem.Wait, idem.Reject, idem.RunAlso} {
		a := newBenchOn(t, garbledStore{memstore.New(memstore.Config{})}, func(c *idem.Contract) {
			c.InFlight, c.OnStoreError = inFlight, idem.RunUnprotected
		})
		a.want(a.run(a.charge(0)), "record-unreadable")
		a.wantCharges(0)
		a.wantEvents(idem.RecordUnreadable, 1)
	}
}

func TestAWaiterStopsAtAnUnreadableRecord(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, b := twoEngines(t, nil)
		first := a.start(a.charge(20 * time.Second))
		synctest.Wait()
		waiting := b.start(b.charge(0))
		synctest.Wait()
		b.store.swap(garbledStore{memstore.New(memstore.Config{})})
		b.want(<-waiting, "record-unreadable")
		b.wantCharges(0)
		<-first
	})
}

// Nothing that is logged, counted or returned as an error holds a key, a scope
// or a value.
func TestSecretsStayOutOfLogsAndErrors(t *testing.T) {
	var log bytes.Buffer
	logger := slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	var events strings.Builder
	store := &faultStore{Store: memstore.New(memstore.Config{})}
	engine := idem.New(store, idem.WithLogger(logger), idem.WithObserver(idem.ObserverFunc(func(_ context.Context, e idem.Event) {
		fmt.Fprintf(&events, "%+v\n", e)
	})))
	c := payment
	c.Scope, c.KeyFormat = []string{"$request.header.Account"}, "[a-z-]+"
	op := engine.MustOperation(c)
	run := func(key, scope, value string, handle idem.Handler) {
		_, err := op.Run(t.Context(), idem.Call{Key: idem.KeyOf(key), Scope: []string{scope}, Fingerprint: func(h *idem.Hasher) {
			h.Field("card")
			h.String(value)
		}}, handle)
		fmt.Fprintf(&events, "%v %+v\n", err, err)
	}
	ok := func(context.Context) (idem.WriteFunc, error) { return answering(201, "secret-body"), nil }
	run("secret-key", "secret-scope", "secret-value", ok)
	run("secret-key", "secret-scope", "secret-value", ok)
	run("secret-key", "secret-scope", "secret-other", ok)
	run("SECRET-key", "secret-scope", "secret-value", ok)
	run("secret-two", "", "secret-value", ok)
	store.set(always(refuse))
	run("secret-two", "secret-scope", "secret-value", ok)
	store.set(nil)
	fmt.Fprintf(&events, "%+v", engine.Stats())
	if err := engine.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"log": log.String(), "events and errors": events.String()} {
		if text == "" || strings.Contains(strings.ToLower(text), "secret") {
			t.Errorf("%s:\n%s", name, text)
		}
	}
}

func TestWithAdjustsOneServer(t *testing.T) {
	var both, one int
	count := func(n *int) idem.Option {
		return idem.WithObserver(idem.ObserverFunc(func(context.Context, idem.Event) { *n++ }))
	}
	engine := idem.New(memstore.New(memstore.Config{}), idem.WithLogger(nil), count(&both))
	defer engine.Close(t.Context())
	docs := engine.With(idem.WithProblemBase("https://docs.example.com/"), count(&one))
	c := payment
	plain, adjusted := engine.MustOperation(c), docs.MustOperation(c)
	for code, want := range map[idem.Code]string{idem.CodeKeyReused: "key-reused", idem.CodeMissingKey: "missing-key"} {
		if got := plain.ProblemType(code); got != "urn:idemgen:problem:"+want {
			t.Errorf("ProblemType(%s) = %s", code, got)
		}
		if got := adjusted.ProblemType(code); got != "https://docs.example.com/"+want {
			t.Errorf("ProblemType(%s) = %s", code, got)
		}
	}
	for _, op := range []*idem.Operation{plain, adjusted} {
		if _, err := op.Run(t.Context(), call("k", 1), func(context.Context) (idem.WriteFunc, error) { return answering(201, "x"), nil }); err != nil {
			t.Fatal(err)
		}
	}
	if both != 1 || one != 1 {
		t.Errorf("the observers saw %d and %d events, want one each", both, one)
	}
	if stats := engine.Stats(); len(stats) != 1 || stats[0].Counts[idem.Executed] != 1 || stats[0].Counts[idem.Replayed] != 1 {
		t.Errorf("Stats: %+v: the two share their counts and records", stats)
	}
}
