//go:build unix

package redistest

import (
	"context"
	"errors"
	"net"
	"testing"

	"github.com/redis/go-redis/v9"
)

// Replica starts a server that replicates s, and waits until it has what s has.
// The arguments are those of [Start]. It goes on after a restart of s.
func (s *Server) Replica(t testing.TB, args ...string) *Server {
	t.Helper()
	host, port, _ := net.SplitHostPort(s.Addr)
	r := Start(t, append([]string{"--replicaof", host + " " + port}, args...)...)
	eventually(t, r.hasMaster)
	return r
}

// hasMaster asks whether a replica is connected to its master.
func (s *Server) hasMaster(ctx context.Context) error {
	client := redis.NewClient(s.Options())
	defer client.Close()
	info, err := client.InfoMap(ctx, "replication").Result()
	if err == nil && info["Replication"]["master_link_status"] != "up" {
		err = errors.New("the replica has no connection to its master")
	}
	return err
}
