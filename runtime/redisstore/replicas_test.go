package redisstore_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	idem "github.com/idemgen/idemgen/runtime"
	"github.com/idemgen/idemgen/runtime/redisstore"
	"github.com/idemgen/idemgen/runtime/storetest"
	"github.com/idemgen/idemgen/runtime/storetest/redistest"
)

// waiting is a configuration whose steps wait for one replica, but not so long
// that tests take long.
func waiting(log *bytes.Buffer) redisstore.Config {
	config := redisstore.Config{WaitReplicas: 1, WaitLimit: 50 * time.Millisecond}
	if log != nil {
		config.Logger = slog.New(slog.NewTextHandler(log, nil))
	}
	return config
}

func TestConformanceWithReplica(t *testing.T) {
	t.Parallel()
	server := redistest.Start(t)
	server.Replica(t)
	for name, keepsDeadlines := range map[string]bool{"client that keeps deadlines": true, "client with defaults": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			client := newClient(t, &redis.Options{Addr: server.Addr, ContextTimeoutEnabled: keepsDeadlines})
			storetest.Run(t, func(t *testing.T) idem.Store {
				return openWith(t, client, redisstore.Config{WaitReplicas: 1, WaitLimit: time.Second})
			})
		})
	}
}

// TestWaitForReplica checks that what a claim and a completion have answered is
// on the replica, at once.
func TestWaitForReplica(t *testing.T) {
	t.Parallel()
	server, client, _ := start(t)
	replica := server.Replica(t).Client(t)
	store := openWith(t, client, redisstore.Config{WaitReplicas: 1, WaitLimit: time.Second})
	has := func(name string, state idem.State) {
		t.Helper()
		value, err := replica.Get(soon(t), name).Bytes()
		if err != nil {
			t.Fatal(err)
		}
		if r, err := idem.DecodeRecord(value); err != nil || r.State != state {
			t.Errorf("the replica has %+v, %v; want state %c", r, err, state)
		}
	}
	for range 20 {
		key, name := newKey(t)
		r := newPending()
		mustAccept(t)(store.Claim(soon(t), key, r))
		has(name, idem.Pending)
		mustAccept(t)(store.Complete(soon(t), key, in(idem.Done, r)))
		has(name, idem.Done)
		if err := client.ScriptFlush(soon(t)).Err(); err != nil {
			t.Fatal(err)
		}
	}
}

// TestHangingReplica is what a store that waits for a replica does without one.
func TestHangingReplica(t *testing.T) {
	t.Parallel()
	server, client, plain := start(t)
	replica := server.Replica(t)
	var log bytes.Buffer
	store := openWith(t, client, waiting(&log))
	running, _ := newKey(t)
	owner := newPending()
	mustAccept(t)(plain.Claim(soon(t), running, owner))
	given, _ := newKey(t)
	tombstone := in(idem.Released, newPending())
	mustAccept(t)(plain.Release(soon(t), given, tombstone, true))

	replica.Pause(t)
	key, _ := newKey(t)
	r := newPending()
	for i := range 2 * redisstore.DefaultBreakAfter { // it is not the master that fails
		_, err := store.Claim(soon(t), key, r)
		wantUnsafe(t, "claim", i, err)
	}
	mustRefuse(t, r)(plain.Load(soon(t), key)) // it stands, and protects those who run in spite
	_, err := store.Takeover(soon(t), given, tombstone, newPending())
	wantUnsafe(t, "takeover", 0, err)

	mustAccept(t)(store.Renew(soon(t), running, owner))
	mustRefuse(t, owner)(store.Claim(soon(t), running, newPending()))
	mustAccept(t)(store.Complete(soon(t), running, in(idem.Done, owner)))
	mustAccept(t)(store.Release(soon(t), key, in(idem.Released, r), true))
	if n := strings.Count(log.String(), "level=WARN"); n != 1 {
		t.Errorf("%d warnings, want 1:\n%s", n, log.String())
	}

	replica.Continue(t)
	eventually(t, "claims are accepted", func() bool {
		reply, err := claimNew(t, store)
		return err == nil && reply.Accepted
	})
	mustRefuse(t, in(idem.Done, owner))(store.Load(soon(t), running))
	if n := strings.Count(log.String(), "level=INFO"); n != 1 {
		t.Errorf("%d notices that it works again, want 1:\n%s", n, log.String())
	}
}

// wantUnsafe checks the error of a claim that has not reached the replica: it
// may be there all the same.
func wantUnsafe(t *testing.T, what string, i int, err error) {
	t.Helper()
	if err == nil || errors.Is(err, idem.ErrNotApplied) || !strings.Contains(err.Error(), "replicas") {
		t.Fatalf("%s %d: error %v, want one that leaves the outcome open and tells of replicas", what, i, err)
	}
}

