package runtime

import (
	"sync"
	"time"
)

// A pulse wakes the heartbeats of an operation when they are due. As all of them
// have the same interval, the one that was added first is due first: so a list
// does, with one timer, and a handler that returns before its first renewal pays
// for none.
type pulse struct {
	mu          sync.Mutex
	first, last *heartbeat
	// timer is when the timer fires, zero where there is none. It is left to
	// fire though its heartbeat is gone: another one will follow.
	timer time.Time
}

// beatLink is a heartbeat's place in its pulse, guarded by the pulse's mutex.
type beatLink struct {
	due        time.Time // zero while it is not in the list
	prev, next *heartbeat
}

// add has h wake after its interval.
func (p *pulse) add(h *heartbeat, now time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	h.link = beatLink{due: now.Add(h.interval()), prev: p.last}
	if p.last == nil {
		p.first = h
	} else {
		p.last.link.next = h
	}
	p.last = h
	// A timer for another age is that of a testing/synctest bubble, which the
	// engine has outlived or has entered.
	if p.timer.IsZero() || now.Sub(p.timer).Abs() > h.interval() {
		p.arm(p.first.link.due, now)
	}
}

// remove takes h from the list, if it is there.
func (p *pulse) remove(h *heartbeat) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.unlink(h)
}

func (p *pulse) unlink(h *heartbeat) {
	if h.link.due.IsZero() {
		return
	}
	prev, next := h.link.prev, h.link.next
	if prev == nil {
		p.first = next
	} else {
		prev.link.next = next
	}
	if next == nil {
		p.last = prev
	} else {
		next.link.prev = prev
	}
	h.link = beatLink{}
}

// arm sets the timer. The caller holds the mutex.
func (p *pulse) arm(at, now time.Time) {
	p.timer = at
	time.AfterFunc(at.Sub(now), p.fire)
}

// fire wakes those that are due, each in a goroutine of its own.
func (p *pulse) fire() {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := time.Now()
	for p.first != nil && !p.first.link.due.After(now) {
		h := p.first
		p.unlink(h)
		go h.beat()
	}
	p.timer = time.Time{}
	if p.first != nil {
		p.arm(p.first.link.due, now)
	}
}
