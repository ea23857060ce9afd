package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// TestEveryMessageIsShown looks for every message of the generator's stages in
// the wanted output of some test: with its place, its excerpt and its hint.
func TestEveryMessageIsShown(t *testing.T) {
	goldens := readGoldens(t)
	total := 0
	for _, stage := range []string{"spec", "contract", "gomodel"} {
		for _, m := range readMessages(t, "../../generator/internal/"+stage) {
			total++
			found := m.pattern.FindStringIndex(goldens)
			if found == nil {
				t.Errorf("%s: no test shows %s", m.at, m.pattern)
				continue
			}
			rest := strings.SplitN(goldens[found[1]:], "\n", 5)
			if !regexp.MustCompile(`^ +\d+ \| `).MatchString(rest[1]) || !strings.Contains(rest[2], "^") || !strings.HasPrefix(rest[3], "  hint: ") {
				t.Errorf("%s: shown without excerpt or hint:\n%s", m.at, strings.Join(rest[1:4], "\n"))
			}
		}
	}
	if total < 70 {
		t.Errorf("only %d messages found: does this test still read the sources?", total)
	}
}

// readGoldens returns the wanted outputs of commands, one after the other.
func readGoldens(t *testing.T) string {
	t.Helper()
	var all strings.Builder
	for _, root := range []string{"testdata/script", "../../testdata/lint"} {
		err := filepath.WalkDir(root, func(file string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() {
				return err
			}
			if name := entry.Name(); strings.HasSuffix(name, ".txtar") || name == "want.txt" {
				text, err := os.ReadFile(file)
				all.Write(text)
				all.WriteByte('\n')
				return err
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return all.String()
}

// A message is a message of a finding, as a pattern of its text.
type message struct {
	at      token.Position
	pattern *regexp.Regexp
}

// readMessages finds the messages in the sources of a package: the arguments of
// the functions that report findings, and the field Message of literals.
func readMessages(t *testing.T, dir string) []message {
	t.Helper()
	files, err := filepath.Glob(dir + "/*.go")
	if err != nil {
		t.Fatal(err)
	}
	var messages []message
	fset := token.NewFileSet()
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(fset, name, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			for _, expr := range messagesOf(n) {
				if text := patternOf(expr); regexp.MustCompile(`[a-z]{3}`).MatchString(strings.ReplaceAll(text, ".*", "")) {
					messages = append(messages, message{fset.Position(expr.Pos()), regexp.MustCompile(`(?m)^\S+:\d+:\d+: \w+: ` + text + ` \[[a-z-]+\]$`)})
				}
			}
			return true
		})
	}
	return messages
}

// messagesOf returns the expressions in n that are messages.
func messagesOf(n ast.Node) []ast.Expr {
	switch n := n.(type) {
	case *ast.KeyValueExpr:
		if key, ok := n.Key.(*ast.Ident); ok && key.Name == "Message" {
			return []ast.Expr{n.Value}
		}
	case *ast.AssignStmt:
		if field, ok := n.Lhs[0].(*ast.SelectorExpr); ok && field.Sel.Name == "Message" && n.Tok == token.ASSIGN {
			return n.Rhs
		}
	case *ast.CallExpr:
		position, ok := map[string]int{
			"report": 2, "broken": 1, "fail": 3, "wants": -1,
		}[nameOf(n.Fun)]
		if ok && nameOf(n.Fun) == "report" && len(n.Args) > 4 {
			position = 4 // of package gomodel
		}
		if ok && position >= 0 && position < len(n.Args) {
			return []ast.Expr{n.Args[position]}
		}
	}
	return nil
}

func nameOf(fun ast.Expr) string {
	switch fun := fun.(type) {
	case *ast.Ident:
		return fun.Name
	case *ast.SelectorExpr:
		return fun.Sel.Name
	}
	return ""
}

// patternOf returns a pattern of the texts that an expression can have.
func patternOf(expr ast.Expr) string {
	const any = ".*"
	switch expr := expr.(type) {
	case *ast.BasicLit:
		text, err := strconv.Unquote(expr.Value)
		if err != nil {
			return any
		}
		return regexp.MustCompile(`%[a-z]`).ReplaceAllString(regexp.QuoteMeta(text), any)
	case *ast.BinaryExpr:
		return patternOf(expr.X) + patternOf(expr.Y)
	case *ast.CallExpr:
		if nameOf(expr.Fun) == "Sprintf" {
			return patternOf(expr.Args[0])
		}
	}
	return any
}
