package redisstore_test

import (
	"strings"
	"testing"

	"github.com/redis/go-redis/v9"

	idem "github.com/idemgen/idemgen/runtime"
	"github.com/idemgen/idemgen/runtime/redisstore"
	"github.com/idemgen/idemgen/runtime/storetest/redistest"
)

// TestKeysSpread checks that the keys of one operation are spread over the
// slots of a cluster as random keys are.
func TestKeysSpread(t *testing.T) {
	t.Parallel()
	_, client, store := start(t)
	ctx := soon(t)
	const keys = 1000
	for range keys {
		key, _ := newKey(t)
		mustAccept(t)(store.Claim(ctx, key, newPending()))
	}
	names, err := client.Keys(ctx, "*").Result()
	if err != nil || len(names) != keys {
		t.Fatalf("%d keys, %v; want %d", len(names), err, keys)
	}
	// Only a server that is part of a cluster computes slots.
	cluster := redistest.Start(t, "--cluster-enabled", "yes").Client(t)
	slots := make(map[int64]bool)
	for _, name := range names {
		if strings.ContainsAny(name, "{}") {
			t.Fatalf("key %q has a brace", name)
		}
		slot, err := cluster.ClusterKeySlot(ctx, name).Result()
		if err != nil {
			t.Fatal(err)
		}
		slots[slot] = true
	}
	// 1,000 random keys take 970 of 16,384 slots, give or take 5.
	if len(slots) < 940 {
		t.Errorf("%d keys take %d slots", keys, len(slots))
	}
}

func TestPrefix(t *testing.T) {
	t.Parallel()
	_, client, _ := start(t)
	store := redisstore.New(client, redisstore.Config{Prefix: "app:"})
	t.Cleanup(func() { store.Close() })
	ctx := soon(t)
	key, _ := newKey(t)
	mustAccept(t)(store.Claim(ctx, key, newPending()))
	if n, err := client.Exists(ctx, "app:"+key.String()).Result(); err != nil || n != 1 {
		t.Errorf("the key with the prefix: %d, %v", n, err)
	}
}

func TestNewRefuses(t *testing.T) {
	ring := redis.NewRing(&redis.RingOptions{Addrs: map[string]string{"a": "127.0.0.1:1"}})
	defer ring.Close()
	replicas := redis.NewClusterClient(&redis.ClusterOptions{Addrs: []string{"127.0.0.1:1"}, ReadOnly: true})
	defer replicas.Close()
	single := redis.NewClient(&redis.Options{Addr: "127.0.0.1:1"})
	defer single.Close()
	for name, create := range map[string]func() idem.Store{
		"ring":          func() idem.Store { return redisstore.New(ring, redisstore.Config{}) },
		"replicas":      func() idem.Store { return redisstore.New(replicas, redisstore.Config{}) },
		"nil":           func() idem.Store { return redisstore.New(nil, redisstore.Config{}) },
		"brace, prefix": func() idem.Store { return redisstore.New(single, redisstore.Config{Prefix: "{a}"}) },
	} {
		t.Run(name, func(t *testing.T) {
			defer func() {
				if recover() == nil {
					t.Error("New does not panic")
				}
			}()
			create()
		})
	}
}
