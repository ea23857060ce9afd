package redisstore

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"
)

const (
	// linger is how long a link without topics stays.
	linger = time.Second
	// pulse is how often a link asks whether the server is still there. One
	// that has not been heard of since is given up: a connection that is cut
	// without a word gives no error.
	pulse = 2 * time.Second
	// refusedPause is the pause before a channel is tried again whose
	// subscription was refused, as where the user has no right to it.
	refusedPause = time.Second
)

// A link is one connection that subscribes at one server. It ends when the
// connection fails, and its topics get another.
//
// go-redis mends a connection by itself, and subscribes again to all channels
// with one command. A Cluster refuses that where they are of several slots, and
// nobody is told. So a link subscribes channel by channel and gives up its
// PubSub at the first error.
type link struct {
	hub    *hub
	addr   string
	pubsub *redis.PubSub
	wake   chan struct{} // there is something in asked, or topics is zero

	// Guarded by the hub's mutex:
	asked  []string // channels whose topic came or went
	topics int      // how many topics have this link

	// The rest is of the goroutine of run alone.
	subscribed map[string]bool // channels; true when confirmed
	unanswered []request       // in the order in which they were sent
	heard      bool            // since the last pulse
}

// A request is a command that the server answers in its turn.
type request struct {
	channel   string
	subscribe bool // else unsubscribe
}

func newLink(h *hub, n node) *link {
	return &link{
		hub:        h,
		addr:       n.addr,
		pubsub:     n.subscriber.SSubscribe(h.ctx),
		wake:       make(chan struct{}, 1),
		subscribed: make(map[string]bool),
		heard:      true,
	}
}

// ask has the link look at a channel. The caller holds the hub's mutex.
func (l *link) ask(channel string) {
	l.asked = append(l.asked, channel)
	select {
	case l.wake <- struct{}{}:
	default:
	}
}

// run keeps the link until it is no longer needed or fails.
func (l *link) run() {
	ctx, end := context.WithCancel(l.hub.ctx)
	events := make(chan any, 16)
	var reader sync.WaitGroup
	reader.Go(func() { l.read(ctx, events) })
	failure := l.serve(ctx, events)
	end()
	l.pubsub.Close()
	reader.Wait()
	if failure != nil {
		l.hub.drop(l)
	}
}

// read passes on what the server sends, and errors.
func (l *link) read(ctx context.Context, events chan<- any) {
	for {
		event, err := l.pubsub.Receive(ctx)
		if err != nil {
			event = err
		}
		select {
		case events <- event:
		case <-ctx.Done():
			return
		}
		if err != nil && !isReply(err) {
			return
		}
	}
}

// serve returns nil when the link is no longer needed.
func (l *link) serve(ctx context.Context, events <-chan any) error {
	beat := time.NewTicker(pulse)
	defer beat.Stop()
	idle := time.NewTimer(linger)
	defer idle.Stop()
	for {
		var err error
		select {
		case <-ctx.Done():
			return nil
		case <-l.wake:
			err = l.update(ctx)
			idle.Reset(linger)
		case event := <-events:
			l.heard = true
			err = l.handle(event)
		case <-beat.C:
			err = l.beat(ctx)
		case <-idle.C:
			if l.hub.retire(l) {
				return nil
			}
		}
		if err != nil {
			return err
		}
	}
}

// update subscribes to channels that have a topic here by now, and unsubscribes
// from those that have none.
func (l *link) update(ctx context.Context) error {
	for channel, wanted := range l.changes() {
		confirmed, subscribed := l.subscribed[channel]
		var err error
		switch {
		case wanted && confirmed:
			l.hub.confirm(l, channel)
		case wanted && !subscribed:
			l.subscribed[channel] = false
			l.unanswered = append(l.unanswered, request{channel, true})
			err = l.pubsub.SSubscribe(ctx, channel)
		case !wanted && subscribed:
			delete(l.subscribed, channel)
			l.unanswered = append(l.unanswered, request{channel, false})
			err = l.pubsub.SUnsubscribe(ctx, channel)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// changes returns the channels asked for, and whether each has a topic here.
func (l *link) changes() map[string]bool {
	l.hub.mu.Lock()
	defer l.hub.mu.Unlock()
	wanted := make(map[string]bool, len(l.asked))
	for _, channel := range l.asked {
		t := l.hub.topics[channel]
		wanted[channel] = t != nil && t.link == l
	}
	l.asked = nil
	return wanted
}

// handle takes in what the server sent.
func (l *link) handle(event any) error {
	switch event := event.(type) {
	case *redis.Message:
		l.hub.message(event.Channel)
	case *redis.Subscription:
		return l.answered(event.Channel, event.Kind == "ssubscribe")
	case error:
		return l.failed(event)
	}
	return nil
}

// answered takes in that the server has subscribed or unsubscribed a channel:
// because it was asked to, or because the channel's slot has gone.
func (l *link) answered(channel string, subscribe bool) error {
	answer := request{channel, subscribe}
	asked := len(l.unanswered) > 0 && l.unanswered[0] == answer
	if asked {
		l.unanswered = l.unanswered[1:]
	}
	_, subscribed := l.subscribed[channel]
	switch {
	case subscribe && !asked:
		return fmt.Errorf("redisstore: subscribed to %q out of turn", channel)
	case subscribe && subscribed:
		l.subscribed[channel] = true
		l.hub.confirm(l, channel)
	case !subscribe && !asked && subscribed:
		delete(l.subscribed, channel)
		l.hub.displace(l, channel, replacePause)
	}
	return nil
}

// failed takes in an error. It returns one that ends the link, if this does.
func (l *link) failed(err error) error {
	if !isReply(err) || len(l.unanswered) == 0 {
		return err
	}
	if addr, moved := redis.IsMovedError(err); moved && addr == l.addr {
		return err // go-redis has made a new connection by now
	}
	refused := l.unanswered[0]
	l.unanswered = l.unanswered[1:]
	if !refused.subscribe {
		return nil
	}
	delete(l.subscribed, refused.channel)
	after := refusedPause
	if refusedWith(err, "MOVED", "CLUSTERDOWN") {
		after = replacePause
	}
	l.hub.displace(l, refused.channel, after)
	return nil
}

// beat asks for a sign of life.
func (l *link) beat(ctx context.Context) error {
	if !l.heard {
		return errors.New("redisstore: the server does not answer a ping")
	}
	l.heard = false
	return l.pubsub.Ping(ctx)
}
