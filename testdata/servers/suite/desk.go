package suite

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"

	idem "github.com/idemgen/idemgen/runtime"
)

// Orders that a Desk treats in a way of their own.
const (
	Decline = "decline" // an answer of status 402
	Fail    = "fail"    // an error, the first time
	Hold    = "hold"    // it is worked on until the test says so
	Abort   = "abort"   // it is worked on until its client leaves
)

// ErrDeclined is the outcome of an order Decline.
var ErrDeclined = errors.New("declined")

// A Desk is what the handlers of every server do. It counts its effects.
type Desk struct {
	// Working gets a value for every order Hold or Abort that has begun.
	Working chan struct{}
	// Resume takes one value for each order Hold that may go on.
	Resume chan struct{}
	// Aborted gets a value for every order Abort whose client has left.
	Aborted chan struct{}
	// Asked gets a value, if there is room, whenever it is asked who calls.
	Asked chan struct{}

	mu      sync.Mutex
	effects int
	infos   []idem.Info
}

// NewDesk returns a Desk for one test.
func NewDesk() *Desk {
	return &Desk{
		Working: make(chan struct{}, 8), Resume: make(chan struct{}, 8),
		Aborted: make(chan struct{}, 8), Asked: make(chan struct{}, 8),
	}
}

// Charge has an effect and returns its name, which no other effect has.
func (d *Desk) Charge(ctx context.Context, order string) (string, error) {
	d.mu.Lock()
	d.effects++
	effect := d.effects
	if info, ok := idem.FromContext(ctx); ok {
		d.infos = append(d.infos, info)
	}
	d.mu.Unlock()
	switch {
	case order == Decline:
		return "", ErrDeclined
	case order == Fail && effect == 1:
		return "", errors.New("the provider does not answer")
	case order == Hold:
		d.Working <- struct{}{}
		<-d.Resume
	case order == Abort:
		d.Working <- struct{}{}
		<-ctx.Done()
		d.Aborted <- struct{}{}
		return "", context.Cause(ctx)
	}
	return fmt.Sprintf("effect %d <&>", effect), nil
}

// Receipt has an effect and returns a document in gzip: for numbers above 1000
// one that is larger than what is kept of an answer.
func (d *Desk) Receipt(ctx context.Context, number int64) ([]byte, error) {
	name, err := d.Charge(ctx, "")
	if err != nil {
		return nil, err
	}
	var document bytes.Buffer
	w := gzip.NewWriter(&document)
	fmt.Fprintf(w, "receipt %d: %s", number, name)
	if number > 1000 {
		noise := rand.New(rand.NewPCG(1, 2)) // does not compress
		for range 100_000 / 8 {
			fmt.Fprintf(w, "%016x", noise.Uint64())
		}
	}
	err = w.Close()
	return document.Bytes(), err
}

// Principal is the function that the generated server is given: the caller that
// a middleware has found out.
func (d *Desk) Principal(ctx context.Context) (string, error) {
	select {
	case d.Asked <- struct{}{}:
	default:
	}
	return Caller(ctx), nil
}

// Effects returns how often a handler ran.
func (d *Desk) Effects() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.effects
}

// Infos returns what handlers knew of their calls, for those with a key.
func (d *Desk) Infos() []idem.Info {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.infos
}

// CallerHeader stands for an authentication.
const CallerHeader = "X-Caller"

// CallerKey is the key of the caller in contexts with keys of text.
const CallerKey = "caller"

type callerKey struct{}

// WithCaller returns a context that knows the caller.
func WithCaller(ctx context.Context, caller string) context.Context {
	return context.WithValue(ctx, callerKey{}, caller)
}

// Caller returns the caller that is known to a context, "" for none.
func Caller(ctx context.Context) string {
	if caller, ok := ctx.Value(callerKey{}).(string); ok {
		return caller
	}
	caller, _ := ctx.Value(CallerKey).(string)
	return caller
}
