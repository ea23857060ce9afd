package main

import (
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"path"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/idemgen/idemgen"

// imports is the import table of the project: which of its own packages each
// package may import. A pattern that ends in /* stands for the packages below.
var imports = []struct {
	pkg string
	may []string
}{
	{"generator/diag", nil},
	{"generator/schema", nil},
	{"templates", nil},
	{"generator/internal/spec", []string{"generator/diag"}},
	{"generator/internal/contract", []string{"generator/internal/spec", "generator/diag"}},
	// It works on the text alone, so that what it adds can be kept apart from
	// what a contract means.
	{"generator/internal/complete", nil},
	{"generator/internal/server", []string{"generator/diag"}},
	{"generator/internal/codegen", nil},
	{"generator/internal/lint", []string{"generator/internal/contract", "generator/internal/spec", "generator/diag"}},
	{"generator/internal/compat", []string{"generator/internal/contract", "generator/diag"}},
	{"generator/internal/gomodel", []string{"generator/internal/contract", "generator/internal/server", "generator/diag"}},
	{"generator/internal/render", []string{"generator/internal/gomodel", "generator/internal/contract", "templates"}},
	{"generator/internal/output", []string{"generator/internal/render"}},
	{"generator", []string{"generator/internal/*", "generator/diag", "generator/schema"}},
	{"cmd/idemgen/internal/report", []string{"generator/diag"}},
	{"cmd/idemgen", []string{"generator", "generator/diag", "generator/schema", "cmd/idemgen/internal/report"}},
	{"runtime", nil},
	{"runtime/storetest/redistest", nil},
	{"runtime/*", []string{"runtime"}},
	{"examples/*", []string{"examples/*", "runtime", "runtime/*"}},
}

// homes says where a library may be imported, tests aside.
var homes = []struct {
	library string
	home    []string
}{
	{"github.com/getkin/kin-openapi", []string{"generator/internal/spec"}},
	{"go.yaml.in/yaml", []string{"generator/internal/spec"}},
	// complete needs the places of nodes in the text, which spec does not show.
	{"gopkg.in/yaml.v3", []string{"generator/internal/spec", "generator/internal/complete"}},
	{"github.com/speakeasy-api/openapi", []string{"generator/internal/spec"}},
	{"golang.org/x/mod", []string{"generator"}},
	{"golang.org/x/tools", []string{"generator/internal/server"}},
	{"github.com/spf13/cobra", []string{"cmd/idemgen"}},
	{"github.com/spf13/pflag", []string{"cmd/idemgen"}},
	{"github.com/redis/go-redis", []string{"runtime/redisstore", "runtime/storetest/redistest", "examples/*"}},
	{"github.com/dunglas/httpsfv", []string{"runtime/nethttp"}},
	{"github.com/rogpeppe/go-internal", []string{"generator/internal/output"}},
	{"github.com/oapi-codegen", []string{"examples/*"}},
}

type listed struct {
	ImportPath string
	Imports    []string
}

// TestImports keeps the project's rooms apart.
func TestImports(t *testing.T) {
	for _, p := range listPackages(t) {
		pkg := strings.TrimPrefix(p.ImportPath, module+"/")
		for _, imported := range p.Imports {
			if own, ok := strings.CutPrefix(imported, module+"/"); ok {
				if !slices.ContainsFunc(allowed(t, pkg), func(pattern string) bool { return fits(pattern, own) }) {
					t.Errorf("%s must not import %s", pkg, own)
				}
				continue
			}
			checkLibrary(t, pkg, imported)
		}
	}
}

func checkLibrary(t *testing.T, pkg, imported string) {
	first, _, _ := strings.Cut(imported, "/")
	if !strings.Contains(first, ".") {
		return // standard library
	}
	for _, h := range homes {
		if imported != h.library && !strings.HasPrefix(imported, h.library+"/") {
			continue
		}
		if !slices.ContainsFunc(h.home, func(pattern string) bool { return fits(pattern, pkg) }) {
			t.Errorf("%s must not import %s: its home is %v", pkg, imported, h.home)
		}
		return
	}
	t.Errorf("%s imports %s, which has no home in this test's table", pkg, imported)
}

// TestRuntimeLinksLittle looks at everything that a user's program links with
// the runtime, however indirectly.
func TestRuntimeLinksLittle(t *testing.T) {
	for pkg, may := range map[string][]string{
		"runtime":          nil,
		"runtime/memstore": nil,
		"runtime/nethttp":  {"github.com/dunglas/httpsfv"},
	} {
		out, err := exec.Command("go", "list", "-deps", "-f", "{{if not .Standard}}{{.ImportPath}}{{end}}", module+"/"+pkg).Output()
		if err != nil {
			t.Fatal(err)
		}
		for dep := range strings.FieldsSeq(string(out)) {
			if !strings.HasPrefix(dep, module+"/") && !slices.Contains(may, dep) {
				t.Errorf("%s links %s", pkg, dep)
			}
		}
	}
}

func allowed(t *testing.T, pkg string) []string {
	for _, row := range imports {
		if fits(row.pkg, pkg) {
			return row.may
		}
	}
	t.Errorf("%s is not in the import table", pkg)
	return nil
}

// fits reports whether pkg is pattern, or below it where that ends in /*.
func fits(pattern, pkg string) bool {
	if dir, ok := strings.CutSuffix(pattern, "/*"); ok {
		return strings.HasPrefix(pkg, dir+"/")
	}
	return pkg == path.Clean(pattern)
}

func listPackages(t *testing.T) []listed {
	command := exec.Command("go", "list", "-json=ImportPath,Imports", module+"/...")
	out, err := command.Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	var all []listed
	for decoder := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p listed
		if err := decoder.Decode(&p); errors.Is(err, io.EOF) {
			return all
		} else if err != nil {
			t.Fatal(err)
		}
		all = append(all, p)
	}
}
