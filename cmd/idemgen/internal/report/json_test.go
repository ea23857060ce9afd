package report

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestJSONWords(t *testing.T) {
	var b strings.Builder
	if err := JSON(&b, sample()[2:3], Changes()); err != nil {
		t.Fatal(err)
	}
	want := `[
  {
    "rule": "odd",
    "severity": "risky",
    "file": "a.yaml",
    "line": 2,
    "column": 3,
    "endLine": 2,
    "endColumn": 7,
    "operation": "",
    "message": "hm",
    "hint": "",
    "hurts": "clients"
  }
]
`
	if d := cmp.Diff(want, b.String()); d != "" {
		t.Error(d)
	}
}
