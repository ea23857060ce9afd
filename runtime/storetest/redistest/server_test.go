//go:build unix

package redistest_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/idemgen/idemgen/runtime/storetest/redistest"
)

func TestServer(t *testing.T) {
	t.Parallel()
	s := redistest.Start(t, "--appendonly", "yes", "--appendfsync", "always")
	client := s.Client(t)
	ctx := t.Context()
	if err := client.Set(ctx, "key", "value", 0).Err(); err != nil {
		t.Fatal(err)
	}

	s.Pause(t)
	short, cancel := context.WithTimeout(ctx, 50*time.Millisecond)
	defer cancel()
	if err := client.Get(short, "key").Err(); err == nil {
		t.Error("a paused server answers")
	}
	s.Continue(t)
	if got, err := client.Get(ctx, "key").Result(); err != nil || got != "value" {
		t.Errorf("a continued server: %q, %v", got, err)
	}

	s.Kill(t)
	if err := client.Get(ctx, "key").Err(); err == nil {
		t.Error("a killed server answers")
	}
	s.Restart(t)
	if got, err := s.Client(t).Get(ctx, "key").Result(); err != nil || got != "value" {
		t.Errorf("a restarted server: %q, %v", got, err)
	}
}

func TestServerArguments(t *testing.T) {
	t.Parallel()
	got, err := redistest.Start(t, "--maxmemory", "3mb").Client(t).ConfigGet(t.Context(), "maxmemory").Result()
	if err != nil || got["maxmemory"] != "3145728" {
		t.Errorf("maxmemory: %v, %v", got, err)
	}
}

func TestCluster(t *testing.T) {
	t.Parallel()
	c := redistest.Cluster(t, 3, 1)
	client := c.Client(t)
	ctx := t.Context()
	for _, key := range []string{"a", "b", "c", "d"} {
		if err := client.Set(ctx, key, "value of "+key, 0).Err(); err != nil {
			t.Fatal(err)
		}
	}
	from := c.Owner(t, "a")
	to := c.Masters[0]
	if from == to {
		to = c.Masters[1]
	}
	c.MoveSlot(t, "a", to)
	if got := c.Owner(t, "a"); got != to {
		t.Errorf("the slot is at %s, want %s", got.Addr, to.Addr)
	}
	if got, err := client.Get(ctx, "a").Result(); err != nil || got != "value of a" {
		t.Errorf("after the move: %q, %v", got, err)
	}
	if info, err := c.Replicas[0].Client(t).Info(ctx, "replication").Result(); err != nil || !strings.Contains(info, "role:slave") {
		t.Errorf("a replica says %q, %v", info, err)
	}
}

func TestSentinel(t *testing.T) {
	t.Parallel()
	s := redistest.Sentinel(t, 1)
	client := s.Client(t)
	ctx := t.Context()
	if err := client.Set(ctx, "key", "value", 0).Err(); err != nil {
		t.Fatal(err)
	}
	s.Master.Kill(t)
	for end := time.Now().Add(20 * time.Second); client.Set(ctx, "key", "other", 0).Err() != nil; time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("no failover within 20s")
		}
	}
	if got, err := s.Replicas[0].Client(t).Get(ctx, "key").Result(); err != nil || got != "other" {
		t.Errorf("the replica has %q, %v", got, err)
	}
}
