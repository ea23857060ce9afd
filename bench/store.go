package main

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"

	fiberredis "github.com/gofiber/storage/redis/v3"
	"github.com/redis/go-redis/v9"

	idem "github.com/idemgen/idemgen/runtime"
	"github.com/idemgen/idemgen/runtime/redisstore"
)

// smallBody is how long the body of an answer is where a row does not say.
const smallBody = 200

// hotKeys is how many records the replays share.
const hotKeys = 1024

var errRefused = errors.New("a step was refused or accepted against the rules")

// storeRows compares the steps of redisstore with bare commands of the same
// number, and with the commands that fiber's middleware sends for a request.
func storeRows(p plan, t *table) error {
	srv, err := startServer()
	if err != nil {
		return err
	}
	defer srv.stop()
	s := newStoreBench(srv)
	defer s.ours.Close()
	var races []race
	for _, callers := range []int{1, 8, 64, 256} {
		races = append(races, race{
			what: "claim+complete", callers: callers, unit: "callers", server: srv, between: s.empty,
			limit: s.contender(0, s.bareFirst), ours: s.contender(1, s.first), peer: new(s.contender(2, s.peerFirst)),
		})
	}
	for _, callers := range []int{1, 8, 64, 256} {
		races = append(races, race{
			what: "replay", callers: callers, unit: "callers", server: srv, before: s.fill,
			limit: s.contender(0, s.bareReplay), ours: s.contender(1, s.replay), peer: new(s.contender(2, s.peerReplay)),
		})
	}
	return t.races(p, races)
}

type storeBench struct {
	server *server
	sent   [3]atomic.Int64
	last   atomic.Int64 // key that was used last
	keys   *keyring
	answer *idem.Answer
	record *idem.Record // pending, as every claim writes it
	done   *idem.Record
	bare   *redis.Client
	ours   *redisstore.Store
	peer   *fiberredis.Storage
}

func newStoreBench(srv *server) *storeBench {
	s := &storeBench{server: srv, keys: newKeyring(), answer: answerOf(jsonBody(smallBody)), record: pending()}
	s.done = done(s.record, s.answer)
	s.bare = srv.client(&s.sent[0])
	s.ours = redisstore.New(srv.client(&s.sent[1]), redisstore.Config{})
	s.peer = fiberredis.NewFromConnection(srv.client(&s.sent[2]))
	return s
}

func (s *storeBench) contender(i int, operation func(ctx *step, n int) error) contender {
	return contender{sent: &s.sent[i], caller: func(int) func() error {
		ctx := newStep()
		return func() error { return operation(ctx, int(s.last.Add(1)%ringSize)) }
	}}
}

// empty makes all keys new.
func (s *storeBench) empty() error { return s.server.flush() }

// bareFirst is what a first request cannot do without: two commands that write.
func (s *storeBench) bareFirst(_ *step, n int) error {
	ctx, name := context.Background(), s.keys.names[n]
	if err := s.bare.SetNX(ctx, name, s.answer.Body[:100], ttl).Err(); err != nil {
		return err
	}
	return s.bare.Set(ctx, name, s.answer.Body, ttl).Err()
}

func (s *storeBench) first(ctx *step, n int) error {
	ctx.begin()
	reply, err := s.ours.Claim(ctx, s.keys.keys[n], s.record)
	ctx.end()
	if err != nil {
		return err
	}
	if !reply.Accepted {
		return errRefused
	}
	ctx.begin()
	defer ctx.end()
	reply, err = s.ours.Complete(ctx, s.keys.keys[n], s.done)
	if err == nil && !reply.Accepted {
		err = errRefused
	}
	return err
}

// peerFirst is what fiber's middleware sends: it looks twice, around a lock in
// its own process, and writes.
func (s *storeBench) peerFirst(_ *step, n int) error {
	ctx, name := context.Background(), s.keys.names[n]
	for range 2 {
		if _, err := s.peer.GetWithContext(ctx, name); err != nil {
			return err
		}
	}
	return s.peer.SetWithContext(ctx, name, s.answer.Body, ttl)
}

// fill writes the records that are replayed: those of the store, and bare ones
// under other names.
func (s *storeBench) fill() error {
	ctx := context.Background()
	for n := range hotKeys {
		if err := s.bare.Set(ctx, s.keys.names[n+hotKeys], s.answer.Body, ttl).Err(); err != nil {
			return err
		}
		if _, err := s.ours.Complete(ctx, s.keys.keys[n], s.done); err != nil {
			return err
		}
	}
	return nil
}

func (s *storeBench) bareReplay(_ *step, n int) error {
	return s.bare.Get(context.Background(), s.keys.names[n%hotKeys+hotKeys]).Err()
}

func (s *storeBench) replay(ctx *step, n int) error {
	ctx.begin()
	defer ctx.end()
	reply, err := s.ours.Claim(ctx, s.keys.keys[n%hotKeys], s.record)
	if err == nil && (reply.Record == nil || reply.Record.Answer == nil) {
		err = fmt.Errorf("replay: %w", errRefused)
	}
	return err
}

func (s *storeBench) peerReplay(_ *step, n int) error {
	value, err := s.peer.GetWithContext(context.Background(), s.keys.names[n%hotKeys+hotKeys])
	if err == nil && value == nil {
		err = errRefused
	}
	return err
}
