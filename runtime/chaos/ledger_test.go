//go:build unix

package chaos

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"
	"time"
)

// A ledger is the outside world in which effects happen: it writes down each of
// them as it begins, whoever causes it, and the end of each attempt.
type ledger struct {
	url string

	mu       sync.Mutex
	attempts map[string]*attempt // by ID
}

// An attempt is one run of a handler that has had its effect. The worker tells
// of it twice: before the effect, and when the engine has settled the key.
type attempt struct {
	ID     string // the handler's own token, which its answer carries
	Key    string
	Worker string // name of the process
	Number uint32 // as the engine counts

	Entered time.Time // when the handler was called
	Began   time.Time // when the ledger learned of it: the effect
	Ended   time.Time // when the ledger learned of the end; zero for never

	// Lost is set when the lease was over by the owner's own clock, or the
	// handler was cancelled since it was lost.
	Lost bool
	// Unrecorded is set when the store had not taken the answer before the
	// client got it.
	Unrecorded bool
	// Unprotected is set when the handler ran on a store error.
	Unprotected bool
	// Failed is set when the handler returned an error after the effect.
	Failed bool
}

func newLedger(t testing.TB) *ledger {
	l := &ledger{attempts: map[string]*attempt{}}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /begin", l.begin)
	mux.HandleFunc("POST /end", l.end)
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	l.url = server.URL
	return l
}

// begin writes down an effect.
func (l *ledger) begin(w http.ResponseWriter, r *http.Request) {
	l.take(w, r, func(told *attempt) {
		told.Began = time.Now()
		l.attempts[told.ID] = told
	})
}

// end adds what is known of an attempt at its end, or later.
func (l *ledger) end(w http.ResponseWriter, r *http.Request) {
	l.take(w, r, func(told *attempt) {
		a := l.attempts[told.ID]
		if a == nil {
			return
		}
		if a.Ended.IsZero() {
			a.Ended = time.Now()
		}
		a.Lost = a.Lost || told.Lost
		a.Unrecorded = a.Unrecorded || told.Unrecorded
		a.Unprotected = a.Unprotected || told.Unprotected
		a.Failed = a.Failed || told.Failed
	})
}

func (l *ledger) take(w http.ResponseWriter, r *http.Request, note func(told *attempt)) {
	var told attempt
	if err := json.NewDecoder(r.Body).Decode(&told); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	note(&told)
}

// effects returns how many effects there were so far.
func (l *ledger) effects() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.attempts)
}

// byKey returns a copy of what is known of each key, its attempts in the order
// of their effects.
func (l *ledger) byKey() map[string][]attempt {
	l.mu.Lock()
	defer l.mu.Unlock()
	keys := map[string][]attempt{}
	for _, a := range l.attempts {
		keys[a.Key] = append(keys[a.Key], *a)
	}
	for _, attempts := range keys {
		slices.SortFunc(attempts, func(a, b attempt) int { return a.Began.Compare(b.Began) })
	}
	return keys
}

// of returns what is known of one key.
func (l *ledger) of(key string) []attempt { return l.byKey()[key] }
