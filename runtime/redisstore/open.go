package redisstore

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
)

// Open returns a store on the Redis that a URL names, with a client of its own
// that [Store.Close] closes. The forms of the URL are
//
//	redis://user:password@host:6379/0
//	unix://user:password@/run/redis/redis.sock?db=0
//	redis+sentinel://user:password@host:26379,host:26379/mymaster?db=0
//	redis+cluster://user:password@host:6379,host:6379
//
// and rediss for redis, which means TLS. Special characters in user and
// password are percent-encoded. User and password are those of the Redis
// servers; Sentinel's own are the options sentinel_username and
// sentinel_password. Further options are those of go-redis's ParseURL, as far as
// they do not contradict what a store needs: pool_size, min_idle_conns,
// max_idle_conns, max_active_conns, pool_timeout, conn_max_idle_time,
// conn_max_lifetime, client_name, protocol, and dial_timeout, read_timeout and
// write_timeout, each a second if not set, and not more.
//
// The client keeps to the deadlines of contexts, does not retry, and learns
// within two seconds that the slots of a Cluster have moved.
//
// Open runs [Store.Check] and logs what it finds, warnings at level warn and
// notes at info. With [Config.Strict] a warning is an error. It is an error in
// any case where no server can be reached: a program that shall start without
// its Redis calls [New]. No error contains a password. Open panics where config
// is invalid.
func Open(ctx context.Context, url string, config Config) (*Store, error) {
	config = config.withDefaults()
	client, err := newClient(url)
	if err != nil {
		return nil, err
	}
	if err := config.fits(client); err != nil {
		client.Close()
		return nil, err
	}
	s := New(client, config)
	s.owned = true
	if err := s.settle(ctx, config.Strict); err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

// settle checks the servers and logs what is found, or returns it as an error.
func (s *Store) settle(ctx context.Context, strict bool) error {
	findings, err := s.Check(ctx)
	if err != nil {
		return err
	}
	var refusals []error
	for _, f := range findings {
		if strict && f.Severity == Warning {
			refusals = append(refusals, errors.New(f.String()))
			continue
		}
		level := slog.LevelWarn
		if f.Severity == Note {
			level = slog.LevelInfo
		}
		s.logger.Log(ctx, level, "idem: a Redis server is not set up as records need it",
			"check", f.Check, "server", f.Server, "problem", f.Problem, "fix", f.Fix)
	}
	if refusals != nil {
		return fmt.Errorf("redisstore: the server is not set up as records need it: %w", errors.Join(refusals...))
	}
	return nil
}
