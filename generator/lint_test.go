package generator

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/idemgen/idemgen/generator/diag"
	"github.com/idemgen/idemgen/generator/internal/contract"
	"github.com/idemgen/idemgen/generator/internal/lint"
)

// contractsForAll gives every POST of a document a contract, so that every rule
// has something to look at.
const contractsForAll = `overlay: 1.0.0
info: {title: contracts, version: "1"}
actions:
  - target: $.paths.*.post
    update: {x-idempotency: {scope: none}}
`

// realDocuments are the public API descriptions in [realSpecs].
func realDocuments(t *testing.T) []string {
	t.Helper()
	documents, err := filepath.Glob(filepath.Join(realSpecs(t), "*", "*.*"))
	if err != nil {
		t.Fatal(err)
	}
	if len(documents) == 0 {
		t.Fatal("IDEMGEN_SPECS names a folder without documents")
	}
	return documents
}

func TestLintRealDocuments(t *testing.T) {
	overlay := filepath.Join(t.TempDir(), "overlay.yaml")
	if err := os.WriteFile(overlay, []byte(contractsForAll), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, file := range realDocuments(t) {
		t.Run(filepath.Base(file), func(t *testing.T) {
			plain := lintTwice(t, LintOptions{Specs: []string{file}})
			for _, d := range plain {
				if d.Rule != lint.RuleUnprotected {
					t.Errorf("without contracts: %v: %s [%s]", d.Range, d.Message, d.Rule)
				}
			}
			for _, d := range lintTwice(t, LintOptions{Specs: []string{file}, Overlays: []string{overlay}}) {
				if slices.Contains([]string{contract.RuleUnknownField, contract.RuleUnknownName, contract.RuleBadExpression, contract.RuleBadValue}, d.Rule) {
					t.Errorf("with contracts: %v: %s [%s]", d.Range, d.Message, d.Rule)
				}
			}
		})
	}
}

// lintTwice wants the same findings twice, each with a place, and the quicker run
// to be short. It takes 0.3 s at most on a machine that has nothing else to do;
// the limit leaves room for the race detector and for neighbours.
func lintTwice(t *testing.T, opts LintOptions) diag.List {
	t.Helper()
	const limit = 4 * time.Second
	run := func() (diag.List, time.Duration) {
		started := time.Now()
		findings, err := Lint(opts)
		if err != nil {
			t.Fatal(err)
		}
		return findings, time.Since(started)
	}
	first, took := run()
	second, tookAgain := run()
	if quicker := min(took, tookAgain); quicker > limit {
		t.Errorf("lint took %v", quicker)
	}
	if d := cmp.Diff(first, second); d != "" {
		t.Errorf("two runs differ: %s", d)
	}
	for _, d := range first {
		if d.Range.Start.Line < 1 || d.Range.Start.Column < 1 || d.Message == "" || d.Hint == "" {
			t.Errorf("%s has no place, message or hint: %+v", d.Rule, d)
		}
	}
	return first
}

func TestReadSuppressions(t *testing.T) {
	read := func(t *testing.T, text string) ([]Suppression, error) {
		t.Helper()
		t.Chdir(t.TempDir())
		if err := os.WriteFile("idemgen.yaml", []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		return ReadSuppressions("idemgen.yaml")
	}
	t.Run("all fields", func(t *testing.T) {
		got, err := read(t, "specs:\n  - spec: openapi.yaml\nlint:\n  suppress:\n    - {rule: stored-secret, operation: createToken, reason: vault}\n    - {rule: crash-unstated, reason: all rerun}\n")
		if err != nil {
			t.Fatal(err)
		}
		for i := range got {
			got[i].Range = diag.Range{}
		}
		want := []Suppression{{Rule: "stored-secret", Operation: "createToken", Reason: "vault"}, {Rule: "crash-unstated", Reason: "all rerun"}}
		if d := cmp.Diff(want, got); d != "" {
			t.Error(d)
		}
	})
	for name, test := range map[string]struct{ text, want string }{
		"unknown section":   {"lnt: {}\n", "idemgen.yaml:1:1: the configuration has no field lnt: did you mean lint?"},
		"unknown field":     {"lint: {supress: []}\n", "idemgen.yaml:1:8: lint has no field supress: did you mean suppress?"},
		"no mapping":        {"lint: [a]\n", "idemgen.yaml:1:7: lint is a mapping, not a list"},
		"no list":           {"lint: {suppress: {}}\n", "idemgen.yaml:1:18: suppress is a list of mappings with rule, operation and reason, not a mapping"},
		"no reason":         {"lint: {suppress: [{rule: stored-secret}]}\n", "idemgen.yaml:1:19: a suppression needs a reason"},
		"unknown rule":      {"lint: {suppress: [{rule: stored-secrt, reason: vault}]}\n", "idemgen.yaml:1:26: there is no rule stored-secrt: did you mean stored-secret?"},
		"field given twice": {"lint: {suppress: []}\nlint: {}\n", "idemgen.yaml:2:1: lint is there twice"},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := read(t, test.text); err == nil || err.Error() != test.want {
				t.Errorf("got  %v\nwant %s", err, test.want)
			}
		})
	}
}

// An error stays, and its suppression is reported.
func TestErrorsCannotBeSuppressed(t *testing.T) {
	findings, err := Lint(LintOptions{
		Specs:        []string{"../testdata/lint/missing-scope/openapi.yaml"},
		Suppressions: []Suppression{{Rule: contract.RuleMissingScope, Reason: "later"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	var rules []string
	for _, d := range findings {
		rules = append(rules, d.Rule)
	}
	if d := cmp.Diff([]string{lint.RuleUnusedSuppression, contract.RuleMissingScope}, rules); d != "" {
		t.Error(d)
	}
}
