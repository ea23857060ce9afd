// Package redisstore keeps records in Redis, for all processes that share it.
//
// It works with a single server, with Sentinel and with Redis Cluster, version
// 7.0 or newer, through the go-redis client that the program has already. Each
// record is one string under one key, so a Cluster needs no hash tags. A claim
// and a replay are one native command; the other steps of an attempt are one
// script each, which compares the owner's token and writes.
//
// Redis must not evict records: set maxmemory-policy to noeviction. Every
// record has a time to live, so the volatile policies evict them too. A failover
// can lose a write that was acknowledged, since Redis replicates after it
// answers; the attempt that lost its record writes it again when it renews or
// completes.
//
// The user of the client needs the commands set, get, pttl, pexpire, del, eval,
// evalsha and spublish on the keys, and ssubscribe and sunsubscribe on channels
// of the same names.
package redisstore

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"

	"github.com/redis/go-redis/v9"

	idem "github.com/idemgen/idemgen/runtime"
)

// DefaultPrefix is what the keys of a store begin with if its [Config] does not
// say otherwise.
const DefaultPrefix = "idem:"

// Config is what a [Store] is made from. The zero Config is ready for use.
type Config struct {
	// Prefix is what every key and channel of the store begins with. Empty
	// means [DefaultPrefix]. It must have no braces: a Redis Cluster would
	// keep all records in one slot.
	Prefix string
}

// A Store is an [idem.Store] in Redis. Its methods may be called concurrently.
//
// Every step returns soon after its context ends, whatever the options of the
// client are. It is cheapest where the client has ContextTimeoutEnabled set:
// otherwise each step takes a goroutine, which stays behind, with a connection,
// until the client gives up a server that does not answer. The client's own
// retries are not used, as they would hide whether a step may have arrived.
type Store struct {
	client redis.UniversalClient
	prefix string
	// keepsDeadlines: the client returns when a context's deadline is over.
	keepsDeadlines bool
	scripts        scripts
	hub            *hub
	closed         atomic.Bool
}

var _ idem.Store = (*Store)(nil)

// New returns a store that uses client, which stays the caller's to close,
// after the store. New does not connect.
//
// It panics where the client cannot keep the promise: a *redis.Ring moves keys
// to another server when one is lost, and a cluster client that reads from
// replicas (ReadOnly, RouteByLatency, RouteRandomly) reads records that are
// over. It panics as well where client is nil or the prefix has braces. Other
// implementations of UniversalClient than go-redis's *Client and
// *ClusterClient are taken for clients of a single server by [Store.Watch].
func New(client redis.UniversalClient, config Config) *Store {
	s := &Store{client: client, prefix: config.Prefix, scripts: newScripts()}
	if s.prefix == "" {
		s.prefix = DefaultPrefix
	}
	if strings.ContainsAny(s.prefix, "{}") {
		panic("redisstore: Prefix has a brace")
	}
	var nodes nodes = singleNode{client}
	switch c := client.(type) {
	case nil:
		panic("redisstore: client is nil")
	case *redis.Ring:
		panic("redisstore: a Ring moves keys to other servers and cannot keep records")
	case *redis.Client:
		s.keepsDeadlines = c.Options().ContextTimeoutEnabled
	case *redis.ClusterClient:
		opts := c.Options()
		if opts.ReadOnly || opts.RouteByLatency || opts.RouteRandomly {
			panic("redisstore: the cluster client reads from replicas")
		}
		s.keepsDeadlines = opts.ContextTimeoutEnabled
		nodes = clusterNodes{c}
	}
	s.hub = newHub(nodes)
	return s
}

// Close ends all subscriptions of the store and waits until their connections
// are closed, at most as long as the client's own time limits. The client stays
// open. After Close every step fails with an error that wraps
// [idem.ErrNotApplied], and nobody who watches is told anything.
func (s *Store) Close() error {
	s.closed.Store(true)
	s.hub.close()
	return nil
}

// Watch implements [idem.Store]. All watches of a process share one connection
// per server, which is open while somebody watches and a second longer.
func (s *Store) Watch(key idem.StoreKey) (changed <-chan struct{}, stop func()) {
	return s.hub.watch(s.name(key))
}

// name is the Redis key of a record, and the channel that tells of it.
func (s *Store) name(key idem.StoreKey) string { return s.prefix + key.String() }

// errClosed is the cause of errors after Close.
var errClosed = errors.New("redisstore: store is closed")

// usable says why a step cannot be sent, if it cannot.
func (s *Store) usable(ctx context.Context) error {
	if s.closed.Load() {
		return errClosed
	}
	return ctx.Err()
}
