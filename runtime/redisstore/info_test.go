package redisstore

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestInfo has servers that cannot be run in a test: other versions, and those
// that leave lines out.
func TestInfo(t *testing.T) {
	const rest = "role:master\r\nconnected_slaves:0\r\nmaxmemory:0\r\nmaxmemory_policy:noeviction\r\naof_enabled:1\r\n"
	for text, want := range map[string][]string{
		"# Server\r\nredis_version:7.0.0\r\n\r\n# All\r\n" + rest: nil,
		"redis_version:8.4.0\r\n" + rest:                          nil,
		"redis_version:10.0.0\r\n" + rest:                         nil,
		"redis_version:7.2.4\r\nserver_name:valkey\r\n" + rest:    nil,
		"redis_version:6.2.14\r\n" + rest:                         {"version warning"},
		"redis_version:255.255.255\r\n" + rest:                    nil, // built from an unreleased source
		rest:                                                      {"version note"},
		"redis_version:7.0.0":                                     {"role note", "eviction note", "persistence note"},
		"redis_version:7.0.0\r\nrole:master": {
			"eviction note", "persistence note", "replicas note",
		},
	} {
		c := &checkup{store: &Store{}}
		c.told(parseInfo(text))
		var got []string
		for _, f := range c.findings {
			got = append(got, f.Check+" "+f.Severity.String())
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%q (-want +got):\n%s", text, diff)
		}
	}
}
