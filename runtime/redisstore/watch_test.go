package redisstore_test

import (
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"go.uber.org/goleak"

	idem "github.com/idemgen/idemgen/runtime"
	"github.com/idemgen/idemgen/runtime/redisstore"
	"github.com/idemgen/idemgen/runtime/storetest/redistest"
)

func TestWatchSharesOneConnection(t *testing.T) {
	t.Parallel()
	_, client, store := start(t)
	ctx := soon(t)
	key, name := newKey(t)
	for range 50 {
		other, _ := newKey(t)
		told(t, watch(t, store, key))
		told(t, watch(t, store, other))
	}
	list, err := client.Do(ctx, "client", "list", "type", "pubsub").Text()
	if err != nil || countLines(list) != 1 {
		t.Errorf("%d Pub/Sub connections, %v; want 1", countLines(list), err)
	}
	if n, err := client.PubSubShardNumSub(ctx, name).Result(); err != nil || n[name] != 1 {
		t.Errorf("subscriptions to one key: %v, %v; want 1", n, err)
	}
	if all, err := client.PubSubShardChannels(ctx, "*").Result(); err != nil || len(all) != 51 {
		t.Errorf("%d channels, %v; want 51", len(all), err)
	}
}

func TestWatchEndsWithTheLastStop(t *testing.T) {
	t.Parallel()
	_, client, store := start(t)
	ctx := soon(t)
	key, _ := newKey(t)
	changed, stop := store.Watch(key)
	told(t, changed)
	stop()
	eventually(t, "no channel is subscribed to", func() bool {
		all, err := client.PubSubShardChannels(ctx, "*").Result()
		return err == nil && len(all) == 0
	})
	eventually(t, "no connection is left but the client's own", func() bool {
		list, err := client.Do(ctx, "client", "list").Text()
		return err == nil && countLines(list) == 1
	})
	told(t, watch(t, store, key))
}

// TestWatchAfterKill checks that a watcher is told when its connection was
// lost, and goes on to be told.
func TestWatchAfterKill(t *testing.T) {
	t.Parallel()
	_, client, store := start(t)
	killPubSub := func() {
		if err := client.ClientKillByFilter(soon(t), "TYPE", "pubsub").Err(); err != nil {
			t.Fatal(err)
		}
	}
	watchThrough(t, store, killPubSub)
}

func TestWatchAfterRestart(t *testing.T) {
	t.Parallel()
	server, _, store := start(t)
	watchThrough(t, store, func() {
		server.Kill(t)
		server.Restart(t)
	})
}

// TestWatchAfterStall checks that a connection over which nothing comes, no
// error either, is given up.
func TestWatchAfterStall(t *testing.T) {
	t.Parallel()
	server := redistest.Start(t)
	stall := &staller{}
	opts := server.Options()
	opts.Dialer = stall.dial
	store := open(t, newClient(t, opts))
	watchThrough(t, store, stall.stallAll)
}

// TestWatchAfterFailover checks that both the steps and the watchers find the
// new master that Sentinel names.
func TestWatchAfterFailover(t *testing.T) {
	t.Parallel()
	servers := redistest.Sentinel(t, 1)
	store := open(t, servers.Client(t))
	watchThrough(t, store, func() { servers.Master.Kill(t) })
}

func TestWatchInCluster(t *testing.T) {
	t.Parallel()
	cluster := redistest.Cluster(t, 3, 0)
	store := open(t, cluster.Client(t))
	t.Run("after kill", func(t *testing.T) {
		watchThrough(t, store, func() {
			for _, m := range cluster.Masters {
				if err := m.Client(t).ClientKillByFilter(soon(t), "TYPE", "pubsub").Err(); err != nil {
					t.Fatal(err)
				}
			}
		})
	})
	t.Run("after the slot moved", func(t *testing.T) {
		for range 5 {
			key, name := newKey(t)
			changed := watch(t, store, key)
			told(t, changed)
			from := cluster.Owner(t, name)
			for _, to := range cluster.Masters {
				cluster.MoveSlot(t, name, to)
			}
			if to := cluster.Owner(t, name); to == from {
				cluster.MoveSlot(t, name, cluster.Masters[0])
			}
			told(t, changed)
			tellsOf(t, store, key, changed)
		}
	})
}

func TestWatchNeedsRights(t *testing.T) {
	t.Parallel()
	server, client, _ := start(t)
	ctx := soon(t)
	grant := func(rights ...any) {
		t.Helper()
		if err := client.Do(ctx, append([]any{"acl", "setuser", "app", "on", ">secret"}, rights...)...).Err(); err != nil {
			t.Fatal(err)
		}
	}
	grant("~idem:*", "+@all", "resetchannels")
	opts := server.Options()
	opts.Username, opts.Password = "app", "secret"
	store := open(t, newClient(t, opts))
	key, _ := newKey(t)
	changed := watch(t, store, key)
	select {
	case <-changed:
		t.Fatal("told without the right to the channel")
	case <-time.After(100 * time.Millisecond):
	}
	grant("&idem:*")
	tellsOf(t, store, key, changed)
}

func TestCloseLeavesNoGoroutine(t *testing.T) {
	server := redistest.Start(t)
	known := goleak.IgnoreCurrent()
	for _, hang := range []bool{false, true} {
		client := redis.NewClient(server.Options())
		store := redisstore.New(client, redisstore.Config{})
		for range 10 {
			key, _ := newKey(t)
			changed, stop := store.Watch(key)
			defer stop()
			told(t, changed)
		}
		if hang {
			server.Pause(t)
		}
		store.Close()
		client.Close()
		goleak.VerifyNone(t, known)
	}
	server.Continue(t)
}

// watchThrough checks that watchers of many keys are told of changes after a
// fault.
func watchThrough(t *testing.T, store idem.Store, fault func()) {
	t.Helper()
	const keys = 30
	type watched struct {
		key     idem.StoreKey
		changed <-chan struct{}
	}
	var all []watched
	for range keys {
		key, _ := newKey(t)
		w := watched{key, watch(t, store, key)}
		told(t, w.changed)
		all = append(all, w)
	}
	fault()
	for _, w := range all {
		told(t, w.changed) // changes may have been missed
	}
	for _, w := range all[:3] {
		tellsOf(t, store, w.key, w.changed)
	}
}

// tellsOf checks that a watcher is told of a change, when nothing else is left
// that it could be told of.
func tellsOf(t *testing.T, store idem.Store, key idem.StoreKey, changed <-chan struct{}) {
	t.Helper()
	for quiet := false; !quiet; {
		select {
		case <-changed:
		case <-time.After(100 * time.Millisecond):
			quiet = true
		}
	}
	eventually(t, "a completion is accepted", func() bool {
		reply, err := store.Complete(soon(t), key, in(idem.Held, newPending()))
		return err == nil && reply.Accepted
	})
	told(t, changed)
}

func watch(t *testing.T, store idem.Store, key idem.StoreKey) <-chan struct{} {
	changed, stop := store.Watch(key)
	t.Cleanup(stop)
	return changed
}

func told(t *testing.T, changed <-chan struct{}) {
	t.Helper()
	select {
	case <-changed:
	case <-time.After(20 * time.Second):
		t.Fatal("no value within 20s")
	}
}

func eventually(t *testing.T, what string, yes func() bool) {
	t.Helper()
	for end := time.Now().Add(20 * time.Second); !yes(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("after 20s: still not so that %s", what)
		}
	}
}

func countLines(list string) int {
	n := 0
	for _, c := range list {
		if c == '\n' {
			n++
		}
	}
	return n
}
