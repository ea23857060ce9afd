package redisstore

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/redis/go-redis/v9"

	idem "github.com/idemgen/idemgen/runtime"
)

const (
	// maxSends is how often a command is sent before its failure counts.
	maxSends = 3
	// resendPause is the pause before the second sending; the third waits
	// twice as long.
	resendPause = 5 * time.Millisecond
	// directLimit is how far away a deadline may be for a step to wait for
	// it in a read, where it does not hear a cancellation before.
	directLimit = 500 * time.Millisecond
)

// A textCommand is a command whose reply is a string or nil.
type textCommand struct{ *redis.StringCmd }

// NoRetry keeps the client from sending the command again.
func (textCommand) NoRetry() bool { return true }

func newTextCommand(ctx context.Context, args ...any) textCommand {
	return textCommand{redis.NewStringCmd(ctx, args...)}
}

// A replyCommand is a command with any reply.
type replyCommand struct{ *redis.Cmd }

// NoRetry keeps the client from sending the command again.
func (replyCommand) NoRetry() bool { return true }

func newReplyCommand(ctx context.Context, args ...any) replyCommand {
	return replyCommand{redis.NewCmd(ctx, args...)}
}

// A call is one step on its way: one command, or one after the other.
type call struct {
	store *Store
	ctx   context.Context
	// What commands take is here, so that their arguments are pointers: go-redis
	// writes what they point to. It does not change once a command is sent.
	name  string // of the record
	value blob   // the record to write
	life  int64  // its life, in milliseconds
	// first is where the first command is. Most calls have no other, and so
	// need no memory but their own.
	first struct {
		args  [7]any
		text  redis.StringCmd
		reply redis.Cmd
	}
	// unsure: a sending failed in a way that leaves open whether it arrived,
	// so the step may take effect whatever becomes of the others.
	unsure bool
	// sent: a command was sent, so the result says something of the server.
	sent bool
	// awaited: commands are sent together with WAIT, and copied tells whether
	// enough replicas have the write of the last one.
	awaited, copied bool
}

func (s *Store) newCall(ctx context.Context, key idem.StoreKey) *call {
	return &call{store: s, ctx: ctx, name: s.name(key)}
}

// carry has the call's commands write a record.
func (c *call) carry(record *idem.Record) {
	c.value, c.life = c.store.codec.Append(nil, record), life(record)
}

// A blob is an argument that go-redis writes as it is.
type blob []byte

// MarshalBinary implements encoding.BinaryMarshaler.
func (b *blob) MarshalBinary() ([]byte, error) { return *b, nil }

// text sends a command and returns its reply, nil for nil. The reply must not
// be changed.
func (c *call) text(args ...any) ([]byte, error) {
	cmd := c.newText(args)
	err := c.send(cmd)
	if errors.Is(err, redis.Nil) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return cmd.Bytes()
}

// run runs a script on the record. The server is sent the source where it does
// not know the digest: after a restart, a failover or SCRIPT FLUSH.
func (c *call) run(s *script, args ...any) (any, error) {
	cmd := c.newReply("evalsha", &s.digest, args)
	err := c.send(cmd)
	if err != nil && refusedWith(err, "NOSCRIPT") {
		cmd = c.newReply("eval", &s.source, args)
		err = c.send(cmd)
	}
	if err != nil {
		return nil, err
	}
	return cmd.Val(), nil
}

// newText and newReply make a command, the first one of the call in its memory.
func (c *call) newText(args []any) textCommand {
	if c.sent {
		return newTextCommand(c.ctx, slices.Clone(args)...)
	}
	held := append(c.first.args[:0], args...)
	c.first.text = *redis.NewStringCmd(c.ctx, held...)
	return textCommand{&c.first.text}
}

func (c *call) newReply(verb any, script *string, more []any) replyCommand {
	var memory []any
	if !c.sent {
		memory = c.first.args[:0]
	}
	args := append(append(memory, verb, script, 1, &c.name, &c.value, &c.life), more...)
	if c.sent {
		return newReplyCommand(c.ctx, args...)
	}
	c.first.reply = *redis.NewCmd(c.ctx, args...)
	return replyCommand{&c.first.reply}
}

// send sends a command until there is a reply, at most maxSends times. All
// commands of a store have the same effect when they are sent again.
func (c *call) send(cmd redis.Cmder) error {
	if err := c.store.usable(c.ctx); err != nil {
		return c.failed(err, true)
	}
	c.sent = true
	for sends := 1; ; sends++ {
		err := c.process(cmd)
		if err == nil || errors.Is(err, redis.Nil) {
			return err
		}
		sure := neverArrived(err)
		c.unsure = c.unsure || !sure
		if sends == maxSends || !worthResending(err) || !pause(c.ctx, time.Duration(sends)*resendPause) {
			return c.failed(err, sure)
		}
	}
}

// process sends a command once, with WAIT where the step awaits replicas.
func (c *call) process(cmd redis.Cmder) error {
	if !c.awaited {
		return c.store.batches.process(c.ctx, c.name, cmd, len(c.value))
	}
	wait := c.store.newWait(c.ctx)
	err := c.store.within(c.ctx, func() error {
		c.store.nodes.together(c.ctx, c.name, cmd, wait)
		return cmd.Err()
	})
	c.copied = (err == nil || errors.Is(err, redis.Nil)) && c.store.enough(wait)
	return err
}

// failed is the error of a step whose last command failed.
func (c *call) failed(err error, sure bool) error {
	switch {
	case refusedWith(err, "WRONGTYPE"):
		return fmt.Errorf("%w: %w", idem.ErrUnreadable, err)
	case sure && !c.unsure:
		return fmt.Errorf("%w: %w", idem.ErrNotApplied, err)
	}
	return fmt.Errorf("redisstore: outcome unknown: %w", err)
}

// process has the client send a command once and waits for the reply, but not
// longer than the context lasts.
func (s *Store) process(ctx context.Context, cmd redis.Cmder) error {
	if s.endsWith(ctx) {
		s.client.Process(s.limit(ctx), cmd)
		return cmd.Err()
	}
	return s.within(ctx, func() error {
		s.client.Process(ctx, cmd)
		return cmd.Err()
	})
}

// within calls ask, which has the client ask a server, and returns when that
// does or the context ends. In the second case ask goes on, and what it writes
// to must not be read.
func (s *Store) within(ctx context.Context, ask func() error) error {
	if s.endsWith(ctx) {
		return ask()
	}
	replied := make(chan error, 1)
	go func() { replied <- ask() }()
	select {
	case err := <-replied:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// endsWith reports whether the client itself returns soon after ctx ends. It
// keeps to deadlines if told so, but never hears a cancellation while it reads.
func (s *Store) endsWith(ctx context.Context) bool {
	if deadline, ok := ctx.Deadline(); ok {
		return s.endsAt(deadline, time.Now())
	}
	return ctx.Done() == nil
}

// endsAt is endsWith for a context with a deadline.
func (s *Store) endsAt(deadline, now time.Time) bool {
	return s.keepsDeadlines && deadline.Sub(now) < directLimit
}

// limit returns what the client is given in place of a context that it ends with.
func (s *Store) limit(ctx context.Context) context.Context {
	deadline, ok := ctx.Deadline()
	if !ok {
		return ctx
	}
	return &limited{Context: ctx, deadline: deadline, ticks: s.ticks}
}

// pause waits. It reports false when the context ends before.
func pause(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}
