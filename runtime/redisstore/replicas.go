package redisstore

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/redis/go-redis/v9"

	idem "github.com/idemgen/idemgen/runtime"
)

// A replicaWait is what claims and completions wait for.
type replicaWait struct {
	replicas int // 0 for not to wait
	limit    time.Duration
	short    atomic.Bool // the last write had too few replicas
}

// A countCommand is a command whose reply is a number.
type countCommand struct{ *redis.IntCmd }

// NoRetry keeps the client from sending the command again.
func (countCommand) NoRetry() bool { return true }

// newWait returns WAIT, which answers how many replicas have all that was written
// before the command that its connection sent last, by whomever. So it counts for
// a claim that was sent again and found its own record. It leaves time for its answer to arrive before the
// context ends: a connection whose answer is not read cannot be used again.
func (s *Store) newWait(ctx context.Context) countCommand {
	limit := s.wait.limit
	if deadline, ok := ctx.Deadline(); ok {
		limit = min(limit, time.Until(deadline)*3/4)
	}
	ms := max(1, limit.Milliseconds()) // zero would be for ever
	return countCommand{redis.NewIntCmd(ctx, "wait", s.wait.replicas, ms)}
}

// enough reports whether WAIT was answered with enough replicas.
func (s *Store) enough(wait countCommand) bool {
	n, err := wait.Result()
	return err == nil && n >= int64(s.wait.replicas)
}

// await is the last part of a step that waits for replicas. A claim that too few
// of them have is an error: nothing has happened yet, and a failover would let
// it happen twice. The error leaves the outcome open, since the claim stands: so
// it is given back, or protects whoever goes on in spite of the error. A record
// that comes after the effect is accepted all the same.
func (c *call) await(record *idem.Record, reply idem.Reply) (idem.Reply, error) {
	if !c.awaited || !reply.Accepted {
		return reply, nil
	}
	c.store.tellReplicas(c.copied)
	if record.State == idem.Pending && !c.copied {
		return idem.Reply{}, fmt.Errorf("redisstore: outcome unknown: the claim has not reached %d replicas in time",
			c.store.wait.replicas)
	}
	return reply, nil
}

// tellReplicas logs that writes begin to have too few replicas, or have enough
// again.
func (s *Store) tellReplicas(enough bool) {
	if s.wait.short.Load() != enough || !s.wait.short.CompareAndSwap(enough, !enough) {
		return
	}
	if enough {
		s.logger.Info("idem: claims and answers reach enough Redis replicas again", "replicas", s.wait.replicas)
		return
	}
	s.logger.Warn("idem: a claim or an answer has not reached enough Redis replicas in time; a failover may lose it",
		"replicas", s.wait.replicas, "limit", s.wait.limit)
}
