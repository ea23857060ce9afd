package generator

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func readSpecs(t *testing.T, text string) ([]Options, error) {
	t.Helper()
	t.Chdir(t.TempDir())
	if err := os.Mkdir("config", 0o755); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join("config", "idemgen.yaml")
	writeText(t, file, text)
	return ReadSpecs(file)
}

func TestReadSpecs(t *testing.T) {
	got, err := readSpecs(t, `
specs:
  - spec: payments/openapi.yaml
    server: payments/oapi-codegen.yaml
  - {spec: /abs/openapi.yaml, package: ../api, output: ../own/idem.gen.go, package-name: own, overlay: [a.yaml, b.yaml]}
lint: {suppress: []}
`)
	want := []Options{
		{Spec: "config/payments/openapi.yaml", Server: "config/payments/oapi-codegen.yaml", Folder: "config"},
		{Spec: "/abs/openapi.yaml", Package: "api", Output: "own/idem.gen.go", PackageName: "own", Folder: "config",
			Overlays: []string{"config/a.yaml", "config/b.yaml"}},
	}
	if d := cmp.Diff(want, got); err != nil || d != "" {
		t.Error(err, d)
	}
}

func TestReadSpecsMistakes(t *testing.T) {
	for text, want := range map[string]string{
		"lint: {}":                                "1:1: the configuration has no specs to generate from",
		"specs: {}":                               "1:8: specs is a list of mappings",
		"specs: []":                               "1:8: specs is a list of mappings",
		"specs: [a.yaml]":                         "1:9: a spec is a mapping, not a text",
		"specs: [{package: api}]":                 "1:9: a spec needs the field spec",
		"specs: [{spec: a.yaml, packge: api}]":    "1:24: a spec has no field packge: did you mean package?",
		"specs: [{spec: 1}]":                      "1:16: spec must be a text",
		"specs: [{spec: a.yaml, overlay: b}]":     "1:33: overlay is a list of files",
		"specs: [{spec: a.yaml, overlay: [1]}]":   "1:34: overlay is a list of files, not of a number",
		"specs: [{spec: a.yaml, spec: b.yaml}]":   "1:24: spec is there twice",
		"specs:\n  - spec: a.yaml\n    check: on": "3:5: a spec has no field check",
	} {
		if _, err := readSpecs(t, text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}
