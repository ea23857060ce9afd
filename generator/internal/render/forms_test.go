package render_test

import (
	"bytes"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"gopkg.in/yaml.v3"

	"github.com/idemgen/idemgen/generator/internal/contract"
	"github.com/idemgen/idemgen/generator/internal/server"
	"github.com/idemgen/idemgen/generator/internal/spec"
)

// One API written in many forms gives one and the same code.
func TestForms(t *testing.T) {
	dir := filepath.Join(casesDir, "forms")
	pkg, err := server.Read(dir, "idempotency.gen.go")
	if err != nil {
		t.Fatal(err)
	}
	want, err := os.ReadFile(filepath.Join(dir, "idempotency.gen.go"))
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(dir, "openapi.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	in := func(name string) []string { return []string{filepath.Join(dir, name)} }
	for name, files := range map[string][]string{
		"JSON":             in("openapi.json"),
		"JSON in one line": in("minified.json"),
		"OpenAPI 3.1":      in("openapi31.yaml"),
		"anchors":          in("anchors.yaml"),
		"several files":    in("split.yaml"),
		"overlay":          {filepath.Join(dir, "base.yaml"), filepath.Join(dir, "overlay.yaml")},
		"Windows":          {rewritten(t, bytes.ReplaceAll(text, []byte("\n"), []byte("\r\n")))},
		"byte order mark":  {rewritten(t, append([]byte("\uFEFF"), text...))},
		"no end of line":   {rewritten(t, bytes.TrimSpace(text))},
		"a comment":        {rewritten(t, []byte(strings.Replace(string(text), "        fingerprint:", "        # comment\n        fingerprint:", 1)))},
	} {
		t.Run(name, func(t *testing.T) {
			document, err := spec.Load(files[0], files[1:]...)
			if err != nil {
				t.Fatal(err)
			}
			contracts, findings := contract.Read(document)
			for _, f := range findings {
				t.Errorf("%s: %s", f.Range, f.Message)
			}
			got := build(t, contracts, pkg, goldenOf("forms").options)
			if d := cmp.Diff(string(want), string(got)); d != "" {
				t.Error(d)
			}
		})
	}
}

// A document whose members stand in another order gives the same code, where
// their order means nothing: of paths, methods, parameters and properties it is
// the order of the code.
func TestShuffledMembers(t *testing.T) {
	dir := filepath.Join(casesDir, "forms")
	pkg, err := server.Read(dir, "idempotency.gen.go")
	if err != nil {
		t.Fatal(err)
	}
	want, err := os.ReadFile(filepath.Join(dir, "idempotency.gen.go"))
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(dir, "openapi.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	for seed := range uint64(20) {
		var root yaml.Node
		if err := yaml.Unmarshal(text, &root); err != nil {
			t.Fatal(err)
		}
		shuffle(rand.New(rand.NewPCG(seed, 0)), &root, "")
		shuffled, err := yaml.Marshal(&root)
		if err != nil {
			t.Fatal(err)
		}
		document, err := spec.Load(rewritten(t, shuffled))
		if err != nil {
			t.Fatal(err)
		}
		contracts, findings := contract.Read(document)
		if got := build(t, contracts, pkg, goldenOf("forms").options); len(findings) > 0 || !bytes.Equal(got, want) {
			t.Fatalf("%v\n%s\n%s", findings, shuffled, cmp.Diff(string(want), string(got)))
		}
	}
}

func shuffle(random *rand.Rand, n *yaml.Node, name string) {
	for i, child := range n.Content {
		inner := name
		if n.Kind == yaml.MappingNode && i%2 == 1 {
			inner = n.Content[i-1].Value
		}
		shuffle(random, child, inner)
	}
	ordered := name == "properties" || strings.HasPrefix(name, "/")
	if n.Kind != yaml.MappingNode || ordered {
		return
	}
	random.Shuffle(len(n.Content)/2, func(i, j int) {
		n.Content[2*i], n.Content[2*j] = n.Content[2*j], n.Content[2*i]
		n.Content[2*i+1], n.Content[2*j+1] = n.Content[2*j+1], n.Content[2*i+1]
	})
}

// rewritten is a file with the given text.
func rewritten(t *testing.T, text []byte) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "openapi.yaml")
	if err := os.WriteFile(file, text, 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}
