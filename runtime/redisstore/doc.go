// Package redisstore keeps records in Redis, for all processes that share it.
//
// It works with a single server, with Sentinel and with Redis Cluster, version
// 7.0 or newer. [Open] makes a client with safe settings from a URL and checks
// the server; [New] takes the go-redis client that the program has already. Each
// record is one string under one key, so a Cluster needs no hash tags. A claim
// and a replay are one native command; the other steps of an attempt are one
// script each, which compares the owner's token and writes.
//
// # What to set
//
// On the server (see [Store.Check]):
//
//   - maxmemory-policy noeviction. Every record has a time to live, so the
//     volatile policies evict them too, and an evicted claim lets a request run
//     twice.
//   - appendonly yes, so that a restart keeps the records. With appendfsync
//     everysec a crash of the machine loses up to a second of them.
//   - min-replicas-to-write 1 where there are replicas: a master that is cut
//     off from them then refuses claims after min-replicas-max-lag seconds. It
//     refuses renewals and completions too, which are sent again.
//   - In a Cluster cluster-require-full-coverage no, or the loss of one master
//     without a replica stops all of them.
//   - For the user the commands set, get, pttl, pexpire, del, eval, evalsha and
//     spublish, and ssubscribe and sunsubscribe, on keys and channels that begin
//     with the prefix: +set +get +pttl +pexpire +del +eval +evalsha +spublish
//     +ssubscribe +sunsubscribe ~idem:* &idem:*, and +wait with
//     [Config.WaitReplicas]. [Store.Check] needs +info.
//
// On a client of one's own: ContextTimeoutEnabled, ReadTimeout of a second or
// less, DialerRetries 1, and in a Cluster ClusterStateReloadInterval of a few
// seconds.
//
// # What a failover loses
//
// Redis answers before it replicates. When a master dies, the replica that takes
// over may lack the last writes that were acknowledged, and nothing on the side
// of the client can bring them back:
//
//   - A lost claim: another request with the key may run while the first one
//     does. The first writes its record again when it renews or completes, so
//     the window is a third of a lease at most, and one of the two is refused
//     and answers with the other's answer.
//   - A lost answer: a retry runs again.
//
// [Config.WaitReplicas] closes the window as far as Redis can: with one replica
// and WaitReplicas 1 a claim that was granted is on the replica. With several
// replicas Redis may promote one that lacks it; set WaitReplicas to their
// number. It costs a round trip to the replicas per claim and per completion,
// and claims fail while too few replicas answer. Whatever is set, pass the key
// of the request on to the service that has the effect, if it takes one.
//
// # When a server fails
//
// A step takes no longer than its context, whatever the server does. A server
// that has failed several first claims in a row is then left alone by first
// claims, which fail at once, until it takes a write again; see
// [Config.BreakAfter]. Renewals, completions and releases are always sent. Each
// master of a Cluster is judged for itself.
package redisstore
