//go:build unix

package chaos

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	idem "github.com/idemgen/idemgen/runtime"
)

// patience is how long a client tries to get its order through.
const patience = 40 * time.Second

// A load is clients that send orders to a fleet: each order has a key of its
// own, and whoever gets no answer sends it again, with the same key, to another
// worker. Some orders are sent twice at the same time, and some are sent again
// after they were answered.
type load struct {
	fleet *fleet
	name  string // the beginning of its keys
	seed  uint64

	clients     int           // at the same time
	tryLimit    time.Duration // how long one waits for an answer before it tries again
	work        time.Duration // handlers take up to this
	longWork    time.Duration // and one in thirty up to this, zero for none
	disconnects bool          // clients leave at random points, and come back
	failures    bool          // some handlers fail at first, without an effect

	client   *http.Client
	requests atomic.Int64
	books    books
}

// books is what the clients know in the end.
type books struct {
	mu         sync.Mutex
	orders     map[string]order           // sent, by key
	answers    map[string]map[string]bool // bodies of 201, by key
	unanswered map[string]string          // keys given up, with the last answer
	unexpected []string                   // answers that no fault excuses
	statuses   map[int]int                // how often each
}

func newLoad(f *fleet, name string, seed uint64) *load {
	return &load{
		fleet: f, name: name, seed: seed, clients: 24, tryLimit: 5 * time.Second, work: 30 * time.Millisecond,
		client: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 256, IdleConnTimeout: 30 * time.Second}},
		books: books{
			orders: map[string]order{}, answers: map[string]map[string]bool{},
			unanswered: map[string]string{}, statuses: map[int]int{},
		},
	}
}

// send sends orders until so many requests have been sent, or done is closed,
// and returns when each order is answered or given up. Nil means never.
func (l *load) send(requests int, done <-chan struct{}) {
	limit := l.requests.Load() + int64(requests)
	var next atomic.Int64
	next.Store(int64(l.books.size()))
	var all sync.WaitGroup
	for range l.clients {
		all.Go(func() {
			for l.requests.Load() < limit {
				select {
				case <-done:
					return
				default:
				}
				l.place(next.Add(1))
			}
		})
	}
	all.Wait()
}

// place sends the order of a number.
func (l *load) place(number int64) {
	rng := rand.New(rand.NewPCG(l.seed, uint64(number)))
	key := fmt.Sprintf("%s-%d", l.name, number)
	o := order{Order: key, Amount: rng.IntN(10_000), Note: fmt.Sprint(rng.IntN(10)), Work: upTo(rng, l.work)}
	if l.longWork > 0 && rng.IntN(30) == 0 {
		o.Work = upTo(rng, l.longWork)
	}
	l.books.open(key, o)
	if rng.IntN(4) == 0 {
		twin := rand.New(rand.NewPCG(l.seed, uint64(number)<<32))
		var both sync.WaitGroup
		both.Go(func() { l.insist(twin, key, o) })
		l.insist(rng, key, o)
		both.Wait()
	} else {
		l.insist(rng, key, o)
	}
	if rng.IntN(4) == 0 {
		l.insist(rng, key, o)
	}
}

// insist sends an order until it is answered.
func (l *load) insist(rng *rand.Rand, key string, o order) {
	fail := l.failures && rng.IntN(10) == 0
	last := "none"
	for end := time.Now().Add(patience); time.Now().Before(end); {
		limit := l.tryLimit
		if l.disconnects && rng.IntN(3) == 0 {
			limit = upTo(rng, o.Work+20*time.Millisecond)
		}
		got, err := l.try(l.fleet.url(rng), key, o, fail, limit)
		fail = false
		if err == nil && l.books.note(key, got) {
			return
		}
		last = fmt.Sprint(got.status, got.body, err)
		time.Sleep(20*time.Millisecond + upTo(rng, 60*time.Millisecond)) // as clients back off
	}
	l.books.giveUp(key, last)
}

// try sends one request.
func (l *load) try(url, key string, o order, fail bool, limit time.Duration) (reply, error) {
	l.requests.Add(1)
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	return post(ctx, l.client, url, key, o, fail)
}

// probe sends every order once more, and returns the keys that are not answered
// at once.
func (l *load) probe() (stuck []string) {
	keys := l.books.keys()
	var mu sync.Mutex
	var next atomic.Int64
	var all sync.WaitGroup
	for range l.clients {
		all.Go(func() {
			rng := rand.New(rand.NewPCG(l.seed, rand.Uint64()))
			for i := next.Add(1) - 1; i < int64(len(keys)); i = next.Add(1) - 1 {
				key := keys[i]
				o := l.books.order(key)
				// A handler that runs now has nothing to do but its effect.
				// The work is no part of the fingerprint.
				o.Work = 0
				got, err := l.try(l.fleet.url(rng), key, o, false, l.tryLimit)
				for tries := 1; tries < probeTries && err == nil && got.status == http.StatusServiceUnavailable; tries++ {
					got, err = l.try(l.fleet.url(rng), key, o, false, l.tryLimit)
				}
				if err == nil && l.books.note(key, got) && got.took < stuckAfter {
					continue
				}
				mu.Lock()
				stuck = append(stuck, fmt.Sprintf("%s: %d %s %v after %v", key, got.status, got.body, err, got.took))
				mu.Unlock()
			}
		})
	}
	all.Wait()
	return stuck
}

// probeTries is how often a key is tried while the store is said to be
// unavailable: on a busy machine a call may be over its time limit, and that says
// nothing of the key.
const probeTries = 4

// stuckAfter is how long a request may take in the engine, once the fault is
// over, without its key counting as stuck.
const stuckAfter = time.Second

func (b *books) size() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(b.orders)
}

func (b *books) open(key string, o order) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.orders[key] = o
}

func (b *books) order(key string) order {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.orders[key]
}

func (b *books) keys() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	keys := make([]string, 0, len(b.orders))
	for key := range b.orders {
		keys = append(keys, key)
	}
	return keys
}

// note writes down an answer. It reports whether the client is content with it.
func (b *books) note(key string, got reply) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.statuses[got.status]++
	switch {
	case got.status == http.StatusCreated:
		if b.answers[key] == nil {
			b.answers[key] = map[string]bool{}
		}
		b.answers[key][got.body] = true
		return true
	case got.status == http.StatusConflict && got.is(idem.CodeInProgress),
		got.status == http.StatusServiceUnavailable && got.is(idem.CodeStoreUnavailable),
		got.status == http.StatusInternalServerError: // a handler that failed
		return false
	}
	b.unexpected = append(b.unexpected, fmt.Sprintf("%s: %d %s", key, got.status, got.body))
	return true
}

func (b *books) giveUp(key, last string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.unanswered[key] = last
}

// effectsAnswered returns the IDs of the attempts whose answers a key's clients
// got.
func (b *books) effectsAnswered(key string) ([]string, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	var ids []string
	for body := range b.answers[key] {
		var r receipt
		if err := json.Unmarshal([]byte(body), &r); err != nil {
			return nil, fmt.Errorf("answer %q: %w", body, err)
		}
		ids = append(ids, r.Effect)
	}
	return ids, nil
}

func upTo(rng *rand.Rand, d time.Duration) time.Duration {
	if d <= 0 {
		return 0
	}
	return time.Duration(rng.Int64N(int64(d)))
}
