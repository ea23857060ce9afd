package generator

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"gopkg.in/yaml.v3"

	"github.com/idemgen/idemgen/generator/schema"
)

const initSpec = `openapi: 3.0.3
info: {title: T, version: '1'}
paths:
  /a:
    post: {operationId: createA, responses: {'204': {description: d}}}
    patch: {responses: {'204': {description: d}}}
    delete: {operationId: deleteA, responses: {'204': {description: d}}}
  /b:
    post: {operationId: search, x-idempotency: false, responses: {'204': {description: d}}}
`

func TestInit(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"api/openapi.yaml":   initSpec,
		"doc.go":             "package x\n\n//go:generate go tool oapi-codegen -config server.yaml api/openapi.yaml\n",
		"server.yaml":        "package: api\ngenerate:\n  strict-server: true\noutput: internal/api/api.gen.go\n",
		"client.yaml":        "package: client\ngenerate: {client: true}\noutput: internal/client/client.gen.go\n",
		"docker.yaml":        "services: {}\n",
		"broken.yaml":        "openapi: [\n",
		"other.openapi.json": `{"swagger": "2.0", "openapi": "no"}`,
	} {
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		writeFile(t, file, []byte(text))
	}
	start, err := Init(dir)
	if err != nil {
		t.Fatal(err)
	}
	want := &Start{
		Config:   filepath.Join(dir, ConfigFile),
		Specs:    []string{"api/openapi.yaml"},
		Generate: []string{"//go:generate go tool idemgen generate"},
		Wanted:   []string{"POST /a (createA)", "PATCH /a"},
	}
	if d := cmp.Diff(want, start); d != "" {
		t.Error(d)
	}
	text, err := os.ReadFile(start.Config)
	if err != nil {
		t.Fatal(err)
	}
	var config any
	if err := yaml.Unmarshal(text, &config); err != nil {
		t.Fatal(err)
	}
	wantConfig := map[string]any{"specs": []any{map[string]any{"spec": "api/openapi.yaml", "server": "server.yaml"}}}
	if d := cmp.Diff(any(wantConfig), config); d != "" {
		t.Error(d)
	}
	if err := compileSchema(t, schema.Config()).Validate(jsonValue(config)); err != nil {
		t.Error(err)
	}
	if _, err := ReadSuppressions(start.Config); err != nil {
		t.Error(err)
	}
	if all, err := ReadSpecs(start.Config); err != nil || len(all) != 1 || all[0].Spec != filepath.Join(dir, "api", "openapi.yaml") {
		t.Errorf("%+v, %v", all, err)
	}
	if _, err := Init(dir); !errors.Is(err, fs.ErrExist) {
		t.Errorf("a second run: %v", err)
	}
	if again, err := os.ReadFile(start.Config); err != nil || string(again) != string(text) {
		t.Errorf("the file was overwritten: %v", err)
	}
}

// What is commented out in the file is right as well.
func TestInitComments(t *testing.T) {
	dir := t.TempDir()
	writeFile(t, filepath.Join(dir, "openapi.yaml"), []byte(initSpec))
	writeFile(t, filepath.Join(dir, "cfg.yaml"), []byte("package: x\ngenerate: {std-http-server: true}\n"))
	start, err := Init(dir)
	if err != nil {
		t.Fatal(err)
	}
	notes := []string{
		"cfg.yaml generates no strict server: set strict-server: true below generate",
		"cfg.yaml has no output: say there which file oapi-codegen writes",
	}
	if d := cmp.Diff(notes, start.Notes); d != "" {
		t.Error(d)
	}
	text, err := os.ReadFile(start.Config)
	if err != nil {
		t.Fatal(err)
	}
	uncommented := uncomment(string(text))
	var config any
	if err := yaml.Unmarshal([]byte(uncommented), &config); err != nil {
		t.Fatalf("%v\n%s", err, uncommented)
	}
	if err := compileSchema(t, schema.Config()).Validate(jsonValue(config)); err != nil {
		t.Errorf("%v\n%s", err, uncommented)
	}
	writeFile(t, start.Config, []byte(uncommented))
	if list, err := ReadSuppressions(start.Config); err != nil || len(list) != 1 {
		t.Errorf("%v, %v", list, err)
	}
}

func TestInitWithoutDocument(t *testing.T) {
	if _, err := Init(t.TempDir()); err == nil {
		t.Error("no error")
	}
}

// uncomment takes the comment marks off everything that is YAML behind them.
func uncomment(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		if m := regexp.MustCompile(`^( *)# ((?:package|output|overlay|server|lint|package-name|  suppress|    - rule|      operation|      reason): ?.*)$`).FindStringSubmatch(strings.TrimSuffix(line, "\n")); m != nil {
			line = m[1] + m[2] + "\n"
		}
		b.WriteString(line)
	}
	return b.String()
}
