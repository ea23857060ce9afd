package runtime_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	idem "github.com/idemgen/idemgen/runtime"
	"github.com/idemgen/idemgen/runtime/memstore"
)

func TestKeys(t *testing.T) {
	const uuid = "6f1b0f4e-9a0e-4c64-8d5b-7f5a1f0c1d2e"
	for _, test := range []struct {
		format string
		key    idem.Key
		want   idem.Code
	}{
		{"", idem.NoKey(), idem.CodeMissingKey},
		{"", idem.KeyOf(""), idem.CodeInvalidKey},
		{"", idem.KeyOf("a"), ""},
		{"", idem.KeyOf("!~"), ""},
		{"", idem.KeyOf(strings.Repeat("k", 255)), ""},
		{"", idem.KeyOf(strings.Repeat("k", 256)), idem.CodeInvalidKey},
		{"", idem.KeyOf("a b"), idem.CodeInvalidKey},
		{"", idem.KeyOf("a\x7f"), idem.CodeInvalidKey},
		{"", idem.KeyOf("a\x00"), idem.CodeInvalidKey},
		{"", idem.KeyOf("schlüssel"), idem.CodeInvalidKey},
		{"", idem.MalformedKey("the quotes do not match"), idem.CodeInvalidKey},
		{"uuid", idem.KeyOf(uuid), ""},
		{"uuid", idem.KeyOf(uuid + "0"), idem.CodeInvalidKey},
		{"uuid", idem.KeyOf("x"), idem.CodeInvalidKey},
		{"[a-z]+|[0-9]+", idem.KeyOf("abc"), ""},
		{"[a-z]+|[0-9]+", idem.KeyOf("abc1"), idem.CodeInvalidKey},
	} {
		a := newBench(t, func(c *idem.Contract) { c.KeyFormat = test.format })
		_, err := a.op.Run(t.Context(), idem.Call{Key: test.key}, a.charge(0))
		if got := idem.CodeOf(err); got != test.want {
			t.Errorf("format %q, key %+v: %v, want code %q", test.format, test.key, err, test.want)
		}
	}
}

func TestUUIDKeysCompareWithoutCase(t *testing.T) {
	for format, want := range map[string]int{"uuid": 1, "any": 2} {
		a := newBench(t, func(c *idem.Contract) { c.KeyFormat = format })
		for _, key := range []string{"6f1b0f4e-9a0e-4c64-8d5b-7f5a1f0c1d2e", "6F1B0F4E-9A0E-4C64-8D5B-7F5A1F0C1D2E"} {
			if _, err := a.op.Run(t.Context(), call(key, 1), a.charge(0)); err != nil {
				t.Fatal(err)
			}
		}
		if a.charges() != want {
			t.Errorf("keyFormat %s: %d charges, want %d", format, a.charges(), want)
		}
	}
}

func TestAnOptionalKey(t *testing.T) {
	a := newBench(t, func(c *idem.Contract) { c.OptionalKey = true })
	for range 2 {
		result, err := a.op.Run(t.Context(), idem.Call{}, a.charge(0))
		if err != nil || result.Unrecorded == nil || !result.Unprotected {
			t.Fatalf("without a key: %+v, %v", result, err)
		}
	}
	a.wantCharges(2)
	a.wantEvents(idem.KeyMissing, 2)
}

// Operations, APIs, scopes and keys are kept apart, and no two lists of values
// run into one.
func TestNoAnswerCrosses(t *testing.T) {
	store := memstore.New(memstore.Config{})
	type request struct{ api, operation, principal, account, key string }
	seen := map[string]request{}
	for _, r := range []request{
		{"A", "pay", "alice", "1", "k"},
		{"B", "pay", "alice", "1", "k"},
		{"A", "refund", "alice", "1", "k"},
		{"A", "pay", "bob", "1", "k"},
		{"A", "pay", "alice", "2", "k"},
		{"A", "pay", "alice", "1", "k2"},
		{"A", "pay", "alice1", "k", "k"},
		{"A", "pay", "alic", "e1", "k"},
		{"Ap", "ay", "alice", "1", "k"},
	} {
		a := newBenchOn(t, store, func(c *idem.Contract) {
			c.API, c.Operation, c.Scope = r.api, r.operation, []string{"principal", "$request.header.Account"}
		})
		result, err := a.op.Run(t.Context(), idem.Call{
			Key:       idem.KeyOf(r.key),
			Principal: func(context.Context) (string, error) { return r.principal, nil },
			Scope:     []string{r.account},
		}, func(context.Context) (idem.WriteFunc, error) { return answering(201, fmt.Sprint(r)), nil })
		if err != nil {
			t.Fatal(err)
		}
		if body := string(result.Answer.Body); result.Replayed || seen[body] != (request{}) {
			t.Errorf("%v got the answer of %v", r, body)
		}
		seen[fmt.Sprint(r)] = r
	}
}

