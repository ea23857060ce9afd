package proof

import (
	"bufio"
	"crypto/sha1"
	"encoding/hex"
	"io"
	"net"
	"os"
	"strings"
	"sync"
	"testing"
)

// The steps of the protocol that are no method of the store.
const (
	leaseLeft op = "pttl"
	subscribe op = "subscribe"
)

// A mishap is what a proxy does to a message.
type mishap string

const (
	loseRequest  mishap = "the request is lost"
	loseReply    mishap = "the reply is lost"
	delayReply   mishap = "the reply is late"
	delayRequest mishap = "the request is late"
)

// A proxy stands between a store and its server, and does to single steps what
// its traps say. A connection carries one command at a time.
type proxy struct {
	listener net.Listener
	server   string
	scripts  map[string]op // by digest and by source

	mu    sync.Mutex
	traps []*trap
	conns map[net.Conn]bool
	dead  bool
	work  sync.WaitGroup
}

// A trap does something to the messages of one step.
type trap struct {
	proxy  *proxy
	step   op
	mishap mishap // "" only watches
	left   int    // how many messages it still catches; guarded by the proxy's mutex
	// caught gets a value for each message caught: before it is delayed, or
	// after it was lost or answered.
	caught chan struct{}
	// opened is closed when what is delayed may go on.
	opened chan struct{}
	// gone gets a value for each delayed message that has gone on, and was
	// answered by the server.
	gone chan struct{}
}

// always is more often than any test sends a message.
const always = 1 << 20

func newProxy(t *testing.T, server string) *proxy {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &proxy{listener: listener, server: server, scripts: scriptSteps(t), conns: map[net.Conn]bool{}}
	p.work.Go(p.accept)
	t.Cleanup(func() {
		listener.Close()
		p.kill()
		p.work.Wait()
	})
	return p
}

// scriptSteps returns which step a script is, by its digest and its source.
func scriptSteps(t *testing.T) map[string]op {
	t.Helper()
	steps := map[string]op{}
	for _, step := range []op{takeover, renew, complete, release} {
		source, err := os.ReadFile("../redisstore/" + string(step) + ".lua")
		if err != nil {
			t.Fatal(err)
		}
		sum := sha1.Sum(source)
		steps[hex.EncodeToString(sum[:])] = step
		steps[string(source)] = step
	}
	return steps
}

// trap sets a trap for the next messages of a step.
func (p *proxy) trap(step op, m mishap, messages int) *trap {
	x := &trap{
		proxy: p, step: step, mishap: m, left: messages,
		caught: make(chan struct{}, 1000),
		opened: make(chan struct{}),
		gone:   make(chan struct{}, 1000),
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.traps = append(p.traps, x)
	return x
}

// disarm has the trap catch nothing more. What it holds stays held.
func (x *trap) disarm() {
	x.proxy.mu.Lock()
	defer x.proxy.mu.Unlock()
	x.left = 0
}

// open lets go on what the trap holds.
func (x *trap) open() { close(x.opened) }

// kill cuts every connection, and refuses new ones until revive.
func (p *proxy) kill() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.dead = true
	for conn := range p.conns {
		conn.Close()
	}
	for _, x := range p.traps {
		select {
		case <-x.opened:
		default:
			close(x.opened)
		}
	}
	p.traps = nil
}

func (p *proxy) revive() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.dead = false
}

// catch returns the trap that gets a message, nil for none.
func (p *proxy) catch(step op) *trap {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, x := range p.traps {
		if x.step == step && x.left > 0 {
			x.left--
			return x
		}
	}
	return nil
}

// keep remembers a connection, unless there shall be none.
func (p *proxy) keep(conn net.Conn) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.dead {
		p.conns[conn] = true
	}
	return !p.dead
}

func (p *proxy) drop(conn net.Conn) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.conns, conn)
	conn.Close()
}

func (p *proxy) accept() {
	for {
		client, err := p.listener.Accept()
		if err != nil {
			return
		}
		p.work.Go(func() { p.serve(client) })
	}
}

func (p *proxy) serve(client net.Conn) {
	defer p.drop(client)
	server, err := net.Dial("tcp", p.server)
	if err != nil {
		return
	}
	defer p.drop(server)
	if !p.keep(client) || !p.keep(server) {
		return
	}
	requests, replies := bufio.NewReader(client), bufio.NewReader(server)
	for {
		words, raw, err := readCommand(requests)
		if err != nil {
			return
		}
		step := p.stepOf(words)
		if !p.pass(step, raw, client, server, replies) {
			return
		}
		if step == subscribe { // from now on the server speaks unasked
			p.work.Go(func() { io.Copy(client, replies); client.Close() })
			io.Copy(server, requests)
			return
		}
	}
}

// pass passes a command on, and its reply. It reports false when that was the
// connection's last.
func (p *proxy) pass(step op, raw []byte, client, server net.Conn, replies *bufio.Reader) bool {
	x := p.catch(step)
	if x == nil {
		x = &trap{}
	}
	if x.mishap == loseRequest {
		x.tell()
		return false
	}
	if x.mishap == delayRequest {
		x.tell()
		<-x.opened
	}
	if _, err := server.Write(raw); err != nil {
		return false
	}
	reply, err := readValue(replies)
	if err != nil {
		return false
	}
	switch x.mishap {
	case loseReply:
		x.tell()
		return false
	case delayReply:
		x.tell()
		<-x.opened
		x.gone <- struct{}{}
	case delayRequest:
		x.gone <- struct{}{}
	}
	_, err = client.Write(reply)
	if x.mishap == "" && x.caught != nil {
		x.tell()
	}
	return err == nil
}

func (x *trap) tell() { x.caught <- struct{}{} }

// stepOf returns which step of the protocol a command is, "" for none.
func (p *proxy) stepOf(words []string) op {
	switch strings.ToLower(words[0]) {
	case "set":
		return claim
	case "get":
		return load
	case "pttl":
		return leaseLeft
	case "ssubscribe":
		return subscribe
	case "eval", "evalsha":
		return p.scripts[words[1]]
	}
	return ""
}
