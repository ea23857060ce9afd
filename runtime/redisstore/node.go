package redisstore

import (
	"context"
	"slices"

	"github.com/redis/go-redis/v9"
)

// maxRedirects is how often a command follows a slot to another server.
const maxRedirects = 3

// nodes knows the servers, and which of them has a record or channel.
type nodes interface {
	// of returns the server that has the slot of channel.
	of(ctx context.Context, channel string) (node, error)
	// addr is the address of the server that has the record, by what is
	// known without asking anyone: "" where that is nothing.
	addr(name string) string
	// moved says that a server was found not to have a slot it had.
	moved(ctx context.Context)
	// together sends commands over one connection, in one round trip, to the
	// server that has the record of that name. The first command decides
	// where that is. Each command has its own result.
	together(ctx context.Context, name string, cmds ...redis.Cmder)
	// each calls visit with every server that takes writes.
	each(ctx context.Context, visit func(addr string, client redis.UniversalClient) error) error
}

// A node is a server to subscribe at.
type node struct {
	addr       string
	subscriber interface {
		SSubscribe(ctx context.Context, channels ...string) *redis.PubSub
	}
}

// singleNode is a single server, or the master that Sentinel names.
type singleNode struct {
	client  redis.UniversalClient
	address string
}

func (s singleNode) of(context.Context, string) (node, error) {
	return node{addr: s.address, subscriber: s.client}, nil
}

func (s singleNode) addr(string) string { return s.address }

func (singleNode) moved(context.Context) {}

func (s singleNode) together(ctx context.Context, _ string, cmds ...redis.Cmder) {
	execute(ctx, s.client, cmds)
}

func (s singleNode) each(_ context.Context, visit func(string, redis.UniversalClient) error) error {
	return visit(s.address, s.client)
}

// clusterNodes are the masters of a Redis Cluster.
type clusterNodes struct {
	client *redis.ClusterClient
	// over is a context that is over: what the client does under it ends
	// before it asks a server.
	over context.Context
}

func newClusterNodes(client *redis.ClusterClient) clusterNodes {
	over, end := context.WithCancel(context.Background())
	end()
	return clusterNodes{client: client, over: over}
}

func (c clusterNodes) of(ctx context.Context, channel string) (node, error) {
	master, err := c.client.MasterForKey(ctx, channel)
	if err != nil {
		return node{}, err
	}
	return node{addr: master.Options().Addr, subscriber: master}, nil
}

func (c clusterNodes) addr(name string) string {
	master, err := c.client.MasterForKey(c.over, name)
	if err != nil {
		return ""
	}
	return master.Options().Addr
}

func (c clusterNodes) moved(ctx context.Context) { c.client.ReloadState(ctx) }

// together follows redirections itself. The cluster client would send the
// commands that follow the first one to the server that redirected it.
func (c clusterNodes) together(ctx context.Context, name string, cmds ...redis.Cmder) {
	client, err := c.client.MasterForKey(ctx, name)
	if err != nil {
		cmds[0].SetErr(err)
		return
	}
	execute(ctx, client, cmds)
	for range maxRedirects {
		addr, moved := redis.IsMovedError(cmds[0].Err())
		if !moved {
			var ask bool
			if addr, ask = redis.IsAskError(cmds[0].Err()); !ask {
				return
			}
		}
		c.moved(ctx)
		c.executeAt(ctx, client, addr, !moved, cmds)
	}
}

// executeAt sends commands to another server of the cluster, over a connection
// that is made for them: the client does not give out its own by address.
func (c clusterNodes) executeAt(ctx context.Context, like *redis.Client, addr string, ask bool, cmds []redis.Cmder) {
	opts := *like.Options()
	opts.Addr, opts.NodeAddress, opts.PoolSize, opts.MinIdleConns = addr, addr, 1, 0
	client := redis.NewClient(&opts)
	defer client.Close()
	if ask {
		cmds = slices.Insert(slices.Clone(cmds), 0, redis.Cmder(redis.NewCmd(ctx, "asking")))
	}
	execute(ctx, client, cmds)
}

func (c clusterNodes) each(ctx context.Context, visit func(string, redis.UniversalClient) error) error {
	return c.client.ForEachMaster(ctx, func(_ context.Context, master *redis.Client) error {
		return visit(master.Options().Addr, master)
	})
}

// execute sends commands in one pipeline.
func execute(ctx context.Context, client redis.UniversalClient, cmds []redis.Cmder) {
	pipe := client.Pipeline()
	pipe.BatchProcess(ctx, cmds...) // queues them
	pipe.Exec(ctx)                  // each command has its error
}
