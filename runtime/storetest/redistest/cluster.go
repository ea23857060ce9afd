//go:build unix

package redistest

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/redis/go-redis/v9"
)

// A ClusterServers is a Redis Cluster of real processes.
type ClusterServers struct {
	// Masters share the slots evenly, in order.
	Masters []*Server
	// Replicas follow the masters: the first of each, then the second.
	Replicas []*Server
}

// Cluster starts a Redis Cluster with so many masters, and so many replicas of
// each, and waits until all of them agree that it is complete and the replicas
// have what their masters have. Give three masters or more where a replica shall
// take over from one that died.
func Cluster(t testing.TB, masters, replicas int, args ...string) *ClusterServers {
	t.Helper()
	c := &ClusterServers{}
	var all []*Server
	for range masters * (1 + replicas) {
		all = append(all, Start(t, append([]string{
			"--cluster-enabled", "yes", "--cluster-port", freePort(t), "--cluster-node-timeout", "2000",
		}, args...)...))
	}
	c.Masters, c.Replicas = all[:masters], all[masters:]
	for i, m := range c.Masters {
		from, to := i*Slots/masters, (i+1)*Slots/masters-1
		m.do(t, "cluster", "addslotsrange", from, to)
		m.do(t, "cluster", "set-config-epoch", i+1)
	}
	first := c.Masters[0]
	for _, s := range all {
		first.do(t, append([]any{"cluster", "meet"}, s.meetArgs()...)...)
	}
	for _, s := range all {
		eventually(t, s.knows(len(all)))
	}
	for i, r := range c.Replicas {
		master := c.Masters[i%masters]
		eventually(t, func(ctx context.Context) error {
			return r.run(ctx, "cluster", "replicate", master.nodeID(t)).Err()
		})
	}
	for _, r := range c.Replicas {
		eventually(t, r.hasMaster)
	}
	for _, s := range all {
		eventually(t, s.isComplete(masters, len(c.Replicas)))
	}
	return c
}

// Client returns a client of the cluster that keeps to the deadlines of its
// contexts. It is closed when the test ends.
func (c *ClusterServers) Client(t testing.TB) *redis.ClusterClient {
	client := redis.NewClusterClient(c.Options())
	t.Cleanup(func() { client.Close() })
	return client
}

// Options returns the options of [ClusterServers.Client], to be changed at
// will.
func (c *ClusterServers) Options() *redis.ClusterOptions {
	opts := &redis.ClusterOptions{
		ContextTimeoutEnabled: true,
		MaxRetries:            -1,
		DialerRetries:         1,
		// Without this a client asks any master about commands first, one
		// that hangs too.
		DisableRoutingPolicies: true,
	}
	for _, m := range c.Masters {
		opts.Addrs = append(opts.Addrs, m.Addr)
	}
	return opts
}

// Owner returns the master that has the slot of a key, by what the masters say.
func (c *ClusterServers) Owner(t testing.TB, key string) *Server {
	t.Helper()
	for _, m := range c.Masters {
		if err := m.run(context.Background(), "exists", key).Err(); err == nil {
			return m
		}
	}
	t.Fatalf("redistest: no master has the slot of %q", key)
	return nil
}

// MoveSlot moves the slot of a key to another master, with the keys in it, and
// waits until every server has heard of it. If the old owner got another slot
// before that, Redis could give the slot back to it, and delete the keys that have
// moved.
func (c *ClusterServers) MoveSlot(t testing.TB, key string, to *Server) {
	t.Helper()
	from := c.Owner(t, key)
	if from == to {
		return
	}
	slot := to.do(t, "cluster", "keyslot", key)
	to.do(t, "cluster", "setslot", slot, "importing", from.nodeID(t))
	from.do(t, "cluster", "setslot", slot, "migrating", to.nodeID(t))
	host, port, _ := strings.Cut(to.Addr, ":")
	for {
		keys, _ := from.do(t, "cluster", "getkeysinslot", slot, 100).([]any)
		if len(keys) == 0 {
			break
		}
		from.do(t, append([]any{"migrate", host, port, "", 0, 5000, "keys"}, keys...)...)
	}
	for _, m := range append([]*Server{to, from}, c.Masters...) {
		m.do(t, "cluster", "setslot", slot, "node", to.nodeID(t))
	}
	latest := to.epoch(t)
	for _, s := range slices.Concat(c.Masters, c.Replicas) {
		eventually(t, s.knowsMove(key, slot, to, latest))
	}
}

