package redisstore

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync/atomic"
	"time"

	"github.com/redis/go-redis/v9"

	idem "github.com/idemgen/idemgen/runtime"
)

// Defaults of a [Config].
const (
	// DefaultPrefix is what the keys of a store begin with.
	DefaultPrefix = "idem:"
	// DefaultBreakAfter is how many first claims in a row a server fails
	// before it is left alone.
	DefaultBreakAfter = 5
	// DefaultWaitLimit is how long a step waits for replicas.
	DefaultWaitLimit = 100 * time.Millisecond
)

// Config is what a [Store] is made from. The zero Config is ready for use.
type Config struct {
	// Prefix is what every key and channel of the store begins with. Empty
	// means [DefaultPrefix]. It must have no braces: a Redis Cluster would
	// keep all records in one slot.
	Prefix string

	// BreakAfter is how many first claims in a row a server must fail until
	// they are no longer sent to it, but answered at once with an error that
	// wraps [idem.ErrNotApplied]. A failure is no answer in time, no
	// connection, or a refusal such as OOM, READONLY, LOADING, NOPERM or
	// NOREPLICAS; a server that still lets itself be read from goes on to
	// replay what is done. Meanwhile the store tries a write of its own now
	// and then, at least every second, and claims are sent again as soon as
	// one succeeds. Zero means [DefaultBreakAfter]; negative means that they
	// are always sent.
	BreakAfter int

	// WaitReplicas is how many replicas must have a claim before the request
	// may run: with fewer the claim is an error, and the contract's
	// onStoreError applies. A completion waits for them too, but stands in
	// any case: that too few replicas have it is logged. Zero means not to
	// wait. It must not be negative.
	WaitReplicas int
	// WaitLimit is how long a claim or completion waits for replicas. It is
	// shortened where the time limit of the step ends before, so it should be
	// well below the engine's limit of a step (250 ms if not set otherwise),
	// and must be below the ReadTimeout of the client. Zero means
	// [DefaultWaitLimit].
	WaitLimit time.Duration

	// CompressFrom is the length in bytes from which the body of an answer is
	// compressed, with DEFLATE. It saves memory and network and costs time of
	// this process: JSON of 2 KB takes a third of the memory, and some 30 µs to
	// write and 10 µs to read. Every store reads compressed records, whatever
	// its own setting. Zero or less means never.
	CompressFrom int

	// Strict makes [Open] fail where [Store.Check] finds what is a [Warning].
	// [New] has no use for it.
	Strict bool

	// Logger gets what is found at the start, and that a server fails or
	// works again. Nil means slog.Default().
	Logger *slog.Logger
}

// withDefaults puts the defaults in place of zeros. It panics where a field has
// a value that it must not have.
func (c Config) withDefaults() Config {
	switch {
	case strings.ContainsAny(c.Prefix, "{}"):
		panic("redisstore: Prefix has a brace")
	case c.WaitReplicas < 0:
		panic("redisstore: WaitReplicas is negative")
	case c.WaitLimit < 0:
		panic("redisstore: WaitLimit is negative")
	}
	if c.Prefix == "" {
		c.Prefix = DefaultPrefix
	}
	if c.BreakAfter == 0 {
		c.BreakAfter = DefaultBreakAfter
	}
	if c.WaitLimit == 0 {
		c.WaitLimit = DefaultWaitLimit
	}
	if c.Logger == nil {
		c.Logger = slog.Default()
	}
	return c
}

// fits says what in the configuration does not go with a client, if anything.
func (c Config) fits(client redis.UniversalClient) error {
	timeout := time.Duration(0)
	switch client := client.(type) {
	case *redis.Client:
		timeout = client.Options().ReadTimeout
	case *redis.ClusterClient:
		timeout = client.Options().ReadTimeout
	}
	if c.WaitReplicas > 0 && timeout > 0 && c.WaitLimit >= timeout {
		return errors.New("redisstore: WaitLimit is not below the ReadTimeout of the client")
	}
	return nil
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
	owned  bool // the client is the store's to close
	nodes  nodes
	prefix string
	logger *slog.Logger
	// keepsDeadlines: the client returns when a context's deadline is over.
	keepsDeadlines bool
	scripts        scripts
	codec          idem.RecordCodec
	wait           replicaWait
	breakers       *breakers
	batches        *batcher
	ticks          *ticks
	hub            *hub
	closed         atomic.Bool
}

