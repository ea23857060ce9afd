package redisstore

import (
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/redis/go-redis/v9"
	"pgregory.net/rapid"
)

func TestSingleURLs(t *testing.T) {
	type options struct {
		Network, Addr, User, Password string
		DB                            int
		TLS                           bool
	}
	for text, want := range map[string]options{
		"redis://host":                             {Network: "tcp", Addr: "host:6379"},
		"redis://host:1/2":                         {Network: "tcp", Addr: "host:1", DB: 2},
		"redis://host:1?db=2":                      {Network: "tcp", Addr: "host:1", DB: 2},
		"redis://[::1]:1":                          {Network: "tcp", Addr: "[::1]:1"},
		"redis://user:p%2Fw@host":                  {Network: "tcp", Addr: "host:6379", User: "user", Password: "p/w"},
		"redis://:p@w@host":                        {Network: "tcp", Addr: "host:6379", Password: "p@w"},
		"rediss://host":                            {Network: "tcp", Addr: "host:6379", TLS: true},
		"unix:///run/redis.sock":                   {Network: "unix", Addr: "/run/redis.sock"},
		"unix://user:pw@/run/redis.sock?db=3":      {Network: "unix", Addr: "/run/redis.sock", User: "user", Password: "pw", DB: 3},
		"redis://host?pool_size=7&client_name=pay": {Network: "tcp", Addr: "host:6379"},
	} {
		o := clientOf(t, text).(*redis.Client).Options()
		got := options{o.Network, o.Addr, o.Username, o.Password, o.DB, o.TLSConfig != nil}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: %s", text, diff)
		}
		if !o.ContextTimeoutEnabled || o.MaxRetries != 0 || o.DialerRetries != 1 ||
			o.ReadTimeout != time.Second || o.WriteTimeout != time.Second || o.DialTimeout != time.Second {
			t.Errorf("%s: options %+v", text, o)
		}
	}
	if n := clientOf(t, "redis://host?pool_size=7&read_timeout=300ms").(*redis.Client).Options(); n.PoolSize != 7 || n.ReadTimeout != 300*time.Millisecond {
		t.Errorf("options of the URL are lost: %+v", n)
	}
}

func TestClusterURLs(t *testing.T) {
	for text, want := range map[string][]string{
		"redis+cluster://a:1":                   {"a:1"},
		"redis+cluster://user:pw@a:1,b,[::1]:3": {"a:1", "b:6379", "[::1]:3"},
		"rediss+cluster://user:pw@a:1,b:2/":     {"a:1", "b:2"},
	} {
		o := clientOf(t, text).(*redis.ClusterClient).Options()
		if diff := cmp.Diff(want, o.Addrs); diff != "" {
			t.Errorf("%s: %s", text, diff)
		}
		if withUser := strings.Contains(text, "@"); withUser != (o.Username == "user" && o.Password == "pw") {
			t.Errorf("%s: user %q, password %q", text, o.Username, o.Password)
		}
		if withTLS := strings.HasPrefix(text, "rediss"); withTLS != (o.TLSConfig != nil) {
			t.Errorf("%s: TLS %v", text, o.TLSConfig)
		}
		if !o.ContextTimeoutEnabled || o.ClusterStateReloadInterval != stateReload || o.ReadTimeout != time.Second || o.DialerRetries != 1 {
			t.Errorf("%s: options %+v", text, o)
		}
	}
}

func TestSentinelURLs(t *testing.T) {
	o := clientOf(t, "redis+sentinel://user:pw@a:1,b/main?db=2&sentinel_password=x").(*redis.Client).Options()
	if o.Username != "user" || o.Password != "pw" || o.DB != 2 || !o.ContextTimeoutEnabled || o.ReadTimeout != time.Second {
		t.Errorf("options %+v", o)
	}
}

func clientOf(t *testing.T, text string) redis.UniversalClient {
	t.Helper()
	client, err := newClient(text)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	t.Cleanup(func() { client.Close() })
	return client
}

func TestBadURLs(t *testing.T) {
	for text, want := range map[string]string{
		"":                                     "no scheme",
		"host:6379":                            "no scheme",
		"http://host":                          "scheme must be",
		"redis+ring://host":                    "scheme must be",
		"unix+cluster:///run/redis.sock":       "scheme must be",
		"redis://":                             "no host",
		"redis:///1":                           "no host",
		"redis://a:1,b:2":                      "several hosts",
		"redis://:6379":                        "host 1",
		"redis+cluster://a:1,,b:2":             "host 2",
		"redis+cluster://a:1,b:x":              "host 2",
		"redis+cluster://a:1/1":                "no path",
		"redis+cluster://a:1?db=1":             "no path",
		"redis+sentinel://a:1":                 "name under which Sentinel",
		"redis+sentinel://a:1/a/b":             "name under which Sentinel",
		"unix://host/run/redis.sock":           "no host",
		"unix://":                              "socket",
		"redis://host/x":                       "database",
		"redis://host?max_retries=3":           "max_retries cannot be set",
		"redis://host?addr=b:1":                "addr cannot be set",
		"redis+cluster://host?read_only=1":     "read_only cannot be set",
		"redis://host?read_timeout=3s":         "read_timeout must be",
		"redis://host?read_timeout=0s":         "read_timeout must be",
		"redis://host?pool_size=x":             "pool_size",
		"redis://host?nonsense=1":              "nonsense",
		"redis://host?sentinel_password=x":     "sentinel_password",
		"redis://host#x":                       "%40",
		"redis://user:a/b@host":                "%40",
		"redis://user:a%zz@host":               "%XX",
		"redis://host?a=%zz":                   "options",
		"redis://host?protocol=3;client_name=": "options",
	} {
		client, err := newClient(text)
		if err == nil {
			client.Close()
			t.Errorf("%s: no error, want one with %q", text, want)
		} else if !strings.Contains(err.Error(), want) || !strings.HasPrefix(err.Error(), "redisstore: ") {
			t.Errorf("%s: error %q, want one with %q", text, err, want)
		}
	}
}

// TestNoPasswordInErrors puts passwords into URLs that are wrong in every way,
// escaped and not.
func TestNoPasswordInErrors(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const secret = "hunter2"
		pieces := rapid.SliceOfN(rapid.SampledFrom([]string{"/", "?", "#", "@", ":", "%", "%zz", ",", "[", "]", " ", "+", "=", "&", "1"}), 0, 3)
		password := secret + strings.Join(pieces.Draw(t, "tail"), "") + secret
		if rapid.Bool().Draw(t, "escaped") {
			password = url.QueryEscape(password)
		}
		text := rapid.SampledFrom([]string{"redis", "rediss", "unix", "redis+sentinel", "redis+cluster", "http", ""}).Draw(t, "scheme") +
			rapid.SampledFrom([]string{"://", ":", "//"}).Draw(t, "mark") +
			rapid.SampledFrom([]string{"", "user"}).Draw(t, "user") + ":" + password +
			rapid.SampledFrom([]string{"@host", "@host:x", "@", "@a:1,b:2", "@a,,b"}).Draw(t, "host") +
			rapid.SampledFrom([]string{"", "/1", "/x", "/a/b", "?db=x", "?x=y", "?read_timeout=9s", "#f"}).Draw(t, "rest")
		client, err := newClient(text)
		if err == nil {
			client.Close()
		} else if strings.Contains(err.Error(), secret) {
			t.Fatalf("%s: the error tells the password: %v", text, err)
		}
	})
}
