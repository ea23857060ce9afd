package runtime

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"
)

// A lookStep is one thing that is done with a context.
type lookStep struct {
	do    string // err, cause, done, value, child, timeout, sleep, end, print
	sleep time.Duration
	cause error
}

var errTestCause = errors.New("cause")

// A detached context cannot be told from the one that package context makes for
// the same, whatever it is asked, and when.
func TestDetachedEqualsContext(t *testing.T) {
	step := rapid.Custom(func(t *rapid.T) lookStep {
		return lookStep{
			do:    rapid.SampledFrom([]string{"err", "cause", "done", "value", "child", "timeout", "sleep", "end", "print"}).Draw(t, "do"),
			sleep: time.Duration(rapid.SampledFrom([]int{1, 3, 10}).Draw(t, "sleep")) * time.Second,
			cause: rapid.SampledFrom([]error{nil, errTestCause, ErrLeaseLost}).Draw(t, "cause"),
		}
	})
	rapid.Check(t, func(rt *rapid.T) {
		steps := rapid.SliceOfN(step, 1, 12).Draw(rt, "steps")
		handler := rapid.Bool().Draw(rt, "handler")
		difference := ""
		synctest.Test(t, func(*testing.T) { difference = compareContexts(steps, handler) })
		if difference != "" {
			rt.Fatal(difference)
		}
	})
}

type testKey struct{}

// compareContexts does the steps with both, and returns the first difference.
func compareContexts(steps []lookStep, handler bool) string {
	parent, leave := context.WithCancelCause(context.WithValue(context.Background(), testKey{}, "value"))
	defer leave(nil)
	// No two timers are due at the same instant.
	deadline, cause := time.Now().Add(9500*time.Millisecond), error(nil)
	ours := new(detached)
	base := context.WithoutCancel(parent)
	if handler {
		cause = ErrMaxRun
		ours.running = &running{info: Info{Key: "key"}}
		base = context.WithValue(base, infoKey{}, ours.running)
	}
	ours.init(parent, deadline, cause)
	theirs, cancel := context.WithCancelCause(base)
	theirs, stop := context.WithDeadlineCause(theirs, deadline, cause)
	defer ours.end(nil)
	defer func() { cancel(nil); stop() }()
	leave(errors.New("the client has gone")) // which concerns neither

	pairs := [][2]context.Context{{ours, theirs}}
	for i, s := range steps {
		switch s.do {
		case "sleep":
			time.Sleep(s.sleep)
		case "end":
			if !handler && time.Now().After(deadline) {
				continue // nobody looks at the context of a step after it
			}
			if !handler {
				s.cause = nil // steps are ended for no cause
			}
			ours.end(s.cause)
			cancel(s.cause)
			stop()
		case "child":
			a, cancelA := context.WithCancel(ours)
			b, cancelB := context.WithCancel(theirs)
			defer cancelA()
			defer cancelB()
			pairs = append(pairs, [2]context.Context{a, b})
		case "timeout":
			a, cancelA := context.WithTimeout(ours, s.sleep)
			b, cancelB := context.WithTimeout(theirs, s.sleep)
			defer cancelA()
			defer cancelB()
			pairs = append(pairs, [2]context.Context{a, b})
		}
		synctest.Wait()
		for n, pair := range pairs {
			if a, b := look(pair[0], s.do), look(pair[1], s.do); a != b {
				return fmt.Sprintf("step %d, %s, context %d: %s, want %s", i, s.do, n, a, b)
			}
		}
	}
	return ""
}

// look asks a context for one thing.
func look(ctx context.Context, what string) string {
	switch what {
	case "err":
		return fmt.Sprint(ctx.Err())
	case "cause":
		return fmt.Sprint(context.Cause(ctx))
	case "done":
		select {
		case <-ctx.Done():
			return "done"
		default:
			return "not done"
		}
	case "value":
		info, ok := FromContext(ctx)
		deadline, limited := ctx.Deadline()
		return fmt.Sprint(ctx.Value(testKey{}), ctx.Value("other"), info, ok, deadline, limited)
	case "print":
		_ = fmt.Sprint(ctx)
	}
	return ""
}

// A child of a context that tells it of its end takes no goroutine.
func TestDetachedChildren(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx := new(detached)
		ctx.init(context.Background(), time.Now().Add(time.Hour), ErrMaxRun)
		ctx.running = &running{}
		var children []context.Context
		for range 100 {
			child, cancel := context.WithCancel(ctx)
			defer cancel()
			children = append(children, child)
		}
		ctx.end(ErrLeaseLost)
		for _, child := range children {
			// Without a goroutine in between it is told at once.
			if child.Err() == nil || context.Cause(child) != ErrLeaseLost {
				t.Fatalf("a child ends with %v, cause %v", child.Err(), context.Cause(child))
			}
		}
	})
}
