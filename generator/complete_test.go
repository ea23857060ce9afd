package generator

import (
	"bytes"
	"errors"
	"flag"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/idemgen/idemgen/generator/internal/contract"
	"github.com/idemgen/idemgen/generator/internal/lint"
)

var update = flag.Bool("update", false, "write the wanted files anew")

// golden compares a text with a file, or writes it.
func golden(t *testing.T, file string, got []byte) {
	t.Helper()
	if *update && len(got) > 0 {
		if err := os.WriteFile(file, got, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil && (len(got) > 0 || !errors.Is(err, fs.ErrNotExist)) {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(want), string(got)); d != "" {
		t.Errorf("%s (-want +got):\n%s", file, d)
	}
}

// undeclared lists what lint finds missing in a document.
func undeclared(t *testing.T, file string, overlays ...string) []string {
	t.Helper()
	findings, err := Lint(LintOptions{Specs: []string{file}, Overlays: overlays})
	if err != nil {
		t.Fatal(err)
	}
	var list []string
	for _, d := range findings {
		if slices.Contains([]string{contract.RuleKeyUndeclared, lint.RuleAnswerUndeclared, lint.RuleHeaderUndeclared}, d.Rule) {
			list = append(list, d.Message)
		}
	}
	return list
}

func completed(t *testing.T, opts CompleteOptions) *Completion {
	t.Helper()
	c, err := Complete(opts)
	if err != nil {
		t.Fatal(err)
	}
	if c.Findings.HasErrors() {
		t.Fatal(c.Findings)
	}
	return c
}

// copyFolder copies the files of a case, so that references to its other files
// lead somewhere.
func copyFolder(t *testing.T, from string) string {
	t.Helper()
	to := t.TempDir()
	if err := os.CopyFS(to, os.DirFS(from)); err != nil {
		t.Fatal(err)
	}
	return to
}

func writeFile(t *testing.T, file string, text []byte) {
	t.Helper()
	if err := os.WriteFile(file, text, 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestComplete(t *testing.T) {
	documents, err := filepath.Glob("../testdata/complete/*/openapi.*")
	if err != nil || len(documents) == 0 {
		t.Fatal("no cases", err)
	}
	for _, document := range documents {
		dir := filepath.Dir(document)
		t.Run(filepath.Base(dir), func(t *testing.T) {
			if len(undeclared(t, document)) == 0 {
				t.Error("nothing is missing in this case")
			}
			whole := completed(t, CompleteOptions{Spec: document})
			golden(t, filepath.Join(dir, "want"+filepath.Ext(document)), whole.Text)
			over := completed(t, CompleteOptions{Spec: document, AsOverlay: true})
			golden(t, filepath.Join(dir, "overlay.yaml"), over.Text)
			left := strings.Join(append(whole.Left, over.Left...), "\n")
			golden(t, filepath.Join(dir, "left.txt"), []byte(left))

			folder := copyFolder(t, dir)
			file, overlay := filepath.Join(folder, filepath.Base(document)), filepath.Join(folder, "overlay.yaml")
			writeFile(t, overlay, over.Text)
			if missing := undeclared(t, file, overlay); len(missing) > 0 && len(over.Left) == 0 {
				t.Errorf("with the overlay: %q", missing)
			}
			writeFile(t, file, whole.Text)
			if missing := undeclared(t, file); len(missing) > 0 && len(whole.Left) == 0 {
				t.Errorf("in the completed document: %q", missing)
			}
			if again := completed(t, CompleteOptions{Spec: file}); !bytes.Equal(again.Text, whole.Text) {
				t.Errorf("a second run changes something:\n%s", cmp.Diff(string(whole.Text), string(again.Text)))
			}
		})
	}
}

// Line ends, a byte order mark and a missing last line end stay as they are.
func TestCompleteKeepsBytes(t *testing.T) {
	const dir = "../testdata/complete/payments/"
	text, err := os.ReadFile(dir + "openapi.yaml")
	if err != nil {
		t.Fatal(err)
	}
	want := completed(t, CompleteOptions{Spec: dir + "openapi.yaml"}).Text
	crlf := func(text []byte) []byte { return bytes.ReplaceAll(text, []byte("\n"), []byte("\r\n")) }
	for name, change := range map[string]func([]byte) []byte{
		"windows":          crlf,
		"byte order mark":  func(text []byte) []byte { return append([]byte("\uFEFF"), text...) },
		"no last line end": func(text []byte) []byte { return bytes.TrimSuffix(text, []byte("\n# the end\n")) },
		"document marks":   func(text []byte) []byte { return slices.Concat([]byte("---\n"), text, []byte("...\n")) },
	} {
		file := filepath.Join(t.TempDir(), "openapi.yaml")
		writeFile(t, file, change(text))
		got := completed(t, CompleteOptions{Spec: file, Output: file}).Text
		if d := cmp.Diff(string(change(want)), string(got)); d != "" {
			t.Errorf("%s: %s", name, d)
		}
		written, err := os.ReadFile(file)
		if err != nil || !bytes.Equal(written, got) {
			t.Errorf("%s: the file has something else: %v", name, err)
		}
	}
}

// A contract that is wrong is not completed.
func TestCompleteRefusesMistakes(t *testing.T) {
	dir := t.TempDir()
	file, out := filepath.Join(dir, "openapi.yaml"), filepath.Join(dir, "out.yaml")
	writeFile(t, file, []byte("openapi: 3.0.3\ninfo: {title: T, version: '1'}\npaths: {/a: {post: {x-idempotency: {inFlight: block}, responses: {'204': {description: d}}}}}\n"))
	c, err := Complete(CompleteOptions{Spec: file, Output: out})
	if err != nil {
		t.Fatal(err)
	}
	if !c.Findings.HasErrors() || len(c.Text) > 0 {
		t.Errorf("findings %v, text %q", c.Findings, c.Text)
	}
	if _, err := os.Stat(out); err == nil {
		t.Error("something was written")
	}
}

// oapi-codegen generates the same code from the completed document and from the
// original with the overlay, the wrapper fits it, and all of it compiles.
func TestCompleteForOapiCodegen(t *testing.T) {
	const document = "../testdata/complete/payments/openapi.yaml"
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	text, err := os.ReadFile(document)
	if err != nil {
		t.Fatal(err)
	}
	writeFile(t, at("openapi.yaml"), text)
	completed(t, CompleteOptions{Spec: document, Output: at("completed.yaml")})
	completed(t, CompleteOptions{Spec: document, Output: at("overlay.yaml"), AsOverlay: true})
	const config = "package: api\ngenerate: {std-http-server: true, strict-server: true, models: true, client: true}\n"
	writeFile(t, at("plain-config.yaml"), []byte(config+"output: "+at("plain.go")+"\n"))
	writeFile(t, at("overlay-config.yaml"), []byte(config+"output: "+at("overlaid.go")+"\noutput-options: {overlay: {path: "+at("overlay.yaml")+"}}\n"))
	run(t, "tool", "oapi-codegen", "-config", at("plain-config.yaml"), at("completed.yaml"))
	run(t, "tool", "oapi-codegen", "-config", at("overlay-config.yaml"), at("openapi.yaml"))

	plain, err := os.ReadFile(at("plain.go"))
	if err != nil {
		t.Fatal(err)
	}
	overlaid, err := os.ReadFile(at("overlaid.go"))
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(plain), string(overlaid)); d != "" {
		t.Errorf("from the completed document and with the overlay:\n%s", d)
	}
	if err := os.Remove(at("overlaid.go")); err != nil {
		t.Fatal(err)
	}
	var generated [2][]byte
	for i, opts := range []Options{
		{Spec: at("completed.yaml"), Output: at("idempotency.gen.go")},
		{Spec: at("openapi.yaml"), Overlays: []string{at("overlay.yaml")}, Output: at("idempotency.gen.go")},
	} {
		result, err := Generate(opts)
		if err != nil {
			t.Fatal(err)
		}
		if result.Findings.HasErrors() {
			t.Fatal(result.Findings)
		}
		if generated[i], err = os.ReadFile(at("idempotency.gen.go")); err != nil {
			t.Fatal(err)
		}
	}
	if d := cmp.Diff(string(generated[0]), strings.Replace(string(generated[1]), "openapi.yaml", "completed.yaml", 1)); d != "" {
		t.Errorf("wrappers:\n%s", d)
	}
	run(t, "build", "-o", os.DevNull, at("plain.go"), at("idempotency.gen.go"))
}

func run(t *testing.T, args ...string) {
	t.Helper()
	if out, err := exec.Command("go", args...).CombinedOutput(); err != nil {
		t.Fatalf("go %s: %v\n%s", strings.Join(args, " "), err, out)
	}
}
