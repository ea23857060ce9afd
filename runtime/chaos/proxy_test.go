//go:build unix

package chaos

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net"
	"strconv"
	"sync"
	"testing"
	"time"
)

// A proxy is a TCP connection between a worker and Redis that can be disturbed.
// What a client has sent reaches the server in the end, though late, and even
// if the client has gone: as packets on a bad link do.
type proxy struct {
	addr   string
	target string

	mu    sync.Mutex
	open  *sync.Cond // mute or conns has changed
	mute  bool       // nothing passes in either direction
	conns map[net.Conn]struct{}
	// delay says how long a command of a client is held, nil for never.
	delay func(command []byte) time.Duration
}

func newProxy(t testing.TB, target string) *proxy {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &proxy{addr: listener.Addr().String(), target: target, conns: map[net.Conn]struct{}{}}
	p.open = sync.NewCond(&p.mu)
	t.Cleanup(func() {
		listener.Close()
		p.setMute(false)
		p.drop()
	})
	go func() {
		for {
			client, err := listener.Accept()
			if err != nil {
				return
			}
			go p.serve(client)
		}
	}()
	return p
}

// setMute has nothing pass from now on, or everything that was kept back.
func (p *proxy) setMute(mute bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.mute = mute
	p.open.Broadcast()
}

// setDelay has commands held.
func (p *proxy) setDelay(delay func(command []byte) time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.delay = delay
}

// drop closes every connection.
func (p *proxy) drop() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for c := range p.conns {
		c.Close()
	}
}

// pass waits until something may pass.
func (p *proxy) pass() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for p.mute {
		p.open.Wait()
	}
}

func (p *proxy) hold(command []byte) time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.delay == nil {
		return 0
	}
	return p.delay(command)
}

func (p *proxy) serve(client net.Conn) {
	defer client.Close()
	server, err := net.Dial("tcp", p.target)
	if err != nil {
		return
	}
	defer server.Close()
	p.mu.Lock()
	p.conns[client], p.conns[server] = struct{}{}, struct{}{}
	p.mu.Unlock()
	defer func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		delete(p.conns, client)
		delete(p.conns, server)
	}()
	var both sync.WaitGroup
	both.Go(func() {
		p.forwardCommands(server, client)
		server.(*net.TCPConn).CloseWrite()
	})
	p.forwardReplies(client, server)
	client.Close()
	both.Wait()
}

// forwardCommands passes on what the client sends, command by command. What was
// read is delivered, even if the client has gone meanwhile.
func (p *proxy) forwardCommands(server io.Writer, client io.Reader) {
	in := bufio.NewReader(client)
	for {
		command, err := readCommand(in)
		if err != nil {
			return
		}
		if d := p.hold(command); d > 0 {
			time.Sleep(d)
		}
		p.pass()
		if _, err := server.Write(command); err != nil {
			return
		}
	}
}

// forwardReplies passes on what the server sends, and throws it away when the
// client has gone.
func (p *proxy) forwardReplies(client io.Writer, server io.Reader) {
	buffer := make([]byte, 16<<10)
	gone := false
	for {
		n, err := server.Read(buffer)
		p.pass()
		if n > 0 && !gone {
			_, werr := client.Write(buffer[:n])
			gone = werr != nil
		}
		if err != nil {
			return
		}
	}
}

// readCommand reads one command as clients of Redis send it: an array of bulk
// strings. It returns its bytes.
func readCommand(in *bufio.Reader) ([]byte, error) {
	var command bytes.Buffer
	n, err := readCount(in, &command, '*')
	for ; err == nil && n > 0; n-- {
		var size int
		if size, err = readCount(in, &command, '$'); err == nil {
			_, err = io.CopyN(&command, in, int64(size)+2)
		}
	}
	return command.Bytes(), err
}

// readCount reads a line that has a number after a sign.
func readCount(in *bufio.Reader, command *bytes.Buffer, sign byte) (int, error) {
	line, err := in.ReadBytes('\n')
	if err != nil {
		return 0, err
	}
	command.Write(line)
	line = bytes.TrimRight(line, "\r\n")
	if len(line) == 0 || line[0] != sign {
		return 0, fmt.Errorf("not a command: %q", line)
	}
	return strconv.Atoi(string(line[1:]))
}
