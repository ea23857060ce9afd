package redisstore

import (
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/maintnotifications"
)

const (
	// maxTimeout bounds how long the client of a store waits for a server: a
	// connection that has not answered by then is given up.
	maxTimeout = time.Second
	// stateReload is how old what a client knows of a Cluster may become. The
	// client's own default is a minute, and for so long it goes on sending to
	// a master that is dead.
	stateReload = 2 * time.Second
)

// ownOptions are what [Open] sets itself.
var ownOptions = [...]string{
	"max_retries", "min_retry_backoff", "max_retry_backoff", "dialer_retries", "dialer_retry_timeout",
	"context_timeout_enabled", "pipeline_pool_size", "pipeline_read_buffer_size", "pipeline_write_buffer_size",
	"read_only", "route_by_latency", "route_by_latency_tolerance", "route_randomly", "replica_only",
	"use_disconnected_replicas", "master_name", "addr", "username", "password",
}

// check refuses options that are [Open]'s own to set, and time limits that
// would have a server which hangs hold connections for long.
func (a *address) check() error {
	for _, name := range ownOptions {
		if a.query.Has(name) {
			return fmt.Errorf("redisstore: URL: the option %s cannot be set", name)
		}
	}
	for _, name := range []string{"dial_timeout", "read_timeout", "write_timeout"} {
		if !a.query.Has(name) {
			continue
		}
		d, err := time.ParseDuration(a.query.Get(name))
		if err != nil || d <= 0 || d > maxTimeout {
			return fmt.Errorf("redisstore: URL: the option %s must be a duration of at most %v, such as 500ms", name, maxTimeout)
		}
	}
	return nil
}

// newClient returns a client for the server or servers of a URL, with settings
// that are safe for a store. It does not connect.
func newClient(text string) (redis.UniversalClient, error) {
	a, err := parseAddress(text)
	if err == nil {
		err = a.check()
	}
	if err != nil {
		return nil, err
	}
	switch a.kind {
	case "sentinel":
		return a.sentinelClient()
	case "cluster":
		return a.clusterClient()
	}
	return a.singleClient()
}

func (a *address) singleClient() (redis.UniversalClient, error) {
	opts, err := redis.ParseURL(a.forClient(a.path, nil))
	if err != nil {
		return nil, optionsError(err)
	}
	opts.Username, opts.Password = a.credentials()
	opts.ContextTimeoutEnabled = true
	opts.MaxRetries, opts.DialerRetries = -1, 1 // the store sends again by itself
	opts.PipelinePoolSize = -1                  // one pool for all
	setTimeouts(&opts.DialTimeout, &opts.ReadTimeout, &opts.WriteTimeout)
	opts.MaintNotificationsConfig = noNotifications()
	return redis.NewClient(opts), nil
}

func (a *address) sentinelClient() (redis.UniversalClient, error) {
	master := strings.Trim(a.path, "/")
	if master == "" || strings.Contains(master, "/") {
		return nil, errors.New("redisstore: URL: the path must be the name under which Sentinel knows the master, as in redis+sentinel://host:26379/mymaster")
	}
	user, password := a.take("sentinel_username"), a.take("sentinel_password")
	opts, err := redis.ParseFailoverURL(a.forClient("", url.Values{"addr": a.hosts[1:]}))
	if err != nil {
		return nil, optionsError(err)
	}
	opts.MasterName = master
	opts.Username, opts.Password = a.credentials()
	opts.SentinelUsername, opts.SentinelPassword = user, password
	opts.ContextTimeoutEnabled = true
	opts.MaxRetries, opts.DialerRetries = -1, 1 // the store sends again by itself
	opts.PipelinePoolSize = -1                  // one pool for all
	setTimeouts(&opts.DialTimeout, &opts.ReadTimeout, &opts.WriteTimeout)
	return redis.NewFailoverClient(opts), nil
}

func (a *address) clusterClient() (redis.UniversalClient, error) {
	if strings.Trim(a.path, "/") != "" || a.query.Has("db") {
		return nil, errors.New("redisstore: URL: a Cluster has one database, so its URL has no path")
	}
	opts, err := redis.ParseClusterURL(a.forClient("", url.Values{"addr": a.hosts[1:]}))
	if err != nil {
		return nil, optionsError(err)
	}
	opts.Username, opts.Password = a.credentials()
	opts.ContextTimeoutEnabled = true
	opts.MaxRetries, opts.DialerRetries = -1, 1 // the store sends again by itself
	opts.PipelinePoolSize = -1                  // one pool for all
	setTimeouts(&opts.DialTimeout, &opts.ReadTimeout, &opts.WriteTimeout)
	opts.ClusterStateReloadInterval = stateReload
	// Otherwise go-redis asks any server about commands first, for as long as
	// that takes: one that hangs would hold up keys of the others.
	opts.DisableRoutingPolicies = true
	opts.MaintNotificationsConfig = noNotifications()
	return redis.NewClusterClient(opts), nil
}

// optionsError is the error of one of the client's parsers, which get neither
// user nor password.
func optionsError(err error) error {
	return fmt.Errorf("redisstore: URL: %w", err)
}

// setTimeouts puts the default in place of zeros.
func setTimeouts(timeouts ...*time.Duration) {
	for _, t := range timeouts {
		if *t == 0 {
			*t = maxTimeout
		}
	}
}

// noNotifications keeps the client from asking for notices of maintenance, which
// only Redis Enterprise knows.
func noNotifications() *maintnotifications.Config {
	return &maintnotifications.Config{Mode: maintnotifications.ModeDisabled}
}
