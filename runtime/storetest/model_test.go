package storetest

import (
	"context"
	"runtime"
	"sync"
	"time"

	idem "github.com/idemgen/idemgen/runtime"
)

// A model is the simplest store that keeps the specification, unless it has a
// fault: then it breaks one rule.
type model struct {
	fault string // "" for none

	mu       sync.Mutex
	entries  map[idem.StoreKey]modelEntry
	watchers map[idem.StoreKey][]chan struct{}
}

type modelEntry struct {
	record         *idem.Record
	over, leaseEnd time.Time
}

func newModel(fault string) *model {
	return &model{
		fault:    fault,
		entries:  make(map[idem.StoreKey]modelEntry),
		watchers: make(map[idem.StoreKey][]chan struct{}),
	}
}

// has returns what key has. The caller holds the mutex.
func (m *model) has(key idem.StoreKey) (*idem.Record, idem.Reply) {
	e, ok := m.entries[key]
	if !ok || !time.Now().Before(e.over) {
		return nil, idem.Reply{}
	}
	reply := idem.Reply{Record: e.record}
	if e.record.State == idem.Pending && m.fault != "no lease left" {
		reply.LeaseLeft = time.Until(e.leaseEnd)
	}
	if m.fault == "refusals without the record" {
		reply.Record = nil
	}
	return e.record, reply
}

func (m *model) write(key idem.StoreKey, r *idem.Record) (idem.Reply, error) {
	n := *r
	switch m.fault {
	case "forgets hold":
		n.Hold = false
	case "forgets attempt":
		n.Attempt = 1
	case "forgets repeated header lines":
		if n.Answer != nil {
			answer := *n.Answer
			answer.Header = answer.Header[:min(len(answer.Header), 1)]
			n.Answer = &answer
		}
	}
	life := n.Life()
	switch {
	case m.fault == "life without lease":
		life = n.TTL
	case m.fault == "lease in every life":
		life = n.TTL + n.Lease
	case m.fault == "life without end":
		life = time.Hour
	}
	lease := n.Lease
	if m.fault == "lease too short" {
		lease /= 2
	}
	now := time.Now()
	m.entries[key] = modelEntry{&n, now.Add(life), now.Add(lease)}
	return idem.Reply{Accepted: true}, nil
}

func (m *model) Claim(ctx context.Context, key idem.StoreKey, r *idem.Record) (idem.Reply, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	has, reply := m.has(key)
	if m.fault == "claim reads, then writes" {
		m.mu.Unlock()
		runtime.Gosched()
		m.mu.Lock()
	}
	switch {
	case has == nil,
		m.fault == "claim overwrites",
		m.fault == "claim takes lapsed records" && has.Claimable(reply.LeaseLeft):
		return m.write(key, r)
	case has.Token == r.Token && (has.State == r.State || m.fault == "claim of own token in any state"):
		if m.fault != "claim forgets its own token" {
			return idem.Reply{Accepted: true}, nil
		}
	}
	return reply, nil
}

func (m *model) Takeover(ctx context.Context, key idem.StoreKey, seen, r *idem.Record) (idem.Reply, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	has, reply := m.has(key)
	if has == nil {
		if m.fault == "takeover of nothing accepted" {
			return m.write(key, r)
		}
		return reply, nil
	}
	claimable := has.Claimable(reply.LeaseLeft)
	switch {
	case m.fault == "takeover without lease condition":
		claimable = claimable || has.State == idem.Pending && !has.Hold
	case m.fault == "takeover of held keys":
		claimable = claimable || has.State == idem.Pending && reply.LeaseLeft <= 0
	case m.fault == "takeover of any state":
		claimable = claimable || has.State != idem.Pending
	case m.fault == "takeover of no tombstone":
		claimable = claimable && has.State != idem.Released
	}
	switch {
	case claimable && (has.Token == seen.Token || m.fault == "takeover without token check"):
		return m.write(key, r)
	case has.Token == r.Token && has.State == r.State && m.fault != "takeover forgets its own token":
		return idem.Reply{Accepted: true}, nil
	}
	return reply, nil
}

