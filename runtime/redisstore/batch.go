package redisstore

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"
)

// largeBytes is from which size a command goes alone, so that others need not
// wait until it is sent.
const largeBytes = 32 << 10

// errNotSent is what the error of a call wraps whose command still waited for a
// round trip when its context ended, and will not be sent.
var errNotSent = errors.New("redisstore: not sent in time")

// A batcher has concurrent calls to a server share round trips. While few are
// under way a call goes at once; else it waits until one of them ends, and goes
// together with others that wait by then. So no timer is needed, and a call that
// is alone is not slower than without a batcher.
//
// The commands of one call keep their order, as the second is sent when the first
// has its reply. There is no other order to keep: calls that are under way at
// the same time are concurrent.
type batcher struct {
	store  *Store
	riders sync.Pool // of *rider that nobody refers to

	single *lane // of the only server; nil in a Cluster
	mu     sync.Mutex
	lanes  map[string]*lane // by address of the server; guarded by mu
}

func newBatcher(s *Store) *batcher {
	b := &batcher{store: s, lanes: make(map[string]*lane)}
	b.riders.New = func() any { return newRider() }
	if _, ok := s.nodes.(singleNode); ok {
		b.single = newLane()
	}
	return b
}

// process sends the command of a call once and waits for the reply, but not
// longer than the context lasts. Size is what its arguments take, in bytes.
func (b *batcher) process(ctx context.Context, name string, cmd redis.Cmder, size int) error {
	deadline, ok := ctx.Deadline()
	if !ok || size >= largeBytes {
		return b.store.process(ctx, cmd)
	}
	l := b.lane(name)
	if l.start() {
		defer l.leave(1)
		return b.store.process(ctx, cmd)
	}
	r := b.riders.Get().(*rider)
	r.ctx, r.deadline, r.cmd, r.size = ctx, deadline, cmd, size
	// A lane keeps to the deadlines of those who wait, and a batch to those of
	// its riders if the client does. Then nobody else need tell when a context
	// ends, which costs as much as the rest of the wait.
	now, done := time.Now(), (<-chan struct{})(nil)
	if !b.store.endsAt(deadline, now) {
		done = ctx.Done()
	}
	l.enter(r, now)
	return b.ride(l, r, done)
}

// ride waits for a round trip that r has with others, at most until done.
func (b *batcher) ride(l *lane, r *rider, done <-chan struct{}) error {
	for {
		told, ok := r.await(done)
		switch {
		case !ok && l.withdraw(r):
			return fmt.Errorf("%w: %w", errNotSent, r.ctx.Err())
		case !ok:
			return r.ctx.Err() // the command is the batch's
		case told == turnLead:
			b.lead(l, r)
			continue
		case told == turnLate:
			return fmt.Errorf("%w: %w", errNotSent, context.DeadlineExceeded)
		case told == turnLost:
			return context.DeadlineExceeded
		}
		err := r.cmd.Err()
		r.ctx, r.cmd = nil, nil
		b.riders.Put(r)
		return err
	}
}

// lead sends those who wait, r among them, unless another has done so.
func (b *batcher) lead(l *lane, r *rider) {
	l.gather()
	batch := l.board(r)
	if len(batch) == 0 {
		return
	}
	ctx := &limited{Context: r.ctx, deadline: lastOf(batch), ticks: b.store.ticks}
	if b.store.endsWith(ctx) {
		b.send(ctx, l, batch)
		return
	}
	go b.send(ctx, l, batch)
}

// send sends a batch. When it has its replies, or the context has ended, it
// hands the trip on and tells the batch.
func (b *batcher) send(ctx context.Context, l *lane, batch []*rider) {
	cmds := make([]redis.Cmder, len(batch))
	for i, r := range batch {
		cmds[i] = r.cmd
	}
	outcome := turnDone
	err := b.store.within(ctx, func() error {
		execute(ctx, b.store.client, cmds)
		return nil
	})
	if err != nil {
		outcome = turnLost
	}
	l.leave(len(batch))
	for _, r := range batch {
		r.turn <- outcome
	}
}

// lastOf is the last deadline of a batch.
func lastOf(batch []*rider) time.Time {
	var last time.Time
	for _, r := range batch {
		if r.deadline.After(last) {
			last = r.deadline
		}
	}
	return last
}

// lane returns the lane to the server that has a record.
func (b *batcher) lane(name string) *lane {
	if b.single != nil {
		return b.single
	}
	addr := b.store.nodes.addr(name)
	b.mu.Lock()
	defer b.mu.Unlock()
	l := b.lanes[addr]
	if l == nil {
		l = newLane()
		b.lanes[addr] = l
	}
	return l
}
