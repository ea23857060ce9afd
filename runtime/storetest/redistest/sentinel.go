//go:build unix

package redistest

import (
	"context"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"testing"

	"github.com/redis/go-redis/v9"
)

// MasterName is the name under which Sentinel knows the master.
const MasterName = "master"

// sentinels is how many sentinels watch a master, and quorum how many must
// agree that it is gone.
const (
	sentinels = 3
	quorum    = 2
)

// SentinelServers are a master and its replicas under the watch of Redis
// Sentinel, all of them real processes.
type SentinelServers struct {
	// Master is the master at the start, Replicas are the others.
	Master   *Server
	Replicas []*Server
	// Sentinels are three; two of them start a failover a second after the
	// master was last heard of.
	Sentinels []*Server
}

// Sentinel starts a master with so many replicas and three sentinels, and waits
// until the sentinels know all of them and each other. The arguments are for
// master and replicas.
func Sentinel(t testing.TB, replicas int, args ...string) *SentinelServers {
	t.Helper()
	s := &SentinelServers{Master: Start(t, args...)}
	host, port, _ := net.SplitHostPort(s.Master.Addr)
	for range replicas {
		s.Replicas = append(s.Replicas, s.Master.Replica(t, args...))
	}
	config := fmt.Sprintf("sentinel monitor %s %s %s %d\n"+
		"sentinel down-after-milliseconds %[1]s 1000\n"+
		"sentinel failover-timeout %[1]s 3000\n", MasterName, host, port, quorum)
	for range sentinels {
		file := filepath.Join(t.TempDir(), "sentinel.conf")
		if err := os.WriteFile(file, []byte(config), 0o600); err != nil {
			t.Fatal(err)
		}
		s.Sentinels = append(s.Sentinels, startServer(t, &Server{config: file, args: []string{"--sentinel"}}))
	}
	for _, sentinel := range s.Sentinels {
		eventually(t, sentinel.knowsOthers(replicas))
	}
	return s
}

// Client returns a client that asks the sentinels for the master and keeps to
// the deadlines of its contexts. It is closed when the test ends.
func (s *SentinelServers) Client(t testing.TB) *redis.Client {
	opts := &redis.FailoverOptions{
		MasterName:            MasterName,
		ContextTimeoutEnabled: true,
		MaxRetries:            -1,
		DialerRetries:         1,
	}
	for _, sentinel := range s.Sentinels {
		opts.SentinelAddrs = append(opts.SentinelAddrs, sentinel.Addr)
	}
	client := redis.NewFailoverClient(opts)
	t.Cleanup(func() { client.Close() })
	return client
}

// knowsOthers asks whether a sentinel knows the replicas and other sentinels.
func (s *Server) knowsOthers(replicas int) func(context.Context) error {
	return func(ctx context.Context) error {
		client := redis.NewSentinelClient(s.Options())
		defer client.Close()
		master, err := client.Master(ctx, MasterName).Result()
		if err != nil {
			return err
		}
		if master["num-slaves"] != fmt.Sprint(replicas) || master["num-other-sentinels"] != fmt.Sprint(sentinels-1) {
			return fmt.Errorf("a sentinel knows %s replicas and %s sentinels", master["num-slaves"], master["num-other-sentinels"])
		}
		return nil
	}
}
