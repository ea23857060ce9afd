package render_test

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/idemgen/idemgen/generator/internal/contract"
	"github.com/idemgen/idemgen/generator/internal/gomodel"
	"github.com/idemgen/idemgen/generator/internal/render"
	"github.com/idemgen/idemgen/generator/internal/spec"
)

// TestMiddleware compares the generated middlewares, which need no server.
func TestMiddleware(t *testing.T) {
	for folder, source := range map[string]string{
		"middleware":            "../plain/openapi.yaml",
		"../servers/middleware": "../openapi.yaml",
	} {
		dir := filepath.Join(casesDir, folder)
		got := generateMiddleware(t, dir, source)
		file := filepath.Join(dir, "idempotency.gen.go")
		if *update {
			write(t, file, got)
		}
		want, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(want), string(got)); diff != "" {
			t.Errorf("%s differs (-want +got), run with -update if that is right:\n%s", file, diff)
		}
		for range 5 {
			if again := generateMiddleware(t, dir, source); !bytes.Equal(again, got) {
				t.Fatal("two runs give different bytes")
			}
		}
	}
}

func generateMiddleware(t *testing.T, dir, source string) []byte {
	t.Helper()
	document, err := spec.Load(filepath.Join(dir, source))
	if err != nil {
		t.Fatal(err)
	}
	contracts, findings := contract.Read(document)
	var all []gomodel.Path
	for i := range document.Operations {
		all = append(all, gomodel.Path{Method: document.Operations[i].Method, Path: document.Operations[i].Path})
	}
	file, more := gomodel.BuildMiddleware(contracts, all, gomodel.Options{Source: source, PackageName: "middleware"})
	for _, f := range append(findings, more...) {
		t.Errorf("%s: %s: %s", f.Range, f.Rule, f.Message)
	}
	if file == nil {
		t.FailNow()
	}
	code, err := render.Middleware(file)
	if err != nil {
		t.Fatal(err)
	}
	return code
}
