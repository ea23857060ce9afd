package generator

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// Every rule that a stage declares is in the catalogue, once and in full.
func TestRulesAreComplete(t *testing.T) {
	listed := map[string]bool{}
	for _, rule := range Rules() {
		if listed[rule.ID] {
			t.Errorf("%s is in the catalogue twice", rule.ID)
		}
		listed[rule.ID] = true
		if rule.ID == "" || rule.Title == "" || rule.Why == "" || rule.Fix == "" {
			t.Errorf("%s lacks a title, a reason or a fix", rule.ID)
		}
	}
	declared := declaredRules(t)
	for id := range declared {
		if !listed[id] {
			t.Errorf("%s is not in the catalogue", id)
		}
	}
	for id := range listed {
		if !declared[id] {
			t.Errorf("%s is in the catalogue, and no stage has it", id)
		}
	}
}

// declaredRules reads the constants named Rule… of this package and the stages.
func declaredRules(t *testing.T) map[string]bool {
	t.Helper()
	stages, err := filepath.Glob("internal/*/*.go")
	if err != nil {
		t.Fatal(err)
	}
	ids := map[string]bool{}
	for _, name := range append(stages, "rules.go") {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			spec, ok := n.(*ast.ValueSpec)
			if !ok || len(spec.Values) != 1 || !strings.HasPrefix(spec.Names[0].Name, "Rule") {
				return true
			}
			if literal, ok := spec.Values[0].(*ast.BasicLit); ok {
				id, err := strconv.Unquote(literal.Value)
				if err != nil {
					t.Fatal(err)
				}
				ids[id] = true
			}
			return true
		})
	}
	return ids
}
