package redisstore

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/redis/go-redis/v9"
)

// Check looks at every server that has records, which in a Cluster are the
// masters, and returns what is not as records need it: none where all is well.
// It asks for INFO, and writes and deletes a key and publishes to a channel of
// its own below the prefix. It needs no right to CONFIG, which managed servers
// forbid.
//
// An error means that no server could be asked. Check keeps to ctx.
func (s *Store) Check(ctx context.Context) ([]Finding, error) {
	if err := s.usable(ctx); err != nil {
		return nil, err
	}
	var mu sync.Mutex
	var done []*checkup
	err := s.within(ctx, func() error {
		return s.nodes.each(ctx, func(addr string, client redis.UniversalClient) error {
			c := &checkup{store: s, addr: addr, client: client}
			c.err = c.run(ctx)
			mu.Lock()
			defer mu.Unlock()
			done = append(done, c)
			return nil
		})
	})
	if err != nil {
		return nil, fmt.Errorf("redisstore: check: %w", err)
	}
	return collect(done)
}

// collect puts what was found together, in the order of the servers.
func collect(done []*checkup) ([]Finding, error) {
	slices.SortFunc(done, func(a, b *checkup) int { return cmp.Compare(a.addr, b.addr) })
	var findings []Finding
	var errs []error
	for _, c := range done {
		if c.err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", c.addr, c.err))
			c.add(CheckAnswer, Warning, fmt.Sprintf("it could not be asked: %v", c.err), "see to it that the server runs and can be reached")
		}
		findings = append(findings, c.findings...)
	}
	if len(errs) == len(done) {
		return nil, fmt.Errorf("redisstore: check: %w", errors.Join(errs...))
	}
	return findings, nil
}

// A checkup is a check of one server.
type checkup struct {
	store    *Store
	addr     string
	client   redis.UniversalClient
	findings []Finding
	err      error // why it could not be asked to the end
}

func (c *checkup) run(ctx context.Context) error {
	info, err := c.client.Info(ctx).Result()
	switch {
	case err == nil:
		c.told(parseInfo(info))
	case isReply(err) && !refusedWith(err, "NOAUTH", "WRONGPASS"):
		c.add(CheckInfo, Note, fmt.Sprintf("the server does not tell of itself (%v): its version, role, eviction policy, persistence and replicas are not checked", err),
			"allow INFO to the user, or see to these settings by hand")
	default:
		return err
	}
	return c.try(ctx)
}

func (c *checkup) add(check string, severity Severity, problem, fix string) {
	c.findings = append(c.findings, Finding{Check: check, Severity: severity, Server: c.addr, Problem: problem, Fix: fix})
}

// told checks what the server tells in INFO.
func (c *checkup) told(info map[string]string) {
	c.version(info)
	c.role(info)
	c.eviction(info)
	c.persistence(info)
	c.replicas(info)
}

func (c *checkup) version(info map[string]string) {
	version := info["redis_version"]
	major, _, _ := strings.Cut(version, ".")
	switch {
	case version == "":
		c.untold(CheckVersion, "version")
	case len(major) == 1 && major < "7":
		c.add(CheckVersion, Warning, "its version is "+version+", which refuses claims", "use Redis 7.0 or newer")
	}
}

func (c *checkup) role(info map[string]string) {
	switch role := info["role"]; role {
	case "master":
	case "":
		c.untold(CheckRole, "role")
	default:
		c.add(CheckRole, Warning, "it is a replica, which takes no writes", "give the address of the master, or use Sentinel")
	}
}

func (c *checkup) eviction(info map[string]string) {
	policy := info["maxmemory_policy"]
	switch {
	case info["maxmemory"] == "0" || policy == "noeviction":
	case policy == "":
		c.untold(CheckEviction, "maxmemory-policy")
	default:
		c.add(CheckEviction, Warning, "with maxmemory-policy "+policy+" it evicts claims and answers when memory is short, and a request then runs twice",
			"set maxmemory-policy to noeviction, or give the records a server of their own")
	}
}

func (c *checkup) persistence(info map[string]string) {
	switch info["aof_enabled"] {
	case "1":
	case "":
		c.untold(CheckPersistence, "appendonly")
	default:
		c.add(CheckPersistence, Warning, "a restart loses the claims and answers since the last snapshot, or all of them", "set appendonly to yes")
	}
}

