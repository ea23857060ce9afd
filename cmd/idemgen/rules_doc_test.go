package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/idemgen/idemgen/cmd/idemgen/internal/report"
	"github.com/idemgen/idemgen/generator"
)

// The catalogue in the documentation is made of the code and of the folders that
// show the rules: go test ./cmd/idemgen -run TestRulesDocument -update
func TestRulesDocument(t *testing.T) {
	var b strings.Builder
	b.WriteString(`# Rules and changes

What ` + "`idemgen lint`, `idemgen generate` and `idemgen diff`" + ` tell, by id. ` + "`idemgen explain ID`" + ` tells it in a terminal.

An error is what ` + "`generate`" + ` refuses. A warning is probably not meant. Advice is about a decision to take knowingly.
Warnings and advice can be accepted in ` + "`idemgen.yaml`" + `, by rule and operation:

` + "```yaml" + `
lint:
  suppress:
    - rule: stored-secret
      operation: createToken # left out: everywhere
      reason: the store is as safe as the vault
` + "```" + `

## Rules

| rule | severity | what is wrong | found by |
|---|---|---|---|
`)
	for _, r := range generator.Rules() {
		fmt.Fprintf(&b, "| [%s](#%s) | %v | %s | %s |\n", r.ID, r.ID, r.Severity, r.Title, foundBy(r))
	}
	for _, r := range generator.Rules() {
		fmt.Fprintf(&b, "\n### %s\n\n%s (%v).\n\n%s\n\n**Fix.** %s\n\n```text\n%s```\n", r.ID, r.Title, r.Severity, r.Why, r.Fix, exampleOf(t, r))
	}
	b.WriteString(`
## Changes

What ` + "`idemgen diff`" + ` tells apart. A change is breaking where it takes a promise of the old contracts back. It is risky where the
promise stays and a client may notice all the same: in a rare case, while the change is deployed, or because it relied on
more than was promised. Other changes are fine.

| change | is | what has changed | who is hurt | what to do |
|---|---|---|---|---|
`)
	for _, c := range generator.Changes() {
		hurts := c.Hurts
		if hurts == "" {
			hurts = "nobody"
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %s |\n", c.ID, report.Changes().Of(c.Severity), c.Title, hurts, c.Fix)
	}
	compareGolden(t, "../../docs/rules.md", b.String())
}

func foundBy(r generator.Rule) string {
	var commands []string
	if r.Lint {
		commands = append(commands, "lint")
	}
	if r.Generate {
		commands = append(commands, "generate")
	}
	return strings.Join(commands, ", ")
}

// exampleOf is a finding of a rule, as its folder or, for what only generate
// finds, its script has it.
func exampleOf(t *testing.T, r generator.Rule) string {
	t.Helper()
	file := filepath.Join(lintFolder, r.ID, "want.txt")
	if !r.Lint {
		file = scriptOf(r.ID)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatalf("%s has no example: %v", r.ID, err)
	}
	lines := strings.SplitAfter(string(text), "\n")
	for i, line := range lines {
		if !strings.HasSuffix(line, " ["+r.ID+"]\n") {
			continue
		}
		end := i + 1
		for end < len(lines) && strings.HasPrefix(lines[end], " ") {
			end++
		}
		if end < i+2 {
			continue
		}
		return strings.Join(lines[i:end], "")
	}
	t.Fatalf("%s has no finding of %s with a hint", file, r.ID)
	return ""
}
