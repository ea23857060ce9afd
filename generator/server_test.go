package generator

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/idemgen/idemgen/generator/internal/codegen"
)

// project copies files of a case into the folder of a module that has
// oapi-codegen as a tool.
func project(t *testing.T, name string, files ...string) string {
	t.Helper()
	root, err := filepath.Abs("../go.mod")
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("GOFLAGS", "-modfile="+root)
	dir := t.TempDir()
	writeText(t, filepath.Join(dir, "go.mod"), "module example.com/project\n\ngo 1.26\n")
	for _, file := range files {
		text, err := os.ReadFile(filepath.Join("../testdata/cases", name, file))
		if err != nil {
			t.Fatal(err)
		}
		writeText(t, filepath.Join(dir, file), string(text))
	}
	return dir
}

func writeText(t *testing.T, file, text string) {
	t.Helper()
	writeFile(t, file, []byte(text))
}

func withServer(dir string) Options {
	return Options{Spec: filepath.Join(dir, "openapi.yaml"), Server: filepath.Join(dir, "oapi-codegen.yaml"), Folder: dir}
}

// One step gives what two give: the files of the case.
func TestServer(t *testing.T) {
	dir := project(t, "payments", "openapi.yaml", "oapi-codegen.yaml")
	opts := withServer(dir)
	opts.Check = true
	result, err := Generate(opts)
	if err != nil {
		t.Fatal(err)
	}
	if diff := string(result.Diff); !strings.Contains(diff, "+type StrictServerInterface") || !strings.Contains(diff, "+func NewIdempotentServer") {
		t.Errorf("a check shows %.300s", diff)
	}
	if entries, _ := os.ReadDir(dir); len(entries) != 3 {
		t.Errorf("a check has written: %v", entries)
	}
	opts.Check = false
	if result, err = Generate(opts); err != nil || len(result.Changed) != 2 {
		t.Fatalf("%+v, %v", result, err)
	}
	for _, name := range []string{"api.gen.go", "idempotency.gen.go"} {
		got, _ := os.ReadFile(filepath.Join(dir, name))
		want, _ := os.ReadFile(filepath.Join("../testdata/cases/payments", name))
		if string(got) != string(want) {
			t.Errorf("%s differs from that of two steps", name)
		}
	}
	opts.Check = true
	if result, err = Generate(opts); err != nil || len(result.Diff) > 0 {
		t.Errorf("right after a run a check shows %s, %v", result.Diff, err)
	}
}

// A mistake in a contract, or of oapi-codegen, leaves both files alone.
func TestServerWritesNothing(t *testing.T) {
	dir := project(t, "payments", "openapi.yaml", "oapi-codegen.yaml")
	document := filepath.Join(dir, "openapi.yaml")
	text, err := os.ReadFile(document)
	if err != nil {
		t.Fatal(err)
	}
	writeText(t, document, strings.Replace(string(text), "x-idempotency:", "x-idempotency: {ttl: 5}\n      x-was:", 1))
	result, err := Generate(withServer(dir))
	if err != nil || !result.Findings.HasErrors() {
		t.Errorf("a mistake in a contract: %+v, %v", result, err)
	}
	writeText(t, document, string(text))
	writeText(t, filepath.Join(dir, "oapi-codegen.yaml"), "package: api\noutput: api.gen.go\ngenerate: {no-such-server: true}\n")
	if _, err = Generate(withServer(dir)); err == nil || !strings.Contains(err.Error(), "oapi-codegen cannot generate the server") || !strings.Contains(err.Error(), "no-such-server") {
		t.Errorf("a mistake in the configuration: %v", err)
	}
	if found, _ := filepath.Glob(filepath.Join(dir, "*.go")); len(found) > 0 {
		t.Errorf("written: %v", found)
	}
}

func TestServerWithoutOutput(t *testing.T) {
	dir := project(t, "payments", "openapi.yaml")
	writeText(t, filepath.Join(dir, "oapi-codegen.yaml"), "package: api\n")
	if _, err := Generate(withServer(dir)); err == nil || !strings.Contains(err.Error(), "has no output") {
		t.Error(err)
	}
}

// The server is generated from the overlaid document, so contracts are read
// from the same.
func TestServerOverlay(t *testing.T) {
	dir := project(t, "payments", "openapi.yaml")
	writeText(t, filepath.Join(dir, "overlay.yaml"), `overlay: 1.0.0
info: {title: Overlay, version: "1"}
actions:
  - target: $.paths
    update:
      /more:
        post:
          operationId: addMore
          x-idempotency: {scope: none}
          parameters: [{name: Idempotency-Key, in: header, required: true, schema: {type: string}}]
          responses: {"204": {description: Done}}
`)
	writeText(t, filepath.Join(dir, "oapi-codegen.yaml"), `package: api
output: internal/api/api.gen.go
generate: {std-http-server: true, strict-server: true, models: true}
output-options: {overlay: {path: overlay.yaml}}
`)
	result, err := Generate(withServer(dir))
	if err != nil || len(result.Changed) != 2 {
		t.Fatalf("%+v, %v", result, err)
	}
	code, err := os.ReadFile(filepath.Join(dir, "internal/api/idempotency.gen.go"))
	if err != nil || !strings.Contains(string(code), "AddMoreContract") {
		t.Errorf("no contract of the overlay beside the server: %v", err)
	}
}

func TestServerNotFound(t *testing.T) {
	dir := project(t, "payments", "openapi.yaml", "oapi-codegen.yaml")
	t.Setenv("GOFLAGS", "")
	t.Setenv("PATH", pathOfGo(t))
	if _, err := Generate(withServer(dir)); !errors.Is(err, codegen.ErrNotFound) {
		t.Error(err)
	}
}

// pathOfGo is a PATH with the go command and nothing else of use.
func pathOfGo(t *testing.T) string {
	t.Helper()
	command, err := exec.LookPath("go")
	if err != nil {
		t.Fatal(err)
	}
	return filepath.Dir(command)
}
