package redisstore_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	idem "github.com/idemgen/idemgen/runtime"
	"github.com/idemgen/idemgen/runtime/redisstore"
	"github.com/idemgen/idemgen/runtime/storetest/redistest"
)

// TestLostReply loses the reply of each step once: the command has arrived and
// the client cannot know.
func TestLostReply(t *testing.T) {
	t.Parallel()
	server := redistest.Start(t)
	for _, protocol := range []int{2, 3} {
		cut := &cutter{}
		opts := server.Options()
		opts.Protocol = protocol
		opts.Dialer = cut.dial
		client := redis.NewClient(opts)
		t.Cleanup(func() { client.Close() })
		store := open(t, client)
		ctx := soon(t)

		key, _ := newKey(t)
		pending := newPending()
		steps := []struct {
			name string
			step func() (idem.Reply, error)
			left *idem.Record
		}{
			{"claim", func() (idem.Reply, error) { return store.Claim(ctx, key, pending) }, pending},
			{"renew", func() (idem.Reply, error) { return store.Renew(ctx, key, pending) }, pending},
			{"release", func() (idem.Reply, error) {
				return store.Release(ctx, key, in(idem.Released, pending), true)
			}, in(idem.Released, pending)},
			{"takeover", func() (idem.Reply, error) {
				seen := pending
				pending = newPending()
				return store.Takeover(ctx, key, seen, pending)
			}, nil},
			{"complete", func() (idem.Reply, error) { return store.Complete(ctx, key, in(idem.Done, pending)) }, nil},
		}
		for _, s := range steps {
			before := cut.cuts.Load()
			cut.armed.Store(true)
			mustAccept(t)(s.step())
			if cut.cuts.Load() == before {
				t.Fatalf("%s: no reply was lost", s.name)
			}
			if s.left != nil {
				mustRefuse(t, s.left)(store.Load(ctx, key))
			}
		}
		mustRefuse(t, in(idem.Done, pending))(store.Load(ctx, key))
	}
}

// TestLostReplies loses every reply: the outcome is unknown, and said to be.
func TestLostReplies(t *testing.T) {
	t.Parallel()
	server := redistest.Start(t)
	cut := &cutter{always: true}
	opts := server.Options()
	opts.Dialer = cut.dial
	store := open(t, newClient(t, opts))
	key, _ := newKey(t)
	cut.armed.Store(true)
	_, err := store.Claim(soon(t), key, newPending())
	if err == nil || errors.Is(err, idem.ErrNotApplied) {
		t.Errorf("error %v, want one that leaves the outcome open", err)
	}
}

// TestRefusalAfterLostReply loses a reply and has the server refuse when the
// command is sent again: the refusal says nothing of the first sending.
func TestRefusalAfterLostReply(t *testing.T) {
	t.Parallel()
	server, client, _ := start(t)
	cut := &cutter{then: func() {
		if err := client.ReplicaOf(context.Background(), "127.0.0.1", "1").Err(); err != nil {
			t.Error(err)
		}
	}}
	opts := server.Options()
	opts.Dialer = cut.dial
	store := open(t, newClient(t, opts))
	key, _ := newKey(t)
	r := newPending()
	cut.armed.Store(true)
	_, err := store.Claim(soon(t), key, r)
	if err == nil || !strings.Contains(err.Error(), "READONLY") || errors.Is(err, idem.ErrNotApplied) {
		t.Errorf("error %v, want READONLY and the outcome left open", err)
	}
	mustRefuse(t, r)(store.Load(soon(t), key))
}

// A cutter dials connections that it cuts when a reply of one of the store's
// commands arrives.
type cutter struct {
	armed  atomic.Bool
	always bool   // stay armed after a cut
	then   func() // called after a cut, may be nil
	cuts   atomic.Int64
}

func (c *cutter) dial(ctx context.Context, network, addr string) (net.Conn, error) {
	conn, err := (&net.Dialer{}).DialContext(ctx, network, addr)
	return &cutConn{Conn: conn, cutter: c}, err
}

type cutConn struct {
	net.Conn
	cutter *cutter

	mu   sync.Mutex
	step bool // the last command written is a step of the store
}

func (c *cutConn) Write(b []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.step = bytes.Contains(b, []byte(redisstore.DefaultPrefix))
	return c.Conn.Write(b)
}

func (c *cutConn) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	c.mu.Lock()
	defer c.mu.Unlock()
	if n > 0 && c.step && c.cutter.armed.Load() && !bytes.HasPrefix(b, []byte("-NOSCRIPT")) {
		c.cutter.armed.Store(c.cutter.always)
		c.cutter.cuts.Add(1)
		c.Conn.Close()
		if c.cutter.then != nil {
			c.cutter.then()
		}
		return 0, io.EOF
	}
	return n, err
}

