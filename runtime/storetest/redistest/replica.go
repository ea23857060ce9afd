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
	eventually(t, s.countsReplica)
	return r
}

// countsReplica asks whether a master has a replica that it has heard of of
// late: min-replicas-to-write goes by that.
func (s *Server) countsReplica(ctx context.Context) error {
	client := redis.NewClient(s.Options())
	defer client.Close()
	info, err := client.InfoMap(ctx, "replication").Result()
	if err == nil && info["Replication"]["connected_slaves"] == "0" || info["Replication"]["min_slaves_good_slaves"] == "0" {
		err = errors.New("the master does not count its replica yet")
	}
	return err
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
