// Package memstore keeps records in the memory of one process.
//
// It is right for a program that runs as a single process and may forget its
// keys when it ends, and for tests. Processes that share their keys need a
// store outside of them, such as runtime/redisstore.
//
// The store is bounded. A record that is alive is never given up for another:
// when there is no room the new claim is refused with [idem.ErrFull]. Records
// whose life is over make room as writes go on; the store has no goroutine and
// needs no Close.
package memstore

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"

	idem "github.com/idemgen/idemgen/runtime"
)

// DefaultMaxRecords is how many records a store holds if its [Config] does not
// say otherwise.
const DefaultMaxRecords = 1 << 20

// shardCount is a power of two well above the number of processors, so that
// two calls rarely meet.
const shardCount = 64

// Config is what a [Store] is made from. The zero Config is ready for use.
type Config struct {
	// MaxRecords is how many records the store holds: a claim of a new key
	// beyond it fails with [idem.ErrFull]. Zero or less means
	// [DefaultMaxRecords]. The steps of an owner are never refused for want
	// of room: a completion whose record is gone is written all the same.
	//
	// A record takes about 500 bytes and its answer.
	MaxRecords int
}

// A Store is an [idem.Store] in memory. Its methods may be called concurrently.
// Records are kept as they are handed over, not copied.
type Store struct {
	maxRecords int64
	records    atomic.Int64 // in all shards, those whose life is over included
	start      time.Time    // the clock's zero
	shards     [shardCount]shard
}

var _ idem.Store = (*Store)(nil)

// New returns an empty store.
func New(config Config) *Store {
	s := &Store{maxRecords: int64(config.MaxRecords), start: time.Now()}
	if s.maxRecords <= 0 {
		s.maxRecords = DefaultMaxRecords
	}
	for i := range s.shards {
		s.shards[i].entries = make(map[digest]*entry)
	}
	return s
}

// Len returns how many records the store holds. Some of them may be over.
func (s *Store) Len() int { return int(s.records.Load()) }

// now is the store's clock. It is monotonic: a change of the wall clock moves
// neither a life nor a lease.
func (s *Store) now() time.Duration { return time.Since(s.start) }

// begin locks the shard of key for a step and returns it, the time, and the
// entry that is alive under key, nil for none. A step whose context is over is
// not taken.
func (s *Store) begin(ctx context.Context, key idem.StoreKey) (*shard, time.Duration, *entry, error) {
	if err := ctx.Err(); err != nil {
		return nil, 0, nil, fmt.Errorf("%w: %w", idem.ErrNotApplied, err)
	}
	now := s.now()
	sh := s.shard(key)
	sh.mu.Lock()
	e := sh.entries[key.Digest()]
	if e != nil && e.over <= now {
		s.remove(sh, e)
		e = nil
	}
	return sh, now, e, nil
}

func (s *Store) shard(key idem.StoreKey) *shard {
	return &s.shards[key.Hash()%shardCount]
}

// sweepPerWrite is how many ended records a new one sweeps away at most. Two
// for one keep the store from growing, however many ended at the same time.
const sweepPerWrite = 2

// add puts a new record under key. The caller has counted it.
func (s *Store) add(sh *shard, now time.Duration, key idem.StoreKey, record *idem.Record) {
	for range sweepPerWrite {
		if !s.sweep(sh, now) {
			break
		}
	}
	e := &entry{key: key.Digest()}
	e.set(now, record)
	sh.entries[e.key] = e
	sh.due.push(e)
}

// put writes record under key, where e is what the key has now. It is for the
// owner of the key, who gets room even where there is none.
func (s *Store) put(sh *shard, now time.Duration, key idem.StoreKey, e *entry, record *idem.Record) {
	if e == nil {
		s.records.Add(1)
		s.add(sh, now, key, record)
		return
	}
	e.set(now, record)
	sh.due.fix(e)
}

// reserve counts a new record, if there is room for one.
func (s *Store) reserve() bool {
	if s.records.Add(1) <= s.maxRecords {
		return true
	}
	s.records.Add(-1)
	return false
}

// sweep removes a record of the shard whose life is over, if there is one.
func (s *Store) sweep(sh *shard, now time.Duration) bool {
	if len(sh.due) == 0 || sh.due[0].over > now {
		return false
	}
	s.remove(sh, sh.due[0])
	return true
}

func (s *Store) remove(sh *shard, e *entry) {
	sh.due.remove(e)
	delete(sh.entries, e.key)
	s.records.Add(-1)
}

// makeRoom sweeps every shard for a few records whose life is over, until there
// is room for a new one. It locks one shard at a time; the caller holds none.
func (s *Store) makeRoom() bool {
	now := s.now()
	for i := range s.shards {
		if s.records.Load() < s.maxRecords {
			return true
		}
		sh := &s.shards[i]
		sh.mu.Lock()
		for range sweepPerWrite {
			if !s.sweep(sh, now) {
				break
			}
		}
		sh.mu.Unlock()
	}
	return s.records.Load() < s.maxRecords
}