func TestScriptFlush(t *testing.T) {
	t.Parallel()
	_, client, store := start(t)
	ctx := soon(t)
	key, _ := newKey(t)
	r := newPending()
	mustAccept(t)(store.Claim(ctx, key, r))
	for range 2 {
		if err := client.ScriptFlush(ctx).Err(); err != nil {
			t.Fatal(err)
		}
		mustAccept(t)(store.Renew(ctx, key, r))
		mustAccept(t)(store.Renew(ctx, key, r))
	}
}

func TestOutOfMemory(t *testing.T) {
	t.Parallel()
	_, client, store := start(t, "--maxmemory-policy", "noeviction")
	ctx := soon(t)
	settled, _ := newKey(t)
	done := in(idem.Done, newPending())
	mustAccept(t)(store.Complete(ctx, settled, done))
	running, _ := newKey(t)
	owner := newPending()
	mustAccept(t)(store.Claim(ctx, running, owner))
	given, _ := newKey(t)
	giver := newPending()
	mustAccept(t)(store.Claim(ctx, given, giver))
	free, _ := newKey(t)

	if err := client.ConfigSet(ctx, "maxmemory", "1").Err(); err != nil {
		t.Fatal(err)
	}
	wantNotApplied := func(what string, err error) {
		t.Helper()
		if !errors.Is(err, idem.ErrNotApplied) || !strings.Contains(err.Error(), "OOM") {
			t.Errorf("%s: error %v, want ErrNotApplied and OOM", what, err)
		}
	}
	_, err := store.Claim(ctx, free, newPending())
	wantNotApplied("claim of a new key", err)
	_, err = store.Takeover(ctx, free, newPending(), newPending())
	wantNotApplied("takeover of a new key", err)
	_, err = store.Claim(ctx, running, newPending())
	wantNotApplied("claim of a running key", err)
	mustRefuse(t, done)(store.Claim(ctx, settled, newPending()))
	mustRefuse(t, done)(store.Takeover(ctx, settled, newPending(), newPending()))
	mustAccept(t)(store.Claim(ctx, settled, done))
	mustAccept(t)(store.Renew(ctx, running, owner))
	mustAccept(t)(store.Complete(ctx, running, in(idem.Done, owner)))
	mustAccept(t)(store.Release(ctx, given, in(idem.Released, giver), true))
}

func TestReadOnlyReplica(t *testing.T) {
	t.Parallel()
	_, client, store := start(t)
	ctx := soon(t)
	settled, _ := newKey(t)
	done := in(idem.Done, newPending())
	mustAccept(t)(store.Complete(ctx, settled, done))
	// A master that is not there: what the replica has, it keeps.
	if err := client.ReplicaOf(ctx, "127.0.0.1", "1").Err(); err != nil {
		t.Fatal(err)
	}
	free, _ := newKey(t)
	r := newPending()
	for name, step := range map[string]func() (idem.Reply, error){
		"claim":    func() (idem.Reply, error) { return store.Claim(ctx, free, r) },
		"takeover": func() (idem.Reply, error) { return store.Takeover(ctx, free, r, newPending()) },
		"renew":    func() (idem.Reply, error) { return store.Renew(ctx, free, r) },
		"complete": func() (idem.Reply, error) { return store.Complete(ctx, free, in(idem.Done, r)) },
		"release":  func() (idem.Reply, error) { return store.Release(ctx, free, in(idem.Released, r), true) },
	} {
		if _, err := step(); !errors.Is(err, idem.ErrNotApplied) {
			t.Errorf("%s: error %v, want ErrNotApplied", name, err)
		}
	}
	mustRefuse(t, done)(store.Claim(ctx, settled, newPending()))
}

func TestMissingRights(t *testing.T) {
	t.Parallel()
	server, client, _ := start(t)
	ctx := soon(t)
	acl := []any{"acl", "setuser", "app", "on", ">secret", "~idem:*", "resetchannels",
		"+set", "+get", "+pttl", "+pexpire", "+eval", "+evalsha", "+spublish", "+hello", "+client", "+ping"}
	if err := client.Do(ctx, acl...).Err(); err != nil {
		t.Fatal(err)
	}
	opts := server.Options()
	opts.Username, opts.Password = "app", "secret"
	store := open(t, newClient(t, opts))

	key, _ := newKey(t)
	r := newPending()
	mustAccept(t)(store.Claim(ctx, key, r))
	// Without the right to the channel: still settled.
	mustAccept(t)(store.Complete(ctx, key, in(idem.Done, r)))
	mustRefuse(t, in(idem.Done, r))(store.Load(ctx, key))
	// Without the right to delete: not applied.
	other, _ := newKey(t)
	mustAccept(t)(store.Claim(ctx, other, r))
	if _, err := store.Release(ctx, other, in(idem.Released, r), false); !errors.Is(err, idem.ErrNotApplied) {
		t.Errorf("release: error %v, want ErrNotApplied", err)
	}
	mustRefuse(t, r)(store.Load(ctx, other))
}

