package memstore

import (
	"crypto/sha256"
	"sync"
	"time"

	idem "github.com/idemgen/idemgen/runtime"
)

// A digest is that of a [idem.StoreKey]: half the size, and all there is to compare.
type digest = [sha256.Size]byte

// A shard has the records of a part of the keys.
type shard struct {
	mu      sync.Mutex // guards everything below, and the entries
	entries map[digest]*entry
	due     dueHeap
	watched map[idem.StoreKey][]chan struct{} // nil until somebody watches
}

// An entry is the record of a key and its times by the store's clock.
type entry struct {
	key      digest
	record   *idem.Record
	over     time.Duration // when the record's life is over
	leaseEnd time.Duration // when a pending record's lease is over
	index    int           // in the heap
}

func (e *entry) set(now time.Duration, record *idem.Record) {
	e.record = record
	e.over = now + record.Life()
	e.leaseEnd = now + record.Lease
}

// leaseLeft is what is left of the lease of a pending record, zero for others.
func (e *entry) leaseLeft(now time.Duration) time.Duration {
	if e.record.State != idem.Pending {
		return 0
	}
	return e.leaseEnd - now
}

// A dueHeap is a binary heap of entries, the one whose life is over first at
// the top. Every entry knows its place in it.
type dueHeap []*entry

func (h *dueHeap) push(e *entry) {
	e.index = len(*h)
	*h = append(*h, e)
	h.up(e.index)
}

func (h *dueHeap) remove(e *entry) {
	hole, last := e.index, len(*h)-1
	h.swap(hole, last)
	(*h)[last] = nil
	*h = (*h)[:last]
	if hole < last {
		h.fix((*h)[hole])
	}
}

// fix puts e in its place after its time has changed.
func (h dueHeap) fix(e *entry) {
	if !h.up(e.index) {
		h.down(e.index)
	}
}

func (h dueHeap) up(i int) (moved bool) {
	for i > 0 {
		parent := (i - 1) / 2
		if h[parent].over <= h[i].over {
			break
		}
		h.swap(i, parent)
		i, moved = parent, true
	}
	return moved
}

func (h dueHeap) down(i int) {
	for {
		least := i
		for child := 2*i + 1; child <= 2*i+2 && child < len(h); child++ {
			if h[child].over < h[least].over {
				least = child
			}
		}
		if least == i {
			return
		}
		h.swap(i, least)
		i = least
	}
}

func (h dueHeap) swap(i, j int) {
	h[i], h[j] = h[j], h[i]
	h[i].index, h[j].index = i, j
}
