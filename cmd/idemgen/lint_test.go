package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/idemgen/idemgen/generator"
)

// lintFolder has a folder for each rule: a document that breaks it, what lint
// says, and below fixed the document as it should be.
const lintFolder = "../../testdata/lint"

// runIn runs the command line in a folder and returns its exit code and output.
func runIn(t *testing.T, folder string, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	wd, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Chdir(folder); err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := os.Chdir(wd); err != nil {
			t.Fatal(err)
		}
	}()
	var out, errOut bytes.Buffer
	code = run(args, &out, &errOut)
	return code, out.String(), errOut.String()
}

// compareGolden compares what was printed with a file, or writes it.
func compareGolden(t *testing.T, file, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(want), got); d != "" {
		t.Errorf("%s (-want +got):\n%s", file, d)
	}
}

func documentsIn(t *testing.T, folder string) []string {
	t.Helper()
	var documents []string
	for _, name := range []string{"openapi.yaml", "other.yaml"} {
		if _, err := os.Stat(filepath.Join(folder, name)); err == nil {
			documents = append(documents, name)
		}
	}
	return documents
}

func TestLintRules(t *testing.T) {
	for _, rule := range generator.Rules() {
		if !rule.Lint {
			continue
		}
		t.Run(rule.ID, func(t *testing.T) {
			folder := filepath.Join(lintFolder, rule.ID)
			args := append([]string{"lint", "--fail-on", "never"}, documentsIn(t, folder)...)
			code, stdout, stderr := runIn(t, folder, args...)
			if code != exitClean {
				t.Fatalf("exit %d: %s", code, stderr)
			}
			compareGolden(t, filepath.Join(folder, "want.txt"), stdout)
			checkFinding(t, rule, stdout)

			fixed := filepath.Join(folder, "fixed")
			_, stdout, stderr = runIn(t, fixed, append([]string{"lint"}, documentsIn(t, fixed)...)...)
			if stdout+stderr != "" {
				t.Errorf("the fixed document has findings:\n%s%s", stdout, stderr)
			}
		})
	}
}

// checkFinding wants the finding of a rule to have its severity, a place, the
// text there, and a hint.
func checkFinding(t *testing.T, rule generator.Rule, report string) {
	t.Helper()
	head := `(?m)^[a-z]+\.yaml:[1-9][0-9]*:[1-9][0-9]*: ` + rule.Severity.String() + `: .+ \[` + rule.ID + `\]\n +[0-9]+ \| .+\n +\| +\^+\n  hint: .+$`
	if !regexp.MustCompile(head).MatchString(report) {
		t.Errorf("no finding of %s with a place, an excerpt and a hint in:\n%s", rule.ID, report)
	}
}

func TestEveryLintFolderHasARule(t *testing.T) {
	checkFolders(t, lintFolder, func(name string) bool {
		return slices.ContainsFunc(generator.Rules(), func(r generator.Rule) bool { return r.Lint && r.ID == name })
	})
}

func checkFolders(t *testing.T, folder string, known func(name string) bool) {
	t.Helper()
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if e.IsDir() && !known(e.Name()) {
			t.Errorf("%s/%s belongs to nothing", folder, e.Name())
		}
	}
}

func TestLintJSON(t *testing.T) {
	_, stdout, _ := runIn(t, filepath.Join(lintFolder, "missing-scope"), "lint", "--format", "json", "./openapi.yaml")
	var got []map[string]any
	if err := json.Unmarshal([]byte(stdout), &got); err != nil {
		t.Fatal(err)
	}
	want := []map[string]any{{
		"rule": "missing-scope", "severity": "error", "file": "openapi.yaml", "operation": "createPayment",
		"line": 11.0, "column": 7.0, "endLine": 11.0, "endColumn": 20.0,
		"message": "createPayment has security and no scope: its callers would share their keys",
		"hint":    "write scope: principal, or scope: none to share keys on purpose",
	}}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	_, stdout, _ = runIn(t, filepath.Join(lintFolder, "missing-scope", "fixed"), "lint", "--format", "json", "openapi.yaml")
	if strings.TrimSpace(stdout) != "[]" {
		t.Errorf("without findings: %s", stdout)
	}
}

// An absolute path is reported relative to the working directory.
func TestLintPaths(t *testing.T) {
	folder, err := filepath.Abs(filepath.Join(lintFolder, "missing-scope"))
	if err != nil {
		t.Fatal(err)
	}
	_, stdout, _ := runIn(t, filepath.Dir(folder), "lint", filepath.Join(folder, "openapi.yaml"))
	if !strings.HasPrefix(stdout, "missing-scope/openapi.yaml:11:7: ") {
		t.Error(stdout)
	}
}
