package main

import (
	"fmt"
	"sync/atomic"

	"github.com/redis/go-redis/v9"

	"github.com/idemgen/idemgen/runtime/redisstore"
)

// growthRows measure a request while Redis has more and more records, from callers
// that share round trips and from one alone, against the cost with the fewest.
func growthRows(p plan, t *table) error {
	if !p.wants("growth", p.growth, "records") {
		return nil
	}
	srv, err := startServer("--enable-debug-command", "local")
	if err != nil {
		return err
	}
	defer srv.stop()
	sent := new(atomic.Int64)
	store := redisstore.New(srv.client(sent), redisstore.Config{})
	defer store.Close()
	l := newWorkload([]*server{srv}, sent, store)
	fewest := make(map[int]cost)
	for records := 10_000; records <= p.growth; records *= 10 {
		if err := l.grow(records); err != nil {
			return err
		}
		if err := srv.settle(); err != nil {
			return err
		}
		first, replay, err := l.bare(p)
		if err != nil {
			return err
		}
		for _, l.callers = range []int{1, loadCallers} {
			c, err := l.measure(p)
			if err != nil {
				return err
			}
			if fewest[l.callers].sum() == 0 {
				fewest[l.callers] = c
			}
			t.print(row{
				what:    fmt.Sprintf("growth, %d %s", l.callers, plural("callers", l.callers)),
				callers: records, unit: "records", ratio: fewest[l.callers].sum() / c.sum(), note: c.String(),
			})
		}
		t.print(row{what: "growth, bare pipeline", callers: records, unit: "records", note: fmt.Sprintf("%.1f and %.1f µs", first, replay)})
	}
	return nil
}

// sum is the cost of a first request and a replay together, in µs of Redis.
func (c cost) sum() float64 { return c.first.cpu + c.replay.cpu }

// instanceRows measure the same load from more and more instances of a service,
// each with a store and a client of its own: what shares a round trip becomes
// less.
func instanceRows(p plan, t *table) error {
	srv, err := startServer()
	if err != nil {
		return err
	}
	defer srv.stop()
	var base cost
	for _, instances := range []int{1, 4, 16, 64} {
		if !p.wants("one load", instances, "instances") {
			continue
		}
		sent := new(atomic.Int64)
		var stores []*redisstore.Store
		for range instances {
			stores = append(stores, redisstore.New(srv.client(sent), redisstore.Config{}))
		}
		l := newWorkload([]*server{srv}, sent, stores...)
		err := l.grow(hotKeys)
		var c cost
		if err == nil {
			c, err = l.measure(p)
		}
		for _, s := range stores {
			s.Close()
		}
		if err != nil {
			return err
		}
		if base.first.cpu == 0 {
			base = c
		}
		t.print(row{what: "one load", callers: instances, unit: "instances", ratio: base.sum() / c.sum(), note: c.String()})
		if err := srv.flush(); err != nil {
			return err
		}
	}
	return nil
}

// clusterRows measure a Redis Cluster of three masters, against a single server.
func clusterRows(p plan, t *table) error {
	if !p.wants("cluster of 3 masters", loadCallers, "callers") {
		return nil
	}
	single, err := startServer()
	if err != nil {
		return err
	}
	defer single.stop()
	sent := new(atomic.Int64)
	base, err := measureOn(p, []*server{single}, sent, single.client(sent))
	if err != nil {
		return err
	}
	masters, err := startCluster(3)
	if err != nil {
		return err
	}
	opts := &redis.ClusterOptions{ContextTimeoutEnabled: true, MaxRetries: -1}
	for _, m := range masters {
		defer m.stop()
		opts.Addrs = append(opts.Addrs, m.addr)
	}
	client := redis.NewClusterClient(opts)
	defer client.Close()
	client.AddHook(counter{sent})
	c, err := measureOn(p, masters, sent, client)
	if err != nil {
		return err
	}
	t.print(row{what: "cluster of 3 masters", callers: loadCallers, unit: "callers", ratio: base.sum() / c.sum(), note: c.String()})
	return nil
}

func measureOn(p plan, servers []*server, sent *atomic.Int64, client redis.UniversalClient) (cost, error) {
	store := redisstore.New(client, redisstore.Config{})
	defer store.Close()
	l := newWorkload(servers, sent, store)
	if err := l.grow(hotKeys); err != nil {
		return cost{}, err
	}
	return l.measure(p)
}
