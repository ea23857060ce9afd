package runtime

import (
	"context"
	"sync"
	"time"
)

// A detached context has the values of another one, not its cancellation, and a
// deadline of its own. It is what these make together, at a fraction of the cost,
// since most requests ask it for nothing:
//
//	context.WithDeadlineCause(WithCancelCause(WithoutCancel(parent)), deadline, cause)
//
// Those are made when somebody asks for more than the time. So a context that is
// derived from it hears of its end without a goroutine, and context.Cause works.
type detached struct {
	parent   context.Context
	running  *running // what FromContext finds, nil for what the parent has
	deadline time.Time
	cause    error // of the deadline's end or, if ended, of that

	mu    sync.Mutex
	made  *made // nil until somebody asks for more than the time
	ended bool  // end was called before real was made
}

// made is what a detached context was made into.
type made struct {
	values context.Context // those of the parent, without its end
	real   context.Context // nil until it is needed
	cancel context.CancelCauseFunc
	stop   context.CancelFunc
}

var _ context.Context = (*detached)(nil)

// init makes d ready. A cause of nil stands for context.DeadlineExceeded.
func (d *detached) init(parent context.Context, deadline time.Time, cause error) {
	d.parent, d.deadline, d.cause = parent, deadline, cause
}

// used reports whether d is ready, or was.
func (d *detached) used() bool { return d.parent != nil }

// String implements fmt.Stringer: a context is printed while others use it.
func (d *detached) String() string { return "idem.detached" }

// Deadline implements context.Context.
func (d *detached) Deadline() (time.Time, bool) { return d.deadline, true }

// Done implements context.Context.
func (d *detached) Done() <-chan struct{} {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.make().Done()
}

// Err implements context.Context.
func (d *detached) Err() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	switch {
	case d.isReal():
		return d.made.real.Err()
	case d.ended:
		return context.Canceled
	case d.over():
		return d.make().Err() // that it has ended is final
	}
	return nil
}

// Value implements context.Context. Package context asks by keys of its own for
// what ends a context: once d has ended, or can tell a child when it does, the
// answer must be that of real.
func (d *detached) Value(key any) any {
	if key == (infoKey{}) && d.running != nil {
		return d.running
	}
	return d.lookUp().Value(key)
}

// lookUp returns the context that knows the values.
func (d *detached) lookUp() context.Context {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.isReal() || d.ended || d.over() {
		return d.make()
	}
	return d.detach().values
}

// detach makes made, with its values. The caller holds the mutex.
func (d *detached) detach() *made {
	if d.made == nil {
		d.made = &made{values: context.WithoutCancel(d.parent)}
	}
	return d.made
}

// isReal reports whether real is made. The caller holds the mutex.
func (d *detached) isReal() bool { return d.made != nil && d.made.real != nil }

// over reports whether the deadline is over.
func (d *detached) over() bool { return time.Until(d.deadline) <= 0 }

// make returns real. The caller holds the mutex.
func (d *detached) make() context.Context {
	m := d.detach()
	if m.real != nil {
		return m.real
	}
	switch {
	case d.ended:
		ctx, cancel := context.WithCancelCause(m.values)
		cancel(d.cause)
		m.real = ctx
	case d.running == nil: // nobody ends a step for a cause
		m.real, m.stop = context.WithDeadline(m.values, d.deadline)
	default:
		ctx, cancel := context.WithCancelCause(m.values)
		m.cancel = cancel
		m.real, m.stop = context.WithDeadlineCause(ctx, d.deadline, d.cause)
	}
	return m.real
}

// end ends d with a cause, nil for context.Canceled. Only the first end counts;
// whether the deadline was first is looked up for a handler alone, since nobody
// looks at the context of a step that is over.
func (d *detached) end(cause error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	switch {
	case d.isReal():
		if d.made.cancel != nil {
			d.made.cancel(cause)
		}
		if d.made.stop != nil {
			d.made.stop()
		}
	case !d.ended && (d.running == nil || !d.over()):
		d.ended, d.cause = true, cause
	}
}
