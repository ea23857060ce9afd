package redisstore

import (
	"context"

	"github.com/redis/go-redis/v9"
)

// nodes tells which server has a channel.
type nodes interface {
	// of returns the server that has the slot of channel.
	of(ctx context.Context, channel string) (node, error)
	// moved says that a server was found not to have a slot it had.
	moved(ctx context.Context)
}

// A node is a server to subscribe at.
type node struct {
	addr       string
	subscriber interface {
		SSubscribe(ctx context.Context, channels ...string) *redis.PubSub
	}
}

// singleNode is a single server, or the master that Sentinel names.
type singleNode struct{ client redis.UniversalClient }

func (s singleNode) of(context.Context, string) (node, error) {
	return node{subscriber: s.client}, nil
}

func (singleNode) moved(context.Context) {}

// clusterNodes are the masters of a Redis Cluster.
type clusterNodes struct{ client *redis.ClusterClient }

func (c clusterNodes) of(ctx context.Context, channel string) (node, error) {
	master, err := c.client.MasterForKey(ctx, channel)
	if err != nil {
		return node{}, err
	}
	return node{addr: master.Options().Addr, subscriber: master}, nil
}

func (c clusterNodes) moved(ctx context.Context) { c.client.ReloadState(ctx) }
