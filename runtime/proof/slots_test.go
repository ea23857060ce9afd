package proof

import (
	"fmt"
	"strings"
	"testing"

	idem "github.com/idemgen/idemgen/runtime"
	"github.com/idemgen/idemgen/runtime/memstore"
	"github.com/idemgen/idemgen/runtime/redisstore"
	"github.com/idemgen/idemgen/runtime/storetest/redistest"
)

// TestKeysSpreadAsRandomOnesDo puts 1,000 keys of one operation into slots. Their
// counts in parts of the slots must be those of random keys, by a chi-square
// test at 1 in 10,000, which the keys, being fixed, pass always or never.
func TestKeysSpreadAsRandomOnesDo(t *testing.T) {
	engine := idem.New(memstore.New(memstore.Config{}), idem.WithLogger(nil))
	defer engine.Close(t.Context())
	const keys, parts = 1000, 64
	const limit = 114 // chi-square of 63 degrees of freedom at 1 - 1/10,000
	for name, form := range map[string]string{
		"numbers": "%d", "padded": "order-%012d", "UUIDs of one prefix": "6f1c1f7e-0d5c-4e1a-9b1a-%012x",
	} {
		var ranges, residues [parts]int
		all := map[int]bool{}
		for i := range keys {
			in, err := engine.Inspect(t.Context(), payment, nil, fmt.Sprintf(form, i))
			if err != nil {
				t.Fatal(err)
			}
			redisName := redisstore.DefaultPrefix + in.StoreKey
			if strings.ContainsAny(redisName, "{}") {
				t.Fatalf("%q has a hash tag", redisName)
			}
			slot := redistest.SlotOf(redisName)
			all[slot] = true
			ranges[slot*parts/redistest.Slots]++
			residues[slot%parts]++
		}
		for what, counts := range map[string][parts]int{"ranges": ranges, "residues": residues} {
			if x := chiSquare(counts[:], keys); x > limit {
				t.Errorf("%s: chi-square of slot %s is %.1f, above %d: %v", name, what, x, limit, counts)
			}
		}
		// 1,000 random keys take 970 slots, give or take 5.
		if len(all) < 945 || len(all) > 995 {
			t.Errorf("%s: %d keys take %d slots", name, keys, len(all))
		}
	}
}

func chiSquare(counts []int, total int) (x float64) {
	want := float64(total) / float64(len(counts))
	for _, n := range counts {
		d := float64(n) - want
		x += d * d / want
	}
	return x
}
