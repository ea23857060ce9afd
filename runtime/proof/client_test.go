package proof

import (
	crand "crypto/rand"
	"encoding/base64"
	"fmt"
	"math/rand/v2"
	"sync"
	"time"

	idem "github.com/idemgen/idemgen/runtime"
)

// A workload is what the clients of a history do.
type workload struct {
	clients, keys, steps int
	lease, ttl           time.Duration
	// pause is the longest between two steps of a client.
	pause time.Duration
}

// A storeClient takes steps at random, on a few keys that it shares with others.
// It does what engines do, and what they must not: it uses tokens whose lease
// was lost, and sends again what was answered.
type storeClient struct {
	h      *history
	w      workload
	id     int
	rand   *rand.Rand
	keys   []idem.StoreKey
	seen   []*idem.Record   // by key: what was there when it looked last
	mine   [][]*idem.Record // by key: pending records that it sent
	bodies int
}

// run has all clients of a workload take their steps, and looks at every key in
// the end.
func (w workload) run(h *history, seed uint64) {
	keys := make([]idem.StoreKey, w.keys)
	for i := range keys {
		keys[i] = newKey()
	}
	var wg sync.WaitGroup
	for id := range w.clients {
		c := &storeClient{
			h: h, w: w, id: id, keys: keys,
			rand: rand.New(rand.NewPCG(seed, uint64(id))),
			seen: make([]*idem.Record, w.keys),
			mine: make([][]*idem.Record, w.keys),
		}
		wg.Go(func() {
			for range w.steps {
				c.step()
				c.rest()
			}
		})
	}
	wg.Wait()
}

func (c *storeClient) rest() {
	if c.w.pause > 0 && c.rand.IntN(2) == 0 {
		time.Sleep(upTo(c.rand, c.w.pause))
	}
}

// step takes one step on a random key.
func (c *storeClient) step() {
	key := c.rand.IntN(len(c.keys))
	own, n := c.own(key), c.rand.IntN(100)
	switch seen := c.seen[key]; {
	case n < 20:
		c.send(&step{op: claim, key: key, record: c.pending(key, 1)})
	case n < 35 && seen != nil:
		c.send(&step{op: takeover, key: key, record: c.pending(key, seen.Attempt+1), seen: seen.Token})
	case n < 45 || own == nil:
		c.send(&step{op: load, key: key})
	case n < 53:
		c.send(&step{op: claim, key: key, record: own}) // as a client library does
	case n < 55:
		c.send(&step{op: claim, key: key, record: c.settled(own, idem.Done)})
	case n < 70:
		c.send(&step{op: renew, key: key, record: own})
	case n < 78:
		c.send(&step{op: complete, key: key, record: c.settled(own, idem.Done)})
	case n < 82:
		c.send(&step{op: complete, key: key, record: c.settled(own, idem.Held)})
	default:
		c.send(&step{op: release, key: key, record: in(idem.Released, own), trace: n%2 == 0})
	}
}

// own returns a record that the client sent: most often the one that the key
// has, if that is its own, or the newest.
func (c *storeClient) own(key int) *idem.Record {
	mine, seen := c.mine[key], c.seen[key]
	if len(mine) == 0 {
		return nil
	}
	if c.rand.IntN(5) == 0 {
		return mine[c.rand.IntN(len(mine))]
	}
	for _, r := range mine {
		if seen != nil && r.Token == seen.Token {
			return r
		}
	}
	return mine[len(mine)-1]
}

func (c *storeClient) send(s *step) {
	s.client = c.id
	if reply, err := c.h.do(s, c.keys[s.key]); err == nil {
		c.seen[s.key] = reply.Record
		if reply.Accepted && s.op != release {
			c.seen[s.key] = s.record
		}
	}
}

// pending returns the record of a new attempt.
func (c *storeClient) pending(key int, attempt uint32) *idem.Record {
	r := &idem.Record{State: idem.Pending, Attempt: attempt, TTL: c.w.ttl, Lease: c.w.lease, Hold: c.rand.IntN(8) == 0}
	crand.Read(r.Token[:])
	c.mine[key] = append(c.mine[key], r)
	return r
}

// settled returns the record of an attempt that has ended, each with an answer
// of its own, so that writing it twice shows.
func (c *storeClient) settled(r *idem.Record, s idem.State) *idem.Record {
	n := in(s, r)
	if s == idem.Done {
		c.bodies++
		n.Answer = &idem.Answer{Status: 201, Body: fmt.Appendf(nil, "answer %d.%d", c.id, c.bodies)}
	}
	return n
}

// in returns a record's attempt in another state.
func in(s idem.State, r *idem.Record) *idem.Record {
	n := *r
	n.State = s
	return &n
}

// newKey returns a key that nobody else uses.
func newKey() idem.StoreKey {
	var sum [32]byte
	crand.Read(sum[:])
	key, err := idem.ParseStoreKey("proof:operation:" + base64.RawURLEncoding.EncodeToString(sum[:]))
	if err != nil {
		panic(err)
	}
	return key
}

// upTo returns a random duration below d.
func upTo(r *rand.Rand, d time.Duration) time.Duration { return time.Duration(r.Int64N(int64(d))) }
