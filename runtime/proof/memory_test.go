package proof

import (
	"context"
	"fmt"
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	idem "github.com/idemgen/idemgen/runtime"
	"github.com/idemgen/idemgen/runtime/memstore"
)

// TestMemoryStaysFlat puts many keys through an engine on a bounded memstore,
// whose records are over soon after they were written.
func TestMemoryStaysFlat(t *testing.T) {
	const limit = 10_000
	keys := atLength(50_000, 1_000_000)
	synctest.Test(t, func(t *testing.T) {
		engine := idem.New(memstore.New(memstore.Config{MaxRecords: limit}), idem.WithLogger(nil))
		defer engine.Close(context.Background())
		contract := payment
		contract.Lease, contract.TTL = time.Second, time.Second
		op := engine.MustOperation(contract)
		answer := func(context.Context) (idem.WriteFunc, error) {
			return func() (*idem.Answer, error) { return &idem.Answer{Status: 201, Body: make([]byte, 200)}, nil }, nil
		}
		through := func(from, to int) uint64 {
			for i := from; i < to; i++ {
				if _, err := op.Run(t.Context(), idem.Call{Key: idem.KeyOf(fmt.Sprintf("key-%d", i))}, answer); err != nil {
					t.Fatalf("key %d: %v", i, err)
				}
				if i%(limit/2) == 0 {
					time.Sleep(time.Second)
				}
			}
			runtime.GC()
			var m runtime.MemStats
			runtime.ReadMemStats(&m)
			return m.HeapAlloc
		}
		early := through(0, 2*limit)
		late := through(2*limit, keys)
		t.Logf("heap is %d KiB after %d keys, %d KiB after %d", early>>10, 2*limit, late>>10, keys)
		if late > early+early/2 {
			t.Errorf("heap grew from %d to %d bytes", early, late)
		}
	})
}