func TestNobodysKeyIsNobodys(t *testing.T) {
	a := newBench(t, func(c *idem.Contract) { c.Scope = []string{"principal", "$request.header.Account"} })
	principal := func(p string, err error) idem.PrincipalFunc {
		return func(context.Context) (string, error) { return p, err }
	}
	for name, test := range map[string]struct {
		call idem.Call
		want idem.Code
	}{
		"no function":     {idem.Call{Scope: []string{"1"}}, idem.CodeNoPrincipal},
		"empty principal": {idem.Call{Principal: principal("", nil), Scope: []string{"1"}}, idem.CodeNoPrincipal},
		"error":           {idem.Call{Principal: principal("p", errors.New("no token")), Scope: []string{"1"}}, idem.CodeNoPrincipal},
		"empty value":     {idem.Call{Principal: principal("p", nil), Scope: []string{""}}, idem.CodeMissingScope},
		"too few values":  {idem.Call{Principal: principal("p", nil)}, idem.CodeMissingScope},
		"too many values": {idem.Call{Principal: principal("p", nil), Scope: []string{"1", "2"}}, idem.CodeMissingScope},
	} {
		test.call.Key = idem.KeyOf("k")
		_, err := a.op.Run(t.Context(), test.call, a.charge(0))
		if got := idem.CodeOf(err); got != test.want {
			t.Errorf("%s: %v, want %q", name, err, test.want)
		}
	}
	a.wantCharges(0)
}

func TestAMismatchNamesItsFields(t *testing.T) {
	a := newBench(t, nil)
	fields := func(order string, amount int64) idem.Call {
		return idem.Call{Key: idem.KeyOf("k"), Fingerprint: func(h *idem.Hasher) {
			h.Field("order_id")
			h.String(order)
			h.Field("amount")
			h.Int(amount)
		}}
	}
	run := func(c idem.Call) error { _, err := a.op.Run(t.Context(), c, a.charge(0)); return err }
	if err := run(fields("o1", 1<<53)); err != nil {
		t.Fatal(err)
	}
	for want, c := range map[string]idem.Call{
		"[amount]":          fields("o1", 1<<53+1),
		"[order_id]":        fields("o2", 1<<53),
		"[order_id amount]": fields("o2", 5),
	} {
		var e *idem.Error
		if err := run(c); !errors.As(err, &e) || fmt.Sprint(e.Fields) != want || e.Sent.Sum == e.Stored.Sum {
			t.Errorf("got %+v, want fields %s", e, want)
		}
	}
	// A newer version of the contract has a field more, an older one a field
	// less: what both know is compared.
	newer := func(amount int64) idem.Call {
		old := fields("o1", amount)
		return idem.Call{Key: old.Key, Fingerprint: func(h *idem.Hasher) {
			old.Fingerprint(h)
			h.Field("currency")
			h.String("EUR")
		}}
	}
	older := func(order string) idem.Call {
		return idem.Call{Key: idem.KeyOf("k"), Fingerprint: func(h *idem.Hasher) { h.Field("order_id"); h.String(order) }}
	}
	if err := errors.Join(run(newer(1<<53)), run(older("o1"))); err != nil {
		t.Errorf("an honest retry under another field list: %v", err)
	}
	for _, c := range []idem.Call{newer(5), older("o2"), {Key: idem.KeyOf("k")}} {
		if err := run(c); idem.CodeOf(err) != idem.CodeKeyReused {
			t.Errorf("another request under another field list: %v", err)
		}
	}
	a.wantCharges(1)
}

func TestStoreKeysHideWhatTheyAreMadeOf(t *testing.T) {
	a := newBench(t, func(c *idem.Contract) { c.API, c.Operation = "Pay{ments} äö", strings.Repeat("o", 100) })
	in, err := a.engine.Inspect(t.Context(), a.op.Contract(), nil, "client-key")
	if err != nil {
		t.Fatal(err)
	}
	name := in.StoreKey
	if strings.ContainsAny(name, "{} ") || strings.Contains(name, "client-key") || len(name) > 128 || !strings.HasPrefix(name, "Pay_ments_") {
		t.Errorf("store key %q", name)
	}
}
