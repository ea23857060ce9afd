package server

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// declarations lists what a file declares, with its places and comments.
func declarations(fset *token.FileSet, file *ast.File) []string {
	var list []string
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncDecl:
			list = append(list, fset.Position(n.Pos()).String()+" func "+n.Name.Name+" "+n.Doc.Text())
			return false
		case *ast.Ident:
			list = append(list, fset.Position(n.Pos()).String()+" "+n.Name)
		case *ast.Field:
			list = append(list, n.Doc.Text())
		}
		return true
	})
	return list
}

// A file without its bodies declares the same at the same places.
func TestWithoutBodies(t *testing.T) {
	files, err := filepath.Glob(casesDir + "/*/*.go")
	if err != nil || len(files) < 10 {
		t.Fatal(files, err)
	}
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		const mode = parser.ParseComments | parser.SkipObjectResolution
		whole, short := token.NewFileSet(), token.NewFileSet()
		want, err := parser.ParseFile(whole, name, text, mode)
		if err != nil {
			t.Fatal(err)
		}
		got, err := parser.ParseFile(short, name, withoutBodies(text), mode)
		if err != nil {
			t.Errorf("%s without bodies: %v", name, err)
			continue
		}
		if d := cmp.Diff(declarations(whole, want), declarations(short, got)); d != "" {
			t.Errorf("%s: %s", name, d)
		}
	}
}

func TestParseFile(t *testing.T) {
	for name, text := range map[string]string{
		"raw string in a body": "package p\nfunc f() string {\n\treturn `\n}\n` + x\n}\n\ntype T struct{ A int }\n",
		"body on one line":     "package p\nfunc f() {}\nfunc g() {\n}\n\ntype T struct{ A int }\n",
		"not by gofmt":         "package p\nfunc f() {\n  if x {\n  } }\ntype T struct{ A int }\n",
		"nothing after it":     "package p\ntype T struct{ A int }\nfunc f() {\n\tx()\n}",
		"strict handler":       "package p\ntype T struct{ A int }\nfunc (sh *strictHandler) F() {\n\tx()\n}\n",
	} {
		fset := token.NewFileSet()
		file, err := parseFile(fset, "p.go", []byte(text))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if got := strings.Join(declarations(fset, file), "\n"); !strings.Contains(got, " T\n") || !strings.Contains(got, " A\n") {
			t.Errorf("%s: %s", name, got)
		}
		for _, d := range file.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && f.Recv != nil && len(f.Body.List) == 0 {
				t.Errorf("%s: the body is gone", name)
			}
		}
	}
	if _, err := parseFile(token.NewFileSet(), "p.go", []byte("package p\nfunc {\n")); err == nil || !strings.Contains(err.Error(), "p.go:2:") {
		t.Errorf("no Go: %v", err)
	}
}
