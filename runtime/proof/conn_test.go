package proof

import (
	"bytes"
	"context"
	"encoding"
	"errors"
	"io"
	"math/rand/v2"
	"net"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"

	idem "github.com/idemgen/idemgen/runtime"
	"github.com/idemgen/idemgen/runtime/redisstore"
)

// A fate is what becomes of a message.
type fate int

const (
	arrives    fate = iota
	isLost          // and so is its connection
	losesReply      // the server has answered, and nobody hears it
	comesLate       // after the connection it was sent on is given up
)

// A lossyDialer dials connections that lose some of a store's messages.
type lossyDialer struct {
	latest time.Duration // of a message that comes late
	late   sync.WaitGroup

	mu   sync.Mutex
	rand *rand.Rand
}

func (d *lossyDialer) dial(ctx context.Context, network, addr string) (net.Conn, error) {
	conn, err := (&net.Dialer{}).DialContext(ctx, network, addr)
	if err != nil {
		return nil, err
	}
	return &lossyConn{Conn: conn, dialer: d}, nil
}

// draw decides on the next message.
func (d *lossyDialer) draw() (fate, time.Duration) {
	d.mu.Lock()
	defer d.mu.Unlock()
	switch n := d.rand.IntN(100); {
	case n < 4:
		return isLost, 0
	case n < 9:
		return losesReply, 0
	case n < 12:
		return comesLate, upTo(d.rand, d.latest)
	}
	return arrives, 0
}

// A lossyConn is used by one goroutine at a time, as go-redis does.
type lossyConn struct {
	net.Conn
	dialer *lossyDialer
	fate   fate // of the last message
}

func (c *lossyConn) Write(b []byte) (int, error) {
	var after time.Duration
	c.fate = arrives
	if bytes.Contains(b, []byte(redisstore.DefaultPrefix)) {
		c.fate, after = c.dialer.draw()
	}
	switch c.fate {
	case isLost:
		c.Conn.Close()
		return len(b), nil
	case comesLate:
		c.dialer.deliver(c.Conn, bytes.Clone(b), after)
		return len(b), nil
	}
	return c.Conn.Write(b)
}

// deliver sends a message on a connection that its client has given up.
func (d *lossyDialer) deliver(conn net.Conn, b []byte, after time.Duration) {
	d.late.Go(func() {
		defer conn.Close()
		time.Sleep(after)
		conn.SetDeadline(time.Now().Add(time.Second))
		if _, err := conn.Write(b); err == nil {
			conn.Read(make([]byte, 1)) // the server has done it
		}
	})
}

func (c *lossyConn) Read(b []byte) (int, error) {
	switch c.fate {
	case isLost, comesLate:
		return 0, io.EOF
	case losesReply:
		c.Conn.Read(b)
		c.Conn.Close()
		return 0, io.EOF
	}
	return c.Conn.Read(b)
}

// Close leaves a connection to the message that is still to come.
func (c *lossyConn) Close() error {
	if c.fate == comesLate {
		return nil
	}
	return c.Conn.Close()
}

// A sendingHook tells a history of the messages that a client sends for it: a
// store may send a command again whose reply it did not get, and each of them
// may take effect.
type sendingHook struct{ h *history }

func (s sendingHook) sending(cmd redis.Cmder) (done func(err error)) {
	token, ok := tokenOf(cmd)
	if !ok {
		return func(error) {}
	}
	replied := s.h.sending(token)
	return func(err error) {
		if _, isReply := errors.AsType[redis.Error](err); err == nil || isReply {
			replied()
		}
	}
}

// tokenOf returns the token of the record that a command brings.
func tokenOf(cmd redis.Cmder) (idem.Token, bool) {
	for _, arg := range cmd.Args() {
		value, _ := arg.([]byte)
		if m, ok := arg.(encoding.BinaryMarshaler); ok {
			value, _ = m.MarshalBinary()
		}
		if r, err := idem.DecodeRecord(value); err == nil {
			return r.Token, true
		}
	}
	return idem.Token{}, false
}

// DialHook implements [redis.Hook].
func (s sendingHook) DialHook(next redis.DialHook) redis.DialHook { return next }

// ProcessHook implements [redis.Hook].
func (s sendingHook) ProcessHook(next redis.ProcessHook) redis.ProcessHook {
	return func(ctx context.Context, cmd redis.Cmder) error {
		done := s.sending(cmd)
		err := next(ctx, cmd)
		done(err)
		return err
	}
}

// ProcessPipelineHook implements [redis.Hook].
func (s sendingHook) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return func(ctx context.Context, cmds []redis.Cmder) error {
		var done []func(error)
		for _, cmd := range cmds {
			done = append(done, s.sending(cmd))
		}
		err := next(ctx, cmds)
		for i, cmd := range cmds {
			done[i](cmd.Err())
		}
		return err
	}
}
