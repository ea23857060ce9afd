package redisstore

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

type valueKey struct{}

// waiting is how many ticks have not come.
func (t *ticks) waiting() int {
	synctest.Wait()
	t.mu.Lock()
	defer t.mu.Unlock()
	return len(t.next)
}

// A context of the client ends with its deadline, never before and at most one tick
// later, whatever becomes of the one whose values it has.
func TestLimited(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		all := newTicks()
		parent, cancel := context.WithCancel(context.WithValue(t.Context(), valueKey{}, "value"))
		cancel()
		for _, after := range []time.Duration{0, 1, tickLength - 1, tickLength, tickLength + 1, 250 * time.Millisecond, 250*time.Millisecond + 1} {
			began := time.Now()
			ctx := &limited{Context: parent, deadline: began.Add(after), ticks: all}
			if ctx.Value(valueKey{}) != "value" {
				t.Error("the value is lost")
			}
			if after > 0 && ctx.Err() != nil {
				t.Errorf("%v before its end: %v", after, ctx.Err())
			}
			child, end := context.WithCancel(ctx)
			<-child.Done()
			if took := time.Since(began); took < after || took > after+tickLength {
				t.Errorf("it should end after %v and ended after %v", after, took)
			}
			if !errors.Is(ctx.Err(), context.DeadlineExceeded) || !errors.Is(child.Err(), context.DeadlineExceeded) {
				t.Errorf("it ended with %v, and one that is derived with %v", ctx.Err(), child.Err())
			}
			end()
		}
		if n := all.waiting(); n > 0 {
			t.Errorf("%d ticks are kept", n)
		}
	})
}

// A deadline that is over, by however much, has ended.
func TestLimitedOver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		all := newTicks()
		ctx := &limited{Context: t.Context(), deadline: time.Now().Add(-time.Hour), ticks: all}
		<-ctx.Done()
		if !errors.Is(ctx.Err(), context.DeadlineExceeded) {
			t.Error(ctx.Err())
		}
	})
}

// One that has ended stays so, while others come: a client that finds it ended
// returns its error.
func TestLimitedEnded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		all, now := newTicks(), time.Now()
		ctx := &limited{Context: t.Context(), deadline: now.Add(tickLength), ticks: all}
		<-ctx.Done()
		later := all.after(now.Add(time.Second))
		if !errors.Is(ctx.Err(), context.DeadlineExceeded) {
			t.Errorf("it has ended with %v", ctx.Err())
		}
		select {
		case <-ctx.Done():
		default:
			t.Error("it goes on")
		}
		<-later
	})
}

// Contexts whose deadlines are close share a channel and its timer, in whatever
// order they come.
func TestLimitedShare(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		all, now := newTicks(), time.Now()
		first, second := all.after(now.Add(5*tickLength)), all.after(now.Add(9*tickLength))
		if first == second {
			t.Error("deadlines that are far apart share a channel")
		}
		if all.after(now.Add(5*tickLength-1)) != first || all.after(now.Add(9*tickLength-1)) != second {
			t.Error("deadlines that are close do not share a channel")
		}
		if n := all.waiting(); n != 2 {
			t.Errorf("%d timers for two channels", n)
		}
		<-second
	})
}
