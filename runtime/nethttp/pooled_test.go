package nethttp

import (
	"context"
	"errors"
	"io"
	"net/http"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	idem "github.com/idemgen/idemgen/runtime"
)

// A serverContext is like those of web frameworks: it has values of its own, does
// not end, and is used again for another request.
type serverContext struct {
	context.Context
	values map[string]string // not for concurrent use
}

func (c *serverContext) Value(key any) any {
	if name, ok := key.(string); ok {
		if v, ok := c.values[name]; ok {
			return v
		}
	}
	return c.Context.Value(key)
}

type requestKey struct{}

func pooledOperation(t *testing.T, policy idem.OnDisconnect) *idem.Operation {
	t.Helper()
	contract := testContract()
	contract.OnDisconnect = policy
	return newTestEngine(t).MustOperation(contract)
}

func keyed(key string) idem.Call { return idem.Call{Key: idem.KeyOf(key)} }

func TestServePooledValues(t *testing.T) {
	own := &serverContext{Context: context.Background(), values: map[string]string{"user": "alice"}}
	request := context.WithValue(context.Background(), requestKey{}, "of the request")
	var kept context.Context
	_, err := ServePooled(own, request, pooledOperation(t, idem.Finish), keyed("k"), func(ctx context.Context) (VisitFunc, error) {
		kept = ctx
		if ctx.Value("user") != "alice" || ctx.Value(requestKey{}) != "of the request" {
			t.Errorf("values %v and %v", ctx.Value("user"), ctx.Value(requestKey{}))
		}
		if info, ok := idem.FromContext(ctx); !ok || info.Key != "k" {
			t.Errorf("info %+v", info)
		}
		if ServerContext(ctx) != own {
			t.Errorf("server context %v", ServerContext(ctx))
		}
		return nil, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	own.values["user"] = "bob" // the next request
	if kept.Value("user") != nil || kept.Value(requestKey{}) != "of the request" {
		t.Errorf("afterwards: values %v and %v", kept.Value("user"), kept.Value(requestKey{}))
	}
	if ServerContext(kept) == own {
		t.Error("the server's context can be reached after the request")
	}
	if ServerContext(own) != own {
		t.Error("a context that is not pooled is not returned as it is")
	}
}

// A goroutine that outlives its request must not read what the server's context
// has become. The race detector watches.
func TestServePooledRelease(t *testing.T) {
	own := &serverContext{Context: context.Background(), values: map[string]string{"user": "alice"}}
	var group sync.WaitGroup
	_, err := ServePooled(own, context.Background(), pooledOperation(t, idem.Finish), keyed("k"), func(ctx context.Context) (VisitFunc, error) {
		for range 4 {
			group.Go(func() {
				for range 1000 {
					if v := ctx.Value("user"); v != "alice" && v != nil {
						t.Errorf("value %v", v)
						return
					}
				}
			})
		}
		return nil, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	own.values = map[string]string{"user": "bob"}
	group.Wait()
}

func TestServePooledEnds(t *testing.T) {
	errGone := errors.New("gone")
	background := func() (context.Context, context.CancelCauseFunc) {
		return context.WithCancelCause(context.Background())
	}
	for name, whose := range map[string]int{"request": 0, "own": 1} {
		t.Run(name, func(t *testing.T) {
			request, endRequest := background()
			own, endOwn := background()
			end := []context.CancelCauseFunc{endRequest, endOwn}[whose]
			_, err := ServePooled(own, request, pooledOperation(t, idem.Cancel), keyed("k"), func(ctx context.Context) (VisitFunc, error) {
				end(errGone)
				<-ctx.Done()
				return nil, context.Cause(ctx)
			})
			if !errors.Is(err, errGone) {
				t.Errorf("error %v", err)
			}
		})
	}
}

func TestServePooledDeadline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		own, cancelOwn := context.WithTimeout(context.Background(), time.Second)
		defer cancelOwn()
		request, cancelRequest := context.WithTimeout(context.Background(), 2*time.Second)
		defer cancelRequest()
		want, _ := own.Deadline()
		for _, pair := range [][2]context.Context{{own, request}, {request, own}, {own, context.Background()}, {context.Background(), own}} {
			c := &pooledContext{Context: pair[1], own: pair[0]}
			if got, ok := c.Deadline(); !ok || !got.Equal(want) {
				t.Errorf("deadline %v, %t, want %v", got, ok, want)
			}
		}
	})
}

func TestServePooledAnswer(t *testing.T) {
	op := pooledOperation(t, idem.Finish)
	for _, replayed := range []string{"", "true"} {
		reply, err := ServePooled(context.Background(), context.Background(), op, keyed("k"), func(context.Context) (VisitFunc, error) {
			return func(w http.ResponseWriter) error { w.WriteHeader(http.StatusCreated); return nil }, nil
		})
		if err != nil {
			t.Fatal(err)
		}
		w := newRecorder(1000)
		if err := reply.Visit(w); err != nil || w.status != http.StatusCreated || w.header.Get(replayedHeader) != replayed {
			t.Errorf("status %d, header %v, error %v", w.status, w.header, err)
		}
	}
}

// An answer that is not recorded is written when the handler has long returned,
// perhaps from something that its context holds.
func TestServePooledUnrecorded(t *testing.T) {
	contract := testContract()
	contract.OptionalKey = true
	own := &serverContext{Context: context.Background(), values: map[string]string{"user": "alice"}}
	var kept context.Context
	reply, err := ServePooled(own, context.Background(), newTestEngine(t).MustOperation(contract), idem.Call{}, func(ctx context.Context) (VisitFunc, error) {
		kept = ctx
		return func(w http.ResponseWriter) error {
			_, err := io.WriteString(w, ctx.Value("user").(string))
			return errors.Join(err, ctx.Err())
		}, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	w := newRecorder(100)
	if err := reply.Visit(w); err != nil || string(w.body) != "alice" {
		t.Errorf("body %q, error %v", w.body, err)
	}
	if kept.Err() == nil || kept.Value("user") != nil {
		t.Error("the server's context is not given back")
	}
}
