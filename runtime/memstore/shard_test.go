package memstore

import (
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"
)

func TestDueHeap(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var heap dueHeap
		var all []*entry
		pick := func(t *rapid.T) int { return rapid.IntRange(0, len(all)-1).Draw(t, "entry") }
		over := func(t *rapid.T) time.Duration { return time.Duration(rapid.IntRange(0, 20).Draw(t, "over")) }
		t.Repeat(map[string]func(*rapid.T){
			"push": func(t *rapid.T) {
				e := &entry{over: over(t)}
				all = append(all, e)
				heap.push(e)
			},
			"remove": func(t *rapid.T) {
				if len(all) == 0 {
					t.Skip()
				}
				i := pick(t)
				heap.remove(all[i])
				all = slices.Delete(all, i, i+1)
			},
			"change": func(t *rapid.T) {
				if len(all) == 0 {
					t.Skip()
				}
				e := all[pick(t)]
				e.over = over(t)
				heap.fix(e)
			},
			"": func(t *rapid.T) {
				if len(heap) != len(all) {
					t.Fatalf("%d entries in the heap, want %d", len(heap), len(all))
				}
				for i, e := range heap {
					if e.index != i {
						t.Fatalf("the entry at %d says %d", i, e.index)
					}
					if i > 0 && heap[(i-1)/2].over > e.over {
						t.Fatalf("the entry at %d is due before its parent", i)
					}
				}
			},
		})
	})
}
