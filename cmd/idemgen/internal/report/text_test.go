package report

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/idemgen/idemgen/generator/diag"
)

func at(line, from, to int) diag.Range {
	return diag.Range{File: "a.yaml", Start: diag.Position{Line: line, Column: from}, End: diag.Position{Line: line, Column: to}}
}

func TestText(t *testing.T) {
	long := strings.Repeat("x", 100) + "HERE" + strings.Repeat("y", 100)
	lines := []string{"ttl: 5", "\tä: bad", "", long}
	tests := []struct {
		name string
		d    diag.Diagnostic
		want string
	}{
		{"range", diag.Diagnostic{Rule: "bad", Range: at(1, 6, 7), Message: "no", Hint: "yes"},
			"a.yaml:1:6: error: no [bad]\n     1 | ttl: 5\n       |      ^\n  hint: yes\n"},
		{"tabs and letters", diag.Diagnostic{Rule: "bad", Severity: diag.Warning, Range: at(2, 5, 8), Message: "no"},
			"a.yaml:2:5: warning: no [bad]\n     2 | \tä: bad\n       | \t   ^^^\n"},
		{"point", diag.Diagnostic{Rule: "bad", Range: at(1, 1, 1), Message: "no"},
			"a.yaml:1:1: error: no [bad]\n     1 | ttl: 5\n       | ^\n"},
		{"behind the end", diag.Diagnostic{Rule: "bad", Range: at(1, 90, 99), Message: "no"},
			"a.yaml:1:90: error: no [bad]\n     1 | ttl: 5\n       |       ^\n"},
		{"empty line", diag.Diagnostic{Rule: "bad", Range: at(3, 1, 1), Message: "no"}, "a.yaml:3:1: error: no [bad]\n"},
		{"no such line", diag.Diagnostic{Rule: "bad", Range: at(9, 1, 1), Message: "no"}, "a.yaml:9:1: error: no [bad]\n"},
		{"long line", diag.Diagnostic{Rule: "bad", Range: at(4, 101, 105), Message: "no"},
			"a.yaml:4:101: error: no [bad]\n     4 | …" + strings.Repeat("x", 60) + "HERE" + strings.Repeat("y", 55) + "…\n       | " + strings.Repeat(" ", 61) + "^^^^\n"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var b strings.Builder
			if err := Text(&b, diag.List{test.d}, func(string) []string { return lines }); err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(test.want, b.String()); d != "" {
				t.Error(d)
			}
		})
	}
}

func TestColor(t *testing.T) {
	var plain, colored strings.Builder
	if err := (Style{}).Text(&plain, sample(), sampleText); err != nil {
		t.Fatal(err)
	}
	if err := (Style{Color: true}).Text(&colored, sample(), sampleText); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(plain.String(), "\x1b") || !strings.Contains(colored.String(), "\x1b[1;31merror\x1b[0m") {
		t.Errorf("plain:\n%s\ncolored:\n%s", plain.String(), colored.String())
	}
	stripped := strings.NewReplacer("\x1b[0m", "", "\x1b[1m", "", "\x1b[2m", "", "\x1b[1;31m", "", "\x1b[1;33m", "", "\x1b[1;36m", "")
	if d := cmp.Diff(plain.String(), stripped.Replace(colored.String())); d != "" {
		t.Error(d)
	}
}