var _ idem.Store = (*Store)(nil)

// New returns a store that uses client, which stays the caller's to close,
// after the store. New does not connect, and checks nothing on the server; see
// [Store.Check].
//
// A cluster client should have DisableRoutingPolicies set, and a short
// ClusterStateReloadInterval, as those of [Open] have: otherwise go-redis asks
// any server about commands first, so that one that hangs can hold up the keys of
// the others, and a killed master is not left for a minute.
//
// It panics where the client cannot keep the promise: a *redis.Ring moves keys
// to another server when one is lost, and a cluster client that reads from
// replicas (ReadOnly, RouteByLatency, RouteRandomly) reads records that are
// over. It panics as well where client is nil or config is invalid. Other
// implementations of UniversalClient than go-redis's *Client and
// *ClusterClient are taken for clients of a single server.
func New(client redis.UniversalClient, config Config) *Store {
	config = config.withDefaults()
	if err := config.fits(client); err != nil {
		panic(err.Error())
	}
	s := &Store{client: client, prefix: config.Prefix, logger: config.Logger, scripts: newScripts(), ticks: newTicks()}
	s.codec.CompressFrom = config.CompressFrom
	s.wait.replicas, s.wait.limit = config.WaitReplicas, config.WaitLimit
	switch c := client.(type) {
	case nil:
		panic("redisstore: client is nil")
	case *redis.Ring:
		panic("redisstore: a Ring moves keys to other servers and cannot keep records")
	case *redis.Client:
		s.keepsDeadlines = c.Options().ContextTimeoutEnabled
		s.nodes = singleNode{client: c, address: c.Options().Addr}
	case *redis.ClusterClient:
		opts := c.Options()
		if opts.ReadOnly || opts.RouteByLatency || opts.RouteRandomly {
			panic("redisstore: the cluster client reads from replicas")
		}
		s.keepsDeadlines = opts.ContextTimeoutEnabled
		s.nodes = newClusterNodes(c)
	default:
		s.nodes = singleNode{client: c}
	}
	s.breakers = newBreakers(s.nodes, max(0, config.BreakAfter), s.logger, s.probe)
	s.batches = newBatcher(s)
	s.hub = newHub(s.nodes)
	return s
}

// Close ends all subscriptions and probes of the store and waits until their
// connections are closed, at most as long as the client's own time limits. A
// client that was given to [New] stays open; that of [Open] is closed. After
// Close every step fails with an error that wraps [idem.ErrNotApplied], and
// nobody who watches is told anything.
func (s *Store) Close() error {
	if s.closed.Swap(true) {
		return nil
	}
	s.breakers.close()
	s.hub.close()
	if s.owned {
		return s.client.Close()
	}
	return nil
}

// Watch implements [idem.Store]. All watches of a process share one connection
// per server, which is open while somebody watches and a second longer.
func (s *Store) Watch(key idem.StoreKey) (changed <-chan struct{}, stop func()) {
	return s.hub.watch(s.name(key))
}

// name is the Redis key of a record, and the channel that tells of it.
func (s *Store) name(key idem.StoreKey) string {
	var memory [192]byte
	text, _ := key.AppendText(append(memory[:0], s.prefix...)) // never fails
	return string(text)
}

// errClosed is the cause of errors after Close.
var errClosed = errors.New("redisstore: store is closed")

// usable says why a step cannot be sent, if it cannot.
func (s *Store) usable(ctx context.Context) error {
	if s.closed.Load() {
		return errClosed
	}
	return ctx.Err()
}

// probe tries whether the server that has a record takes a write. It writes
// next to the record, in its slot.
func (s *Store) probe(ctx context.Context, name string) error {
	return s.process(ctx, newTextCommand(ctx, "set", s.prefix+"probe:{"+name+"}", "", "px", 1))
}
