package redisstore_test

import (
	"context"
	"net"
	"sync"
)

// A staller dials connections that it can stall: they stay, take what is
// written, and nothing comes out of them any more.
type staller struct {
	mu    sync.Mutex
	conns []*stallConn
}

func (s *staller) dial(ctx context.Context, network, addr string) (net.Conn, error) {
	conn, err := (&net.Dialer{}).DialContext(ctx, network, addr)
	if err != nil {
		return nil, err
	}
	stalled, stall := context.WithCancel(context.Background())
	closed, end := context.WithCancel(context.Background())
	c := &stallConn{Conn: conn, stalled: stalled, stall: stall, closed: closed, end: end}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.conns = append(s.conns, c)
	return c, nil
}

// stallAll stalls every connection that there is by now.
func (s *staller) stallAll() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, c := range s.conns {
		c.stall()
	}
	s.conns = nil
}

type stallConn struct {
	net.Conn
	stalled, closed context.Context
	stall, end      context.CancelFunc
}

func (c *stallConn) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	if c.stalled.Err() != nil {
		<-c.closed.Done()
		return 0, net.ErrClosed
	}
	return n, err
}

func (c *stallConn) Write(b []byte) (int, error) {
	if c.stalled.Err() != nil {
		return len(b), nil
	}
	return c.Conn.Write(b)
}

func (c *stallConn) Close() error {
	c.end()
	return c.Conn.Close()
}
