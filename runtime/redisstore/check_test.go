package redisstore_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/redis/go-redis/v9"

	"github.com/idemgen/idemgen/runtime/redisstore"
	"github.com/idemgen/idemgen/runtime/storetest/redistest"
)

const aof = "--appendonly"

func TestCheck(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		args   []string
		config redisstore.Config
		setup  func(t *testing.T, server *redistest.Server)
		want   []string // check, severity
	}{
		"as it shall be":     {args: []string{aof, "yes"}},
		"no persistence":     {want: []string{"persistence warning"}},
		"eviction":           {args: []string{aof, "yes", "--maxmemory", "100mb", "--maxmemory-policy", "allkeys-lru"}, want: []string{"eviction warning"}},
		"eviction, no limit": {args: []string{aof, "yes", "--maxmemory-policy", "allkeys-lru"}},
		"no eviction":        {args: []string{aof, "yes", "--maxmemory", "100mb"}},
		"no INFO":            {args: []string{aof, "yes", "--rename-command", "INFO", ""}, want: []string{"info note"}},
		"no CONFIG":          {args: []string{aof, "yes", "--rename-command", "CONFIG", ""}},
		"no replica to wait for": {args: []string{aof, "yes"}, config: redisstore.Config{WaitReplicas: 1},
			want: []string{"replicas warning"}},
		"a replica without a bound": {args: []string{aof, "yes"}, want: []string{"replicas warning"},
			setup: func(t *testing.T, server *redistest.Server) { server.Replica(t) }},
		"a replica with a bound": {args: []string{aof, "yes", "--min-replicas-to-write", "1"}, config: redisstore.Config{WaitReplicas: 1},
			setup: func(t *testing.T, server *redistest.Server) { server.Replica(t) }},
		"a replica": {args: []string{aof, "yes", "--replicaof", "127.0.0.1 1"}, want: []string{"role warning", "write warning"}},
		"no memory": {args: []string{aof, "yes"}, want: []string{"write warning"},
			setup: func(t *testing.T, server *redistest.Server) { command(t, server, "config", "set", "maxmemory", "1") }},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := redistest.Start(t, c.args...)
			if c.setup != nil {
				c.setup(t, server)
			}
			store := openWith(t, server.Client(t), c.config)
			findings, err := store.Check(soon(t))
			if err != nil {
				t.Fatal(err)
			}
			wantFindings(t, findings, c.want)
			for _, f := range findings {
				if f.Server != server.Addr || f.Problem == "" || f.Fix == "" {
					t.Errorf("a finding without server, problem or fix: %+v", f)
				}
			}
			if c.setup == nil && len(c.args) > 0 && !slices.Contains(c.args, "--replicaof") {
				wantNoKeys(t, server.Client(t))
			}
		})
	}
}

func wantFindings(t *testing.T, findings []redisstore.Finding, want []string) {
	t.Helper()
	var got []string
	for _, f := range findings {
		got = append(got, f.Check+" "+f.Severity.String())
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("findings (-want +got):\n%s\n%v", diff, findings)
	}
}

func wantNoKeys(t *testing.T, client *redis.Client) {
	t.Helper()
	if names, err := client.Keys(soon(t), "*").Result(); err != nil || len(names) != 0 {
		t.Errorf("left behind: %q, %v", names, err)
	}
}

// TestCheckRights takes from a user what a store needs, one right at a time.
func TestCheckRights(t *testing.T) {
	t.Parallel()
	server := redistest.Start(t, aof, "yes")
	enough := []any{"acl", "setuser", "app", "reset", "on", ">secret", "~idem:*", "&idem:*", "+set", "+get", "+pttl", "+pexpire",
		"+del", "+eval", "+evalsha", "+spublish", "+ssubscribe", "+sunsubscribe", "+wait", "+info"}
	opts := server.Options()
	opts.Username, opts.Password = "app", "secret"
	for _, c := range []struct {
		rule    []any
		missing string
	}{
		{nil, ""},
		{[]any{"-set"}, "set"},
		{[]any{"-get"}, "get"},
		{[]any{"-pttl"}, "pttl"},
		{[]any{"-pexpire"}, "pexpire"},
		{[]any{"-del"}, "del"},
		{[]any{"-eval"}, "eval"},
		{[]any{"-evalsha"}, "evalsha"},
		{[]any{"-spublish"}, "spublish"},
		{[]any{"-ssubscribe"}, "ssubscribe"},
		{[]any{"-wait"}, "wait"},
		{[]any{"-del", "-pttl"}, "pttl, del"},
		{[]any{"resetchannels", "&other:*"}, "spublish, ssubscribe"},
		{[]any{"resetkeys", "~other:*"}, "set, get, pttl, pexpire, eval, evalsha, del"},
	} {
		command(t, server, append(slices.Clone(enough), c.rule...)...)
		config := redisstore.Config{WaitReplicas: 1}
		findings, err := openWith(t, newClient(t, opts), config).Check(soon(t))
		if err != nil {
			t.Fatalf("%v: %v", c.rule, err)
		}
		findings = slices.DeleteFunc(findings, func(f redisstore.Finding) bool { return f.Check == redisstore.CheckReplicas })
		if c.missing == "" {
			wantFindings(t, findings, nil)
			continue
		}
		wantFindings(t, findings, []string{"rights warning"})
		if len(findings) == 1 && !strings.Contains(findings[0].Problem, "no right to "+c.missing+" below") {
			t.Errorf("%v: problem %q, want that %s is missing", c.rule, findings[0].Problem, c.missing)
		}
	}
}

func TestCheckCluster(t *testing.T) {
	t.Parallel()
	cluster := redistest.Cluster(t, 3, 0, aof, "yes", "--cluster-require-full-coverage", "no", "--cluster-node-timeout", "15000")
	opts := cluster.Options()
	opts.ReadTimeout = time.Second
	client := redis.NewClusterClient(opts)
	defer client.Close()
	store := open(t, client)
	findings, err := store.Check(soon(t))
	if err != nil {
		t.Fatal(err)
	}
	wantFindings(t, findings, nil)

	odd, hanging := cluster.Masters[1], cluster.Masters[2]
	command(t, odd, "config", "set", "maxmemory", "100mb", "maxmemory-policy", "volatile-lru")
	hanging.Pause(t)
	defer hanging.Continue(t)
	findings, err = store.Check(soon(t))
	if err != nil {
		t.Fatal(err)
	}
	servers := make(map[string]string)
	for _, f := range findings {
		servers[f.Server] = f.Check
	}
	if diff := cmp.Diff(map[string]string{odd.Addr: "eviction", hanging.Addr: "answer"}, servers); diff != "" {
		t.Errorf("findings (-want +got):\n%s", diff)
	}
}

func TestCheckAfterClose(t *testing.T) {
	t.Parallel()
	_, _, store := start(t)
	store.Close()
	if _, err := store.Check(soon(t)); err == nil {
		t.Error("no error")
	}
}