// TestClaimSentAgain checks that a claim which finds its own record waits for
// the replica: its earlier sending may not have reached it.
func TestClaimSentAgain(t *testing.T) {
	t.Parallel()
	server, client, plain := start(t)
	replica := server.Replica(t)
	store := openWith(t, client, waiting(nil))
	replica.Pause(t)
	key, _ := newKey(t)
	r := newPending()
	mustAccept(t)(plain.Claim(soon(t), key, r))
	// It is sent over a connection that has written nothing.
	fresh := openWith(t, server.Client(t), waiting(nil))
	_, err := fresh.Claim(soon(t), key, r)
	wantUnsafe(t, "claim sent again", 0, err)
	replica.Continue(t)
	eventually(t, "the claim is accepted", func() bool {
		reply, err := store.Claim(soon(t), key, r)
		return err == nil && reply.Accepted
	})
}

// TestEngineWithoutReplica checks what a request is answered whose claim the
// replica does not have, under each policy, and that its key is free again.
func TestEngineWithoutReplica(t *testing.T) {
	t.Parallel()
	server, client, plain := start(t)
	replica := server.Replica(t)
	service := newService(t, openWith(t, client, waiting(nil)))
	replica.Pause(t)
	service.want("503", service.call(idem.RefuseRequest, "key", "x", 0))
	service.want("201 x unprotected", service.call(idem.RunUnprotected, "other", "x", 0))

	after := newService(t, plain)
	after.want("201 x replayed", after.call(idem.RunUnprotected, "other", "y", 0))
	eventually(t, "the key is given back", func() bool {
		return after.call(idem.RefuseRequest, "key", "y", 0) == "201 y"
	})
	replica.Continue(t)
}

// TestWaitInCluster checks that the commands and their WAIT go to the server
// that has the slot, wherever it moves.
func TestWaitInCluster(t *testing.T) {
	t.Parallel()
	cluster := redistest.Cluster(t, 2, 1)
	opts := cluster.Options()
	opts.ClusterStateReloadInterval = time.Hour
	client := redis.NewClusterClient(opts)
	t.Cleanup(func() { client.Close() })
	store := openWith(t, client, redisstore.Config{WaitReplicas: 1, WaitLimit: time.Second})
	key, name := newKey(t)
	r := newPending()
	mustAccept(t)(store.Claim(soon(t), key, r))

	_, to := ends(t, cluster, name)
	cluster.MoveSlot(t, name, to) // the client's next command is redirected
	mustAccept(t)(store.Claim(soon(t), key, r))
	mustAccept(t)(store.Complete(soon(t), key, in(idem.Done, r)))

	// Half moved, the slot has no new keys where it was: they are asked for at
	// its next server.
	half, halfName := newKey(t)
	from, to := ends(t, cluster, halfName)
	startMove(t, halfName, from, to)
	mustAccept(t)(store.Claim(soon(t), half, r))
	mustRefuse(t, r)(store.Claim(soon(t), half, newPending()))
	mustAccept(t)(store.Complete(soon(t), half, in(idem.Done, r)))
	if n, err := to.Client(t).ClusterCountKeysInSlot(soon(t), slotOf(t, to, halfName)).Result(); err != nil || n != 1 {
		t.Errorf("%d keys at the new server, %v; want 1", n, err)
	}
}

// ends returns the server that has a key, and another one.
func ends(t *testing.T, cluster *redistest.ClusterServers, name string) (from, to *redistest.Server) {
	t.Helper()
	from, to = cluster.Owner(t, name), cluster.Masters[0]
	if from == to {
		to = cluster.Masters[1]
	}
	return from, to
}

// startMove begins to move a slot, and moves nothing.
func startMove(t *testing.T, name string, from, to *redistest.Server) {
	t.Helper()
	id := func(s *redistest.Server) string {
		id, err := s.Client(t).Do(soon(t), "cluster", "myid").Text()
		if err != nil {
			t.Fatal(err)
		}
		return id
	}
	slot := slotOf(t, to, name)
	command(t, to, "cluster", "setslot", slot, "importing", id(from))
	command(t, from, "cluster", "setslot", slot, "migrating", id(to))
}

func slotOf(t *testing.T, server *redistest.Server, name string) int {
	t.Helper()
	slot, err := server.Client(t).ClusterKeySlot(context.Background(), name).Result()
	if err != nil {
		t.Fatal(err)
	}
	return int(slot)
}
