//go:build !race

package nethttp_test

import (
	"context"
	"net/http"
	"strconv"
	"testing"

	idem "github.com/idemgen/idemgen/runtime"
	"github.com/idemgen/idemgen/runtime/memstore"
	"github.com/idemgen/idemgen/runtime/nethttp"
)

// A blackHole is an http.ResponseWriter that keeps nothing.
type blackHole http.Header

func (b blackHole) Header() http.Header         { return http.Header(b) }
func (b blackHole) WriteHeader(int)             {}
func (b blackHole) Write(p []byte) (int, error) { return len(p), nil }

// TestAllocations holds what a request through this edge allocates, those of the
// engine and a memstore included: the race detector allocates as well, so it is
// left out there.
func TestAllocations(t *testing.T) {
	engine := idem.New(memstore.New(memstore.Config{}), idem.WithLogger(nil))
	op := engine.MustOperation(idem.Contract{API: "Payments", Operation: "createPayment"})
	body := make([]byte, 200)
	contentType, location := []string{"application/json"}, []string{"/payments/1"}
	visit := func(w http.ResponseWriter) error {
		w.Header()["Content-Type"], w.Header()["Location"] = contentType, location
		w.WriteHeader(http.StatusCreated)
		_, err := w.Write(body)
		return err
	}
	handle := func(context.Context) (nethttp.VisitFunc, error) { return visit, nil }
	ctx, cancel := context.WithCancel(t.Context()) // as that of a request
	defer cancel()
	const runs = 1000
	keys := make([]string, 2*runs)
	for i := range keys {
		keys[i] = strconv.Itoa(i)
	}
	w := blackHole{}
	serve := func(key string) {
		reply, err := nethttp.Serve(ctx, op, idem.Call{Key: nethttp.HeaderKey(key)}, handle)
		if err == nil {
			err = reply.Visit(w)
		}
		if err != nil {
			t.Fatal(err)
		}
		clear(w)
	}
	next := 0
	first := testing.AllocsPerRun(runs, func() {
		next++
		serve(keys[next])
	})
	// Four of the engine and the store; the exchange and its two functions; the
	// answer, its body, its lines and the map that they were in, twice; and the
	// values of the lines that are sent.
	if first > 13 {
		t.Errorf("%v allocations for a first request, want at most 13", first)
	}
	replay := testing.AllocsPerRun(runs, func() { serve(keys[1]) })
	// One of the engine; the exchange and its function; the mark and the values
	// of the lines that are sent.
	if replay > 5 {
		t.Errorf("%v allocations for a replay, want at most 5", replay)
	}
}