func (m *model) Renew(ctx context.Context, key idem.StoreKey, r *idem.Record) (idem.Reply, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	has, reply := m.has(key)
	switch {
	case has == nil && m.fault == "renew of nothing refused":
		return reply, nil
	case has == nil:
	case has.State != idem.Pending && m.fault != "renew of any state":
		return reply, nil
	case has.Token != r.Token && m.fault != "renew without token check":
		return reply, nil
	case m.fault == "renew renews nothing":
		return idem.Reply{Accepted: true}, nil
	}
	return m.write(key, r)
}

func (m *model) Complete(ctx context.Context, key idem.StoreKey, r *idem.Record) (idem.Reply, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	has, reply := m.has(key)
	switch {
	case has == nil && m.fault == "complete of nothing refused":
		return reply, nil
	case has == nil:
	case has.State == idem.Released && m.fault != "complete over no tombstone":
	case has.Token != r.Token && m.fault != "complete without token check":
		return reply, nil
	case has.State == idem.Held && m.fault == "complete over no held record":
		return reply, nil
	case has.State == idem.Done && m.fault == "complete refuses its own done record":
		return reply, nil
	case has.State == idem.Done && m.fault != "complete writes its own done record again":
		return idem.Reply{Accepted: true}, nil
	}
	m.changed(key, "completion")
	return m.write(key, r)
}

func (m *model) Release(ctx context.Context, key idem.StoreKey, r *idem.Record, trace bool) (idem.Reply, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	has, reply := m.has(key)
	switch {
	case has == nil && !trace, has == nil && m.fault == "release leaves no tombstone in nothing":
		return idem.Reply{Accepted: true}, nil
	case has == nil:
	case has.State == idem.Released && m.fault == "release refused again":
		return reply, nil
	case has.State == idem.Released && m.fault != "release over another's tombstone":
		return idem.Reply{Accepted: true}, nil
	case has.State == idem.Done && m.fault != "release of done records":
		return reply, nil
	case has.Token != r.Token && m.fault != "release without token check":
		return reply, nil
	}
	m.changed(key, "release")
	if !trace && m.fault != "release always leaves a tombstone" || trace && m.fault == "release leaves no tombstone" {
		delete(m.entries, key)
		return idem.Reply{Accepted: true}, nil
	}
	return m.write(key, r)
}

func (m *model) Load(ctx context.Context, key idem.StoreKey) (idem.Reply, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	has, reply := m.has(key)
	reply.Accepted = has != nil && m.fault == "load accepts"
	if has != nil && m.fault == "load renews" {
		m.write(key, has)
	}
	return reply, nil
}

func (m *model) Watch(key idem.StoreKey) (<-chan struct{}, func()) {
	m.mu.Lock()
	defer m.mu.Unlock()
	watcher := make(chan struct{}, 1)
	if m.fault != "watch without a first value" {
		watcher <- struct{}{}
	}
	if m.fault == "watch for one" && len(m.watchers[key]) > 0 {
		return watcher, func() {}
	}
	m.watchers[key] = append(m.watchers[key], watcher)
	return watcher, func() { m.stop(key, watcher) }
}

func (m *model) stop(key idem.StoreKey, watcher chan struct{}) {
	m.mu.Lock()
	defer m.mu.Unlock()
	var others []chan struct{}
	for _, other := range m.watchers[key] {
		if other != watcher && m.fault != "stop for all" {
			others = append(others, other)
		}
	}
	m.watchers[key] = others
}

func (m *model) changed(key idem.StoreKey, step string) {
	if m.fault == "watch without "+step {
		return
	}
	for _, watcher := range m.watchers[key] {
		select {
		case watcher <- struct{}{}:
		default:
		}
	}
}
