package runtime_test

import (
	"context"
	"strconv"
	"testing"

	idem "github.com/idemgen/idemgen/runtime"
	"github.com/idemgen/idemgen/runtime/memstore"
)

// BenchmarkRun measures what the engine and a memstore add to a handler that
// does nothing: for a first request, for a replay, and for a handler without
// protection.
func BenchmarkRun(b *testing.B) {
	engine := idem.New(memstore.New(memstore.Config{MaxRecords: 1 << 24}), idem.WithLogger(nil))
	op := engine.MustOperation(payment)
	answer := &idem.Answer{Status: 201, Header: []idem.HeaderLine{{Name: "Content-Type", Value: "application/json"}}, Body: make([]byte, 200)}
	write := func() (*idem.Answer, error) { return answer, nil }
	handle := func(context.Context) (idem.WriteFunc, error) { return write, nil }
	ctx := b.Context()
	fields := func(h *idem.Hasher) {
		h.Field("order_id")
		h.String("o-1234567")
		h.Field("amount")
		h.Int(100)
		h.Field("currency")
		h.String("EUR")
	}
	b.Run("first", func(b *testing.B) {
		b.ReportAllocs()
		for i := 0; b.Loop(); i++ {
			if _, err := op.Run(ctx, idem.Call{Key: idem.KeyOf("first-" + strconv.Itoa(i)), Fingerprint: fields}, handle); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("replay", func(b *testing.B) {
		b.ReportAllocs()
		call := idem.Call{Key: idem.KeyOf("replay"), Fingerprint: fields}
		for b.Loop() {
			if _, err := op.Run(ctx, call, handle); err != nil {
				b.Fatal(err)
			}
		}
	})
}
