//go:build unix

package chaos

import (
	"context"
	"net"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/idemgen/idemgen/runtime/storetest/redistest"
)

// sentinels are a master, its replicas and the Sentinels that watch them.
type sentinels struct {
	*redistest.SentinelServers
	t testing.TB
}

func startSentinels(t testing.TB, replicas int, args ...string) *sentinels {
	t.Helper()
	s := &sentinels{redistest.Sentinel(t, replicas, append(syncAtOnce(), args...)...), t}
	s.settled()
	return s
}

// url is what a worker opens.
func (s *sentinels) url() string {
	var addrs []string
	for _, sentinel := range s.Sentinels {
		addrs = append(addrs, sentinel.Addr)
	}
	return "redis+sentinel://" + strings.Join(addrs, ",") + "/" + redistest.MasterName
}

// master returns the server that is the master by what the first Sentinel says.
func (s *sentinels) master() *redistest.Server {
	addr, err := ask(s, func(ctx context.Context, c *redis.SentinelClient) ([]string, error) {
		return c.GetMasterAddrByName(ctx, redistest.MasterName).Result()
	})
	if err != nil || len(addr) != 2 {
		return nil
	}
	all := s.all()
	return all[slices.IndexFunc(all, func(server *redistest.Server) bool {
		return server.Addr == net.JoinHostPort(addr[0], addr[1])
	})]
}

// all returns all servers, the Sentinels aside.
func (s *sentinels) all() []*redistest.Server {
	return append([]*redistest.Server{s.Master}, s.Replicas...)
}

// switchOver has the Sentinels make a replica the master, as an operator does.
func (s *sentinels) switchOver() {
	s.t.Helper()
	from := s.master()
	waitFor(s.t, "a failover begins", func(context.Context) bool {
		_, err := ask(s, func(ctx context.Context, c *redis.SentinelClient) (string, error) {
			return c.Failover(ctx, redistest.MasterName).Result()
		})
		return err == nil
	})
	s.promoted(from)
}

// promoted waits until another server than old is the master.
func (s *sentinels) promoted(old *redistest.Server) {
	s.t.Helper()
	waitFor(s.t, "a replica is the master", func(context.Context) bool {
		master := s.master()
		return master != nil && master != old
	})
}

// settled waits until all servers but the master are its replicas.
func (s *sentinels) settled() {
	s.t.Helper()
	waitFor(s.t, "all but one are replicas in step", func(ctx context.Context) bool {
		master := s.master()
		return master != nil && !slices.ContainsFunc(s.all(), func(server *redistest.Server) bool {
			return server != master && !inStep(ctx, server)
		})
	})
}

// ask asks the first Sentinel.
func ask[T any](s *sentinels, question func(ctx context.Context, c *redis.SentinelClient) (T, error)) (T, error) {
	client := redis.NewSentinelClient(s.Sentinels[0].Options())
	defer client.Close()
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	return question(ctx, client)
}

// syncAtOnce has a master send its data to a new replica without the usual
// delay of five seconds.
func syncAtOnce() []string { return []string{"--repl-diskless-sync-delay", "0"} }

// inStep reports whether a server is a replica that has its master's data.
func inStep(ctx context.Context, server *redistest.Server) bool {
	client := redis.NewClient(server.Options())
	defer client.Close()
	info, err := client.Info(ctx, "replication").Result()
	return err == nil && strings.Contains(info, "role:slave") && strings.Contains(info, "master_link_status:up")
}

// waitFor asks again and again until it is so.
func waitFor(t testing.TB, what string, isSo func(ctx context.Context) bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), startLimit)
	defer cancel()
	for !isSo(ctx) {
		select {
		case <-time.After(20 * time.Millisecond):
		case <-ctx.Done():
			t.Fatalf("not within %v: %s", startLimit, what)
		}
	}
}
