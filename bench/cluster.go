package main

import (
	"context"
	"errors"
	"net"
	"strings"
	"time"
)

// slots is how many hash slots a cluster has.
const slots = 16384

// startCluster starts a Redis Cluster of so many masters, and waits until it is
// complete.
func startCluster(n int) (masters []*server, err error) {
	defer func() {
		if err != nil {
			for _, m := range masters {
				m.stop()
			}
		}
	}()
	ctx := context.Background()
	var ports []string
	for i := range n {
		bus, err := freeAddr()
		if err != nil {
			return masters, err
		}
		_, port, _ := net.SplitHostPort(bus)
		m, err := startServer("--cluster-enabled", "yes", "--cluster-port", port)
		if err != nil {
			return masters, err
		}
		masters, ports = append(masters, m), append(ports, port)
		for _, command := range [][]any{
			{"cluster", "addslotsrange", i * slots / n, (i+1)*slots/n - 1},
			{"cluster", "set-config-epoch", i + 1},
		} {
			if err := m.admin.Do(ctx, command...).Err(); err != nil {
				return masters, err
			}
		}
	}
	for i, m := range masters[1:] {
		host, port, _ := net.SplitHostPort(m.addr)
		if err := masters[0].admin.Do(ctx, "cluster", "meet", host, port, ports[i+1]).Err(); err != nil {
			return masters, err
		}
	}
	for range 500 {
		complete := 0
		for _, m := range masters {
			info, err := m.admin.ClusterInfo(ctx).Result()
			nodes, _ := m.admin.ClusterNodes(ctx).Result()
			if err == nil && strings.Contains(info, "cluster_state:ok") && strings.Count(nodes, "master") == n {
				complete++
			}
		}
		if complete == n {
			return masters, nil
		}
		time.Sleep(20 * time.Millisecond)
	}
	return masters, errors.New("the cluster is not complete")
}
