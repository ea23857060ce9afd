package main

import (
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/idemgen/idemgen/generator"
	"github.com/idemgen/idemgen/generator/diag"
)

// breakingFolder has a folder for each change: two versions of a document, and
// what diff says about them.
const breakingFolder = "../../testdata/breaking"

func TestDiffFolders(t *testing.T) {
	folders, err := filepath.Glob(breakingFolder + "/*")
	if err != nil {
		t.Fatal(err)
	}
	var all strings.Builder
	for _, folder := range folders {
		t.Run(filepath.Base(folder), func(t *testing.T) {
			code, stdout, stderr := runIn(t, folder, "diff", "base.yaml", "revision.yaml")
			want := exitClean
			if strings.Contains(stdout, ": breaking: ") {
				want = exitFindings
			}
			if code != want {
				t.Errorf("exit %d, not %d: %s", code, want, stderr)
			}
			compareGolden(t, filepath.Join(folder, "want.txt"), stdout)
			checkHurts(t, stdout)
			all.WriteString(stdout)
		})
	}
	for _, change := range generator.Changes() {
		if !strings.Contains(all.String(), "["+change.ID+"]") {
			t.Errorf("no folder shows %s", change.ID)
		}
	}
}

// checkHurts wants every change that is not fine to say who is hurt.
func checkHurts(t *testing.T, report string) {
	t.Helper()
	changes := len(regexp.MustCompile(`: (breaking|risky): `).FindAllString(report, -1))
	hurts := len(regexp.MustCompile(`(?m)^  hurts: .+\n  hint: .+$`).FindAllString(report, -1))
	if changes != hurts {
		t.Errorf("%d breaking or risky changes, and %d say who is hurt:\n%s", changes, hurts, report)
	}
}

func TestChangesAreComplete(t *testing.T) {
	rules := map[string]bool{}
	for _, rule := range generator.Rules() {
		rules[rule.ID] = true
	}
	for _, c := range generator.Changes() {
		if rules[c.ID] {
			t.Errorf("%s is in the catalogue twice", c.ID)
		}
		rules[c.ID] = true
		fine := c.Severity == diag.Advice
		if c.Title == "" || (c.Hurts == "") != fine || (c.Fix == "") != fine {
			t.Errorf("%s lacks a title, who is hurt, or a fix; or hurts somebody and is fine", c.ID)
		}
	}
}