// epoch is the latest configuration that the server has heard of.
func (s *Server) epoch(t testing.TB) int {
	t.Helper()
	info, _ := s.do(t, "cluster", "info").(string)
	return epochIn(info)
}

var currentEpoch = regexp.MustCompile(`cluster_current_epoch:(\d+)`)

func epochIn(info string) int {
	epoch := -1
	if found := currentEpoch.FindStringSubmatch(info); found != nil {
		epoch, _ = strconv.Atoi(found[1]) // digits
	}
	return epoch
}

// knowsMove asks whether the server has heard of the slot's new owner, and of a
// configuration.
func (s *Server) knowsMove(key string, slot any, owner *Server, epoch int) func(context.Context) error {
	return func(ctx context.Context) error {
		info, err := s.run(ctx, "cluster", "info").Text()
		if err != nil {
			return err
		}
		if known := epochIn(info); known < epoch {
			return fmt.Errorf("%s has heard of epoch %d, not of %d", s.Addr, known, epoch)
		}
		err = s.run(ctx, "exists", key).Err()
		if s == owner && err == nil || err != nil && err.Error() == fmt.Sprintf("MOVED %v %s", slot, owner.Addr) {
			return nil
		}
		return fmt.Errorf("%s has not heard that slot %v is of %s: %w", s.Addr, slot, owner.Addr, err)
	}
}

// meetArgs are the arguments of CLUSTER MEET that lead to the server.
func (s *Server) meetArgs() []any {
	host, port, _ := strings.Cut(s.Addr, ":")
	for i, arg := range s.args {
		if arg == "--cluster-port" {
			return []any{host, port, s.args[i+1]}
		}
	}
	return []any{host, port}
}

func (s *Server) nodeID(t testing.TB) string {
	t.Helper()
	id, _ := s.do(t, "cluster", "myid").(string)
	return id
}

// knows asks whether the server has met so many others.
func (s *Server) knows(nodes int) func(context.Context) error {
	return func(ctx context.Context) error {
		list, err := s.run(ctx, "cluster", "nodes").Text()
		if err != nil {
			return err
		}
		if n := strings.Count(list, "\n"); n != nodes || strings.Contains(list, "handshake") {
			return fmt.Errorf("%s has met %d of %d nodes", s.Addr, n, nodes)
		}
		return nil
	}
}

// isComplete asks whether the server sees the cluster as it shall be.
func (s *Server) isComplete(masters, replicas int) func(context.Context) error {
	return func(ctx context.Context) error {
		info, err := s.run(ctx, "cluster", "info").Text()
		if err != nil {
			return err
		}
		// Where full coverage is not asked for, a server calls its state ok
		// before it has heard of the slots of the others.
		if !strings.Contains(info, "cluster_state:ok") || !strings.Contains(info, fmt.Sprintf("cluster_slots_assigned:%d\r\n", Slots)) {
			return errors.New("the cluster is not complete: " + info)
		}
		list, err := s.run(ctx, "cluster", "nodes").Text()
		if err != nil {
			return err
		}
		if m, r := strings.Count(list, "master"), strings.Count(list, "slave"); m != masters || r != replicas {
			return fmt.Errorf("%s sees %d masters and %d replicas", s.Addr, m, r)
		}
		return nil
	}
}

// do sends a command to this very server.
func (s *Server) do(t testing.TB, args ...any) any {
	t.Helper()
	reply, err := s.run(context.Background(), args...).Result()
	if err != nil {
		t.Fatalf("redistest: %v: %v", args[:min(len(args), 2)], err)
	}
	return reply
}

func (s *Server) run(ctx context.Context, args ...any) *redis.Cmd {
	client := redis.NewClient(s.Options())
	defer client.Close()
	return client.Do(ctx, args...)
}
