package redisstore_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	idem "github.com/idemgen/idemgen/runtime"
	"github.com/idemgen/idemgen/runtime/redisstore"
	"github.com/idemgen/idemgen/runtime/storetest/redistest"
)

// TestHangingMaster checks that one hanging master of a Cluster neither takes
// the protection from the keys of the others nor slows them.
func TestHangingMaster(t *testing.T) {
	t.Parallel()
	cluster := redistest.Cluster(t, 3, 0, "--cluster-require-full-coverage", "no", "--cluster-node-timeout", "15000")
	store := open(t, cluster.Client(t))
	keys := keysByMaster(t, cluster)
	hanging := cluster.Masters[1]
	mustAccept(t)(store.Claim(soon(t), keys[0][0], newPending()))

	hanging.Pause(t)
	for i := range redisstore.DefaultBreakAfter {
		if _, err := store.Claim(shortly(t), keys[1][i], newPending()); err == nil || isOpen(err) {
			t.Fatalf("claim %d at the hanging master: error %v, want a timeout", i, err)
		}
	}
	if _, err := store.Claim(shortly(t), keys[1][9], newPending()); !isOpen(err) {
		t.Fatalf("claim at the hanging master: error %v, want that of its breaker", err)
	}
	var took []time.Duration
	for i := 1; i < 10; i++ {
		for _, m := range []int{0, 2} {
			began := time.Now()
			mustAccept(t)(store.Claim(soon(t), keys[m][i], newPending()))
			took = append(took, time.Since(began))
		}
	}
	if median := slices.Sorted(slices.Values(took))[len(took)/2]; median > 20*time.Millisecond {
		t.Errorf("claims at the other masters took %v, want no more than before", median)
	}
	hanging.Continue(t)
	back := time.Now()
	eventually(t, "the master that hung takes claims again", func() bool {
		reply, err := store.Claim(shortly(t), keys[1][9], newPending())
		return err == nil && (reply.Accepted || reply.Record != nil)
	})
	if d := time.Since(back); d > 2*time.Second {
		t.Errorf("claims were accepted again after %v, want 2s", d)
	}
}

// keysByMaster returns ten keys of each master of a cluster.
func keysByMaster(t *testing.T, cluster *redistest.ClusterServers) [][]idem.StoreKey {
	t.Helper()
	client := cluster.Client(t)
	keys := make([][]idem.StoreKey, len(cluster.Masters))
	for range 1000 {
		key, name := newKey(t)
		master, err := client.MasterForKey(soon(t), name)
		if err != nil {
			t.Fatal(err)
		}
		for i, m := range cluster.Masters {
			if m.Addr == master.Options().Addr {
				keys[i] = append(keys[i], key)
			}
		}
	}
	for i := range keys {
		if len(keys[i]) < 10 {
			t.Fatalf("only %d keys for master %d", len(keys[i]), i)
		}
		keys[i] = keys[i][:10]
	}
	return keys
}

// TestKilledMaster checks that the store moves on to the replica that takes
// over, although the client's own view of the cluster lasts for a minute.
func TestKilledMaster(t *testing.T) {
	t.Parallel()
	cluster := redistest.Cluster(t, 3, 1, "--cluster-require-full-coverage", "no")
	store := open(t, cluster.Client(t))
	keys := keysByMaster(t, cluster)
	done := in(idem.Done, newPending())
	mustAccept(t)(store.Complete(soon(t), keys[1][0], done))
	replica := cluster.Replicas[1].Client(t)
	eventually(t, "the replica has the record", func() bool {
		info, err := replica.Info(soon(t), "keyspace").Result()
		return err == nil && strings.Contains(info, "keys=1")
	})

	cluster.Masters[1].Kill(t)
	killed := time.Now()
	for i := 0; ; i = (i + 1) % 10 {
		reply, err := store.Claim(shortly(t), keys[1][i], newPending())
		if err == nil && (reply.Accepted || reply.Record != nil) {
			break
		}
		for _, m := range []int{0, 2} {
			if _, err := store.Claim(soon(t), keys[m][i], newPending()); err != nil {
				t.Fatalf("claim at master %d: %v", m, err)
			}
		}
		if time.Since(killed) > 20*time.Second {
			t.Fatal("the store has not moved on to the replica after 20s")
		}
	}
	mustRefuse(t, done)(store.Claim(soon(t), keys[1][0], newPending()))
}
