package memstore

import (
	"slices"

	idem "github.com/idemgen/idemgen/runtime"
)

// Watch implements [idem.Store].
func (s *Store) Watch(key idem.StoreKey) (changed <-chan struct{}, stop func()) {
	// One place is enough: a value that is there already says everything.
	ch := make(chan struct{}, 1)
	ch <- struct{}{}
	sh := s.shard(key)
	sh.mu.Lock()
	defer sh.mu.Unlock()
	if sh.watched == nil {
		sh.watched = make(map[idem.StoreKey][]chan struct{})
	}
	sh.watched[key] = append(sh.watched[key], ch)
	return ch, func() { sh.unwatch(key, ch) }
}

func (sh *shard) unwatch(key idem.StoreKey, ch chan struct{}) {
	sh.mu.Lock()
	defer sh.mu.Unlock()
	left := slices.DeleteFunc(sh.watched[key], func(other chan struct{}) bool { return other == ch })
	if len(left) == 0 {
		delete(sh.watched, key)
		return
	}
	sh.watched[key] = left
}

// changed tells those who watch key. The caller holds the shard's mutex.
func (sh *shard) changed(key idem.StoreKey) {
	if len(sh.watched) == 0 {
		return
	}
	for _, ch := range sh.watched[key] {
		select {
		case ch <- struct{}{}:
		default: // a value is waiting already
		}
	}
}
