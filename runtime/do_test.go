package runtime_test

import (
	"context"
	"errors"
	"math"
	"regexp"
	"testing"

	idem "github.com/idemgen/idemgen/runtime"
	"github.com/idemgen/idemgen/runtime/memstore"
)

type receipt struct {
	ID     string `json:"id"`
	Amount int64  `json:"amount"`
}

func TestDoRunsAJobOnce(t *testing.T) {
	engine := idem.New(memstore.New(memstore.Config{}), idem.WithLogger(nil))
	defer engine.Close(t.Context())
	job := idem.Contract{API: "Billing", Operation: "nightly"}
	runs := 0
	do := func(key string, err error) (receipt, error) {
		return idem.Do(t.Context(), engine, job, idem.Call{Key: idem.KeyOf(key)}, func(context.Context) (receipt, error) {
			runs++
			return receipt{ID: "r1", Amount: 1<<53 + 1}, err
		})
	}
	if _, err := do("2026-11-30", errProvider); !errors.Is(err, errProvider) {
		t.Errorf("the job's own error: %v", err)
	}
	for range 3 {
		got, err := do("2026-11-30", nil)
		if want := (receipt{ID: "r1", Amount: 1<<53 + 1}); err != nil || got != want {
			t.Errorf("got %+v, %v", got, err)
		}
	}
	if runs != 2 {
		t.Errorf("%d runs, want one that failed and one", runs)
	}
	if _, err := do("", nil); idem.CodeOf(err) != idem.CodeInvalidKey {
		t.Errorf("empty key: %v", err)
	}
	stats := engine.Stats()
	if len(stats) != 1 || stats[0].Operation != "nightly" || stats[0].Counts[idem.Replayed] != 2 || stats[0].Counts[idem.Executed] != 2 {
		t.Errorf("Stats: %+v", stats)
	}
}

func TestDoSettlesAResultThatCannotBeEncoded(t *testing.T) {
	engine := idem.New(memstore.New(memstore.Config{}), idem.WithLogger(nil))
	defer engine.Close(t.Context())
	do := func() error {
		_, err := idem.Do(t.Context(), engine, idem.Contract{API: "A", Operation: "o"}, idem.Call{Key: idem.KeyOf("k")},
			func(context.Context) (float64, error) { return math.Inf(1), nil })
		return err
	}
	if err := do(); err == nil || idem.CodeOf(err) != "" {
		t.Errorf("first: %v, want the encoding error", err)
	}
	if err := do(); idem.CodeOf(err) != idem.CodeResponseNotRetained {
		t.Errorf("retry: %v, want response-not-retained", err)
	}
}

func TestDoRefusesABadContract(t *testing.T) {
	engine := idem.New(memstore.New(memstore.Config{}), idem.WithLogger(nil))
	defer engine.Close(t.Context())
	for _, c := range []idem.Contract{
		{},
		{API: "A", Operation: "o", InFlight: "block"},
		{API: "A", Operation: "o", TTL: 1},
		{API: "A", Operation: "o", KeyFormat: "["},
		{API: "A", Operation: "o", Scope: []string{"x", "principal"}},
	} {
		_, err := idem.Do(t.Context(), engine, c, idem.Call{Key: idem.KeyOf("k")}, func(context.Context) (int, error) {
			t.Error("ran")
			return 0, nil
		})
		if err == nil {
			t.Errorf("%+v: no error", c)
		}
	}
}

func TestDownstreamKey(t *testing.T) {
	a := newBench(t, nil)
	keys := map[string]string{}
	derive := func(key, step string) string {
		var got string
		a.op.Run(t.Context(), call(key, 1), func(ctx context.Context) (idem.WriteFunc, error) {
			info, ok := idem.FromContext(ctx)
			if !ok || info.Key != key || info.Attempt < 1 || info.Operation != "createPayment" {
				t.Errorf("FromContext: %+v, %v", info, ok)
			}
			var err error
			if got, err = idem.DownstreamKey(ctx, step); err != nil {
				t.Error(err)
			}
			return nil, errProvider // gives the key back, so that it can run again
		})
		return got
	}
	form := regexp.MustCompile(`^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`)
	for _, c := range [][2]string{{"k1", "charge"}, {"k1", "notify"}, {"k2", "charge"}} {
		got := derive(c[0], c[1])
		if !form.MatchString(got) || keys[got] != "" {
			t.Errorf("key %q, step %q: %q (also of %q)", c[0], c[1], got, keys[got])
		}
		if again := derive(c[0], c[1]); again != got {
			t.Errorf("another attempt derives %q, not %q", again, got)
		}
		keys[got] = c[0] + c[1]
	}
	if _, err := idem.DownstreamKey(t.Context(), "charge"); !errors.Is(err, idem.ErrNoKey) {
		t.Errorf("outside a handler: %v, want ErrNoKey", err)
	}
}
