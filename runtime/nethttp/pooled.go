package nethttp

import (
	"context"
	"net/http"
	"sync"
	"time"

	idem "github.com/idemgen/idemgen/runtime"
)

// ServePooled is [Serve] for servers that hand their own context to handlers,
// as gin and iris do. Such a context serves another request later, and that of
// gin does not end when its client leaves.
//
// Own is the server's context, or one derived from it; request is the context
// of the HTTP request. The handler's context has the values of both, own's
// first, and ends with the first of them. What outlives the handler no longer
// reaches own. See [ServerContext] for a handler that needs the server's
// context itself.
func ServePooled(own, request context.Context, op *idem.Operation, call idem.Call, handle func(ctx context.Context) (VisitFunc, error)) (*Reply, error) {
	ctx, cancel := context.WithCancelCause(request)
	pooled := &pooledContext{Context: ctx, own: own}
	stop := context.AfterFunc(own, func() { cancel(pooled.cause()) })
	end := func() {
		stop()
		pooled.release()
		cancel(nil)
	}
	written := true
	defer func() {
		if written {
			end()
		}
	}()
	reply, err := Serve(pooled, op, call, handle)
	if err == nil && reply.visit != nil {
		// An answer that is not recorded may read from something that
		// needs the handler's context.
		written = false
		visit := reply.visit
		reply.visit = func(w http.ResponseWriter) error {
			defer end()
			return visit(w)
		}
	}
	return reply, err
}

// ServerContext returns the context that the server itself gave to its handler,
// such as a *gin.Context or an iris.Context, given the one of a protected
// handler. It is for the time that the handler runs. Any other context is
// returned as it is, so that a handler need not know whether it is protected.
func ServerContext(ctx context.Context) context.Context {
	if pooled, ok := ctx.Value(pooledKey{}).(*pooledContext); ok {
		if own := pooled.current(); own != nil {
			return own
		}
	}
	return ctx
}

type pooledKey struct{}

// A pooledContext is a request's context with the values of the server's own,
// until that is given back to its pool.
type pooledContext struct {
	context.Context

	mu  sync.RWMutex
	own context.Context // nil once it is given back; guarded by mu
}

// Deadline implements context.Context: the earlier deadline of the two.
func (c *pooledContext) Deadline() (time.Time, bool) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	deadline, ok := c.Context.Deadline()
	if c.own != nil {
		if d, has := c.own.Deadline(); has && (!ok || d.Before(deadline)) {
			return d, true
		}
	}
	return deadline, ok
}

// Value implements context.Context.
func (c *pooledContext) Value(key any) any {
	if key == (pooledKey{}) {
		return c
	}
	v := c.Context.Value(key)
	if v == any(c.Context) {
		return v // the package context asks whose cancellation this is
	}
	if own := c.ownValue(key); own != nil {
		return own
	}
	return v
}

// ownValue asks the server's context under the mutex: another request cannot
// get that context in the meantime.
func (c *pooledContext) ownValue(key any) any {
	c.mu.RLock()
	defer c.mu.RUnlock()
	if c.own == nil {
		return nil
	}
	return c.own.Value(key)
}

func (c *pooledContext) current() context.Context {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return c.own
}

// cause returns why the server's context has ended, unless that is given back.
func (c *pooledContext) cause() error {
	c.mu.RLock()
	defer c.mu.RUnlock()
	if c.own == nil {
		return nil
	}
	return context.Cause(c.own)
}

func (c *pooledContext) release() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.own = nil
}