func TestServerGone(t *testing.T) {
	t.Parallel()
	server, _, store := start(t)
	ctx := soon(t)
	key, _ := newKey(t)
	mustAccept(t)(store.Claim(ctx, key, newPending()))
	server.Kill(t)
	// What was pooled is found to be closed, or a send fails: then the
	// outcome is open. The next has to dial.
	store.Claim(ctx, key, newPending())
	if _, err := store.Claim(ctx, key, newPending()); !errors.Is(err, idem.ErrNotApplied) {
		t.Errorf("error %v, want ErrNotApplied", err)
	}
	server.Restart(t)
	mustAccept(t)(store.Claim(ctx, key, newPending()))
}

// TestRestartBetweenSteps checks that idle connections of before a restart
// cost no step.
func TestRestartBetweenSteps(t *testing.T) {
	t.Parallel()
	server, _, store := start(t)
	ctx := soon(t)
	var wg sync.WaitGroup
	for range 8 { // fill the pool
		wg.Go(func() {
			key, _ := newKey(t)
			if _, err := store.Claim(ctx, key, newPending()); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	server.Kill(t)
	server.Restart(t)
	for range 8 {
		key, _ := newKey(t)
		mustAccept(t)(store.Claim(ctx, key, newPending()))
	}
}

func TestForeignValues(t *testing.T) {
	t.Parallel()
	_, client, store := start(t)
	ctx := soon(t)
	newer := idem.AppendRecord(nil, newPending())
	newer[0]++
	for name, write := range map[string]func(name string) error{
		"hash":    func(name string) error { return client.HSet(ctx, name, "a", "b").Err() },
		"text":    func(name string) error { return client.Set(ctx, name, "hello", time.Minute).Err() },
		"empty":   func(name string) error { return client.Set(ctx, name, "", time.Minute).Err() },
		"cut":     func(name string) error { return client.Set(ctx, name, newer[:20], time.Minute).Err() },
		"version": func(name string) error { return client.Set(ctx, name, newer, time.Minute).Err() },
	} {
		t.Run(name, func(t *testing.T) {
			key, keyName := newKey(t)
			if err := write(keyName); err != nil {
				t.Fatal(err)
			}
			r := newPending()
			for step, do := range map[string]func() (idem.Reply, error){
				"claim":    func() (idem.Reply, error) { return store.Claim(ctx, key, r) },
				"takeover": func() (idem.Reply, error) { return store.Takeover(ctx, key, r, newPending()) },
				"renew":    func() (idem.Reply, error) { return store.Renew(ctx, key, r) },
				"complete": func() (idem.Reply, error) { return store.Complete(ctx, key, in(idem.Done, r)) },
				"release":  func() (idem.Reply, error) { return store.Release(ctx, key, in(idem.Released, r), true) },
				"load":     func() (idem.Reply, error) { return store.Load(ctx, key) },
			} {
				if _, err := do(); !errors.Is(err, idem.ErrUnreadable) {
					t.Errorf("%s: error %v, want ErrUnreadable", step, err)
				}
			}
		})
	}
}

// TestNewerRecordKeepsItsToken checks that a record of a newer version is left
// alone even where its token is the caller's.
func TestNewerRecordKeepsItsToken(t *testing.T) {
	t.Parallel()
	_, client, store := start(t)
	ctx := soon(t)
	for _, state := range []idem.State{idem.Pending, idem.Released, idem.Held} {
		key, name := newKey(t)
		r := newPending()
		newer := idem.AppendRecord(nil, in(state, r))
		newer[0]++
		if err := client.Set(ctx, name, newer, time.Minute).Err(); err != nil {
			t.Fatal(err)
		}
		store.Takeover(ctx, key, r, newPending())
		store.Renew(ctx, key, r)
		store.Complete(ctx, key, in(idem.Done, r))
		store.Release(ctx, key, in(idem.Released, r), false)
		if got, err := client.Get(ctx, name).Bytes(); err != nil || !bytes.Equal(got, newer) {
			t.Errorf("state %c: the record was changed (%v)", state, err)
		}
	}
}

func TestRecordWithoutTimeToLive(t *testing.T) {
	t.Parallel()
	_, client, store := start(t)
	ctx := soon(t)
	key, name := newKey(t)
	r := newPending()
	mustAccept(t)(store.Claim(ctx, key, r))
	if err := client.Persist(ctx, name).Err(); err != nil {
		t.Fatal(err)
	}
	reply, err := store.Takeover(ctx, key, r, newPending())
	mustRefuse(t, r)(reply, err)
	if reply.LeaseLeft <= 0 {
		t.Errorf("left of the lease is %v, want some", reply.LeaseLeft)
	}
}
