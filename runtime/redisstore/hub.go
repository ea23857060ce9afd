package redisstore

import (
	"context"
	"sync"
	"time"
)

const (
	// replacePause is the pause before a channel is subscribed to again that
	// has moved to another server.
	replacePause = 20 * time.Millisecond
	// minRetryPause and maxRetryPause bound the pause after a server could
	// not be subscribed at. It doubles with every failure in a row.
	minRetryPause = 50 * time.Millisecond
	maxRetryPause = time.Second
)

// A hub shares subscriptions among those who watch: one connection per server,
// one subscription per channel. What it does takes place in goroutines, of
// which there are none while nobody watches.
type hub struct {
	nodes nodes
	ctx   context.Context // ends with close
	end   context.CancelFunc
	work  sync.WaitGroup // all goroutines

	mu       sync.Mutex // guards what follows, and topics
	topics   map[string]*topic
	links    map[string]*link // by address
	unplaced []string         // channels of topics that need a link
	placing  bool             // the goroutine of place runs
	failures map[string]int   // in a row, by address
	closed   bool
}

// A topic is a channel that somebody watches.
type topic struct {
	watchers  map[chan struct{}]struct{}
	link      *link // nil while it has none
	confirmed bool  // the server has confirmed the subscription
}

func newHub(nodes nodes) *hub {
	h := &hub{
		nodes:    nodes,
		topics:   make(map[string]*topic),
		links:    make(map[string]*link),
		failures: make(map[string]int),
	}
	h.ctx, h.end = context.WithCancel(context.Background())
	return h
}

func (h *hub) watch(channel string) (<-chan struct{}, func()) {
	h.mu.Lock()
	defer h.mu.Unlock()
	// One place is enough: a value that is there already says everything.
	watcher := make(chan struct{}, 1)
	if h.closed {
		return watcher, func() {}
	}
	t := h.topics[channel]
	if t == nil {
		t = &topic{watchers: make(map[chan struct{}]struct{})}
		h.topics[channel] = t
		h.enqueue(channel)
	}
	t.watchers[watcher] = struct{}{}
	if t.confirmed {
		watcher <- struct{}{}
	}
	return watcher, func() { h.unwatch(channel, t, watcher) }
}

func (h *hub) unwatch(channel string, t *topic, watcher chan struct{}) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(t.watchers, watcher)
	if len(t.watchers) > 0 || h.topics[channel] != t {
		return
	}
	delete(h.topics, channel)
	if t.link != nil {
		t.link.topics--
		t.link.ask(channel)
	}
}

// close ends everything and waits for it.
func (h *hub) close() {
	h.mu.Lock()
	h.closed = true
	h.mu.Unlock()
	h.end()
	h.work.Wait()
}

// tell gives a value to everyone who watches. The caller holds the mutex.
func (t *topic) tell() {
	for watcher := range t.watchers {
		select {
		case watcher <- struct{}{}:
		default: // a value is waiting already
		}
	}
}

// message tells of a change.
func (h *hub) message(channel string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if t := h.topics[channel]; t != nil {
		t.tell()
	}
}

// confirm tells that changes are seen from now on.
func (h *hub) confirm(l *link, channel string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.failures, l.addr)
	if t := h.topics[channel]; t != nil && t.link == l {
		t.confirmed = true
		t.tell()
	}
}

// enqueue has a channel placed. The caller holds the mutex.
func (h *hub) enqueue(channel string) {
	h.unplaced = append(h.unplaced, channel)
	if !h.placing {
		h.placing = true
		h.work.Go(h.place)
	}
}

// place gives a link to each topic that needs one. It runs while there are any,
// apart from the callers, since to find a server may take a while.
func (h *hub) place() {
	for {
		h.mu.Lock()
		channels := h.unplaced
		h.unplaced = nil
		if len(channels) == 0 || h.closed {
			h.placing = false
			h.mu.Unlock()
			return
		}
		h.mu.Unlock()
		for _, channel := range channels {
			n, err := h.nodes.of(h.ctx, channel)
			if err != nil {
				h.retry(n.addr, []string{channel})
				continue
			}
			h.assign(channel, n)
		}
	}
}

func (h *hub) assign(channel string, n node) {
	h.mu.Lock()
	defer h.mu.Unlock()
	t := h.topics[channel]
	if t == nil || t.link != nil || h.closed {
		return
	}
	l := h.links[n.addr]
	if l == nil {
		l = newLink(h, n)
		h.links[n.addr] = l
		h.work.Go(l.run)
	}
	t.link = l
	l.topics++
	l.ask(channel)
}

// displace takes a channel from a link that cannot have it, and has it placed
// again after a pause.
func (h *hub) displace(l *link, channel string, after time.Duration) {
	h.nodes.moved(h.ctx)
	h.mu.Lock()
	defer h.mu.Unlock()
	if t := h.topics[channel]; t != nil && t.link == l {
		t.link, t.confirmed = nil, false
		l.topics--
		h.placeLater([]string{channel}, after)
	}
}

// drop forgets a link that has ended. Its topics are placed again.
func (h *hub) drop(l *link) {
	h.nodes.moved(h.ctx)
	h.mu.Lock()
	var channels []string
	for channel, t := range h.topics {
		if t.link == l {
			t.link, t.confirmed = nil, false
			channels = append(channels, channel)
		}
	}
	if h.links[l.addr] == l {
		delete(h.links, l.addr)
	}
	h.mu.Unlock()
	h.retry(l.addr, channels)
}

// retry has channels placed again after a failure.
func (h *hub) retry(addr string, channels []string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.failures[addr]++
	pause := maxRetryPause
	if n := h.failures[addr]; n < 8 {
		pause = min(minRetryPause<<(n-1), maxRetryPause)
	}
	if len(channels) > 0 {
		h.placeLater(channels, pause)
	}
}

// placeLater has channels placed after a pause. The caller holds the mutex.
func (h *hub) placeLater(channels []string, after time.Duration) {
	time.AfterFunc(after, func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		for _, channel := range channels {
			if t := h.topics[channel]; t != nil && t.link == nil && !h.closed {
				h.enqueue(channel)
			}
		}
	})
}

// retire forgets a link that has had no topic for a while. It reports false if
// the link has one by now.
func (h *hub) retire(l *link) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if l.topics > 0 {
		return false
	}
	delete(h.links, l.addr)
	return true
}