// replicas checks what bounds the loss of a failover. INFO tells how many
// replicas are in good state only where min-replicas-to-write is set.
func (c *checkup) replicas(info map[string]string) {
	if info["role"] != "master" {
		return
	}
	var connected int
	if _, err := fmt.Sscan(info["connected_slaves"], &connected); err != nil {
		c.untold(CheckReplicas, "number of replicas")
		return
	}
	if wanted := c.store.wait.replicas; connected < wanted {
		c.add(CheckReplicas, Warning, fmt.Sprintf("it has %d replicas and WaitReplicas is %d, so every claim fails", connected, wanted),
			"connect more replicas, or lower WaitReplicas")
	}
	if _, set := info["min_slaves_good_slaves"]; connected > 0 && !set {
		c.add(CheckReplicas, Warning, "cut off from its replicas it goes on accepting claims, all of which a failover loses",
			"set min-replicas-to-write to 1 or more, and min-replicas-max-lag to a few seconds")
	}
}

func (c *checkup) untold(check, what string) {
	c.add(check, Note, "the server does not tell its "+what+", which is not checked", "see to the setting by hand")
}

// noDigest is the digest of no script.
const noDigest = "0000000000000000000000000000000000000000"

// try does with a key and a channel of its own what a store does, since the
// rights of the user show in no other way.
func (c *checkup) try(ctx context.Context) error {
	name, ok := c.ownName()
	if !ok {
		return nil // the server has no slots, so it gets no records
	}
	commands := [][]any{
		{"set", name, "", "nx", "get", "px", 10_000},
		{"get", name},
		{"pttl", name},
		{"pexpire", name, 10_000},
		{"eval", "return 1", 1, name},
		{"evalsha", noDigest, 1, name},
		{"del", name},
		{"spublish", name, ""},
	}
	if c.store.wait.replicas > 0 {
		commands = append(commands, []any{"wait", 0, 1})
	}
	var missing []string
	for _, args := range commands {
		err := c.client.Process(ctx, newReplyCommand(ctx, args...))
		switch {
		case err == nil || errors.Is(err, redis.Nil) || refusedWith(err, "NOSCRIPT"):
		case refusedWith(err, "NOPERM"):
			missing = append(missing, args[0].(string))
		case !isReply(err):
			return err
		case args[0] == "set":
			c.add(CheckWrite, Warning, fmt.Sprintf("it refuses a claim: %v", err), "see to it that the server takes writes")
		}
	}
	may, err := c.maySubscribe(ctx, name)
	if err != nil {
		return err
	}
	if !may {
		missing = append(missing, "ssubscribe")
	}
	if missing != nil {
		c.add(CheckRights, Warning, "the user has no right to "+strings.Join(missing, ", ")+" below the prefix", "ACL SETUSER with "+c.rule())
	}
	return nil
}

// maySubscribe subscribes to a channel, and reports whether the user has the
// right to.
func (c *checkup) maySubscribe(ctx context.Context, channel string) (bool, error) {
	pubsub := c.client.SSubscribe(ctx)
	defer pubsub.Close()
	err := pubsub.SSubscribe(ctx, channel)
	if err == nil {
		_, err = pubsub.ReceiveTimeout(ctx, maxTimeout)
	}
	if err != nil && !isReply(err) {
		return false, err
	}
	return !refusedWith(err, "NOPERM"), nil
}

// rule is the ACL rule that a store needs.
func (c *checkup) rule() string {
	rule := "+set +get +pttl +pexpire +del +eval +evalsha +spublish +ssubscribe +sunsubscribe"
	if c.store.wait.replicas > 0 {
		rule += " +wait"
	}
	return rule + " +info ~" + c.store.prefix + "* &" + c.store.prefix + "*"
}

// maxNames is how many names are made up to find one for each server. That none
// of them is one of a server which has a hundredth of the slots is unlikely.
const maxNames = 2000

// ownName returns a new name of which the server has the slot.
func (c *checkup) ownName() (string, bool) {
	for range maxNames {
		name := c.store.prefix + "check:" + rand.Text()
		if c.store.nodes.addr(name) == c.addr {
			return name, true
		}
	}
	return "", false
}

// parseInfo reads the reply to INFO: lines of name:value, and headings.
func parseInfo(text string) map[string]string {
	info := make(map[string]string)
	for line := range strings.Lines(text) {
		if name, value, ok := strings.Cut(strings.TrimSpace(line), ":"); ok {
			info[name] = value
		}
	}
	return info
}
