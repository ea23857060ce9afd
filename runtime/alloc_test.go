//go:build !race

package runtime_test

import (
	"context"
	"strconv"
	"testing"

	idem "github.com/idemgen/idemgen/runtime"
	"github.com/idemgen/idemgen/runtime/memstore"
)

// TestAllocations holds what the engine and a memstore allocate for a request:
// the race detector allocates as well, so it is left out there.
func TestAllocations(t *testing.T) {
	engine := idem.New(memstore.New(memstore.Config{}), idem.WithLogger(nil))
	contract := payment
	contract.Scope = []string{"account"}
	op := engine.MustOperation(contract)
	answer := &idem.Answer{Status: 201, Header: []idem.HeaderLine{{Name: "Content-Type", Value: "application/json"}}, Body: make([]byte, 200)}
	write := func() (*idem.Answer, error) { return answer, nil }
	handle := func(context.Context) (idem.WriteFunc, error) { return write, nil }
	ctx, cancel := context.WithCancel(t.Context()) // as that of a request
	defer cancel()
	const runs = 1000
	keys := make([]string, 2*runs)
	for i := range keys {
		keys[i] = strconv.Itoa(i)
	}
	call := idem.Call{Scope: []string{"acc-1"}, Fingerprint: func(h *idem.Hasher) {
		h.Field("order_id")
		h.String("o-1234567")
		h.Field("amount")
		h.Int(100)
		h.Field("currency")
		h.String("EUR")
	}}
	run := func(key string) {
		call.Key = idem.KeyOf(key)
		if _, err := op.Run(ctx, call, handle); err != nil {
			t.Fatal(err)
		}
	}
	next := 0
	first := testing.AllocsPerRun(runs, func() {
		next++
		run(keys[next])
	})
	// The request, its attempt, the settled record and the store's entry.
	if first > 4 {
		t.Errorf("%v allocations for a first request, want at most 4", first)
	}
	replay := testing.AllocsPerRun(runs, func() { run(keys[1]) })
	if replay > 1 { // the request
		t.Errorf("%v allocations for a replay, want at most 1", replay)
	}
}
