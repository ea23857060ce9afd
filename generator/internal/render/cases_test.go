package render_test

import (
	"bytes"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/idemgen/idemgen/generator/internal/contract"
	"github.com/idemgen/idemgen/generator/internal/gomodel"
	"github.com/idemgen/idemgen/generator/internal/render"
	"github.com/idemgen/idemgen/generator/internal/server"
	"github.com/idemgen/idemgen/generator/internal/spec"
)

var update = flag.Bool("update", false, "run oapi-codegen on every case and write the wanted files anew")

const casesDir = "../../../testdata/cases"

// A golden is a folder of testdata/cases: a document, the configuration of
// oapi-codegen, its output, and the wanted file, which stands where users have
// it, so that the folder compiles and is called by another test.
type golden struct {
	name    string
	output  string
	options gomodel.Options
}

// goldenOf is a case whose files are in one folder.
func goldenOf(name string) golden {
	return golden{name: name, output: "idempotency.gen.go", options: gomodel.Options{Source: "openapi.yaml"}}
}

func goldens() []golden {
	var cases []golden
	for _, name := range []string{"allof", "bodies", "chi", "defaults", "forms", "imports", "keys", "media", "naming", "parameters", "payments", "plain", "references", "reload", "types"} {
		cases = append(cases, goldenOf(name))
	}
	for _, name := range []string{"stdhttp", "chi", "gorilla", "echo", "echo5", "gin", "fiber", "fiber3", "iris", "plain", "plainchi", "plaingorilla"} {
		cases = append(cases, golden{name: "../servers/" + name, output: "idempotency.gen.go", options: gomodel.Options{Source: "../openapi.yaml"}})
	}
	return append(cases, golden{
		name:   "ownpackage",
		output: "idempotent/idempotency.gen.go",
		options: gomodel.Options{
			Source:      "../openapi.yaml",
			PackageName: "idempotent",
			ImportPath:  "github.com/idemgen/idemgen/testdata/cases/ownpackage",
		},
	})
}

// document is the case's OpenAPI document, seen from its folder.
func (c golden) document() string { return filepath.Join(filepath.Dir(c.output), c.options.Source) }

func TestCases(t *testing.T) {
	for _, c := range goldens() {
		t.Run(c.name, func(t *testing.T) {
			dir := filepath.Join(casesDir, c.name)
			if *update {
				generateServer(t, dir, c.document())
			}
			got := generate(t, dir, c)
			file := filepath.Join(dir, c.output)
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
			runs := 20
			if c.name == "imports" {
				runs = 2 // each asks the go command
			}
			for range runs {
				if again := generate(t, dir, c); !bytes.Equal(again, got) {
					t.Fatal("two runs give different bytes")
				}
			}
		})
	}
}

// TestNestedModules calls the cases that need a web framework, and runs one suite
// against every server: each is a module of its own, with its own test.
func TestNestedModules(t *testing.T) {
	modules, err := filepath.Glob(filepath.Join(casesDir, "*/go.mod"))
	if err != nil || len(modules) == 0 {
		t.Fatal("no modules", err)
	}
	modules = append(modules, filepath.Join(casesDir, "../servers/go.mod"))
	for _, file := range modules {
		test := exec.CommandContext(t.Context(), "go", "test", "./...")
		test.Dir = filepath.Dir(file)
		if out, err := test.CombinedOutput(); err != nil {
			t.Errorf("%s: %v\n%s", test.Dir, err, out)
		}
	}
}

// TestAddedOperation takes each operation away in turn: what is left keeps its
// lines as they are.
func TestAddedOperation(t *testing.T) {
	for _, c := range goldens() {
		dir := filepath.Join(casesDir, c.name)
		contracts, pkg := load(t, dir, c)
		whole := strings.Split(string(build(t, contracts, pkg, c.options)), "\n")
		for i, left := range contracts {
			if len(contracts) == 1 {
				continue
			}
			rest := slices.Delete(slices.Clone(contracts), i, i+1)
			missing := strings.Split(string(build(t, rest, pkg, c.options)), "\n")
			for _, line := range whole {
				if len(missing) > 0 && missing[0] == line {
					missing = missing[1:]
				}
			}
			if len(missing) > 0 {
				t.Errorf("%s: adding %s changes the line %q", c.name, left.Operation, missing[0])
			}
		}
	}
}

// generate runs the stages on one folder.
func generate(t *testing.T, dir string, c golden) []byte {
	t.Helper()
	contracts, pkg := load(t, dir, c)
	return build(t, contracts, pkg, c.options)
}

func load(t *testing.T, dir string, c golden) ([]contract.Contract, *server.Package) {
	t.Helper()
	document, err := spec.Load(filepath.Join(dir, c.document()))
	if err != nil {
		t.Fatal(err)
	}
	contracts, findings := contract.Read(document)
	for _, f := range findings {
		t.Errorf("%s: %s: %s", f.Range, f.Rule, f.Message)
	}
	pkg, err := server.Read(dir, filepath.Base(c.output))
	if err != nil {
		t.Fatal(err)
	}
	return contracts, pkg
}

func build(t *testing.T, contracts []contract.Contract, pkg *server.Package, options gomodel.Options) []byte {
	t.Helper()
	file, findings := gomodel.Build(contracts, pkg, options)
	for _, f := range findings {
		t.Errorf("%s: %s: %s", f.Range, f.Rule, f.Message)
	}
	if file == nil {
		t.FailNow()
	}
	source, err := render.Server(file)
	if err != nil {
		t.Fatal(err)
	}
	return source
}

// generateServer runs oapi-codegen on a case: for name.oapi-codegen.yaml on
// name.yaml, where other packages belong to it, then on its own document.
func generateServer(t *testing.T, dir, document string) {
	t.Helper()
	others, err := filepath.Glob(filepath.Join(dir, "*.oapi-codegen.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	for _, config := range others {
		config = filepath.Base(config)
		runCodegen(t, dir, config, strings.TrimSuffix(config, ".oapi-codegen.yaml")+".yaml")
	}
	runCodegen(t, dir, "oapi-codegen.yaml", document)
}

func runCodegen(t *testing.T, dir, config, document string) {
	t.Helper()
	tool := exec.Command("go", "tool", "oapi-codegen", "-config", config, document)
	tool.Dir = dir
	tool.Env = append(os.Environ(), "GOFLAGS=-modfile="+rootModule(t))
	if out, err := tool.CombinedOutput(); err != nil {
		t.Fatalf("oapi-codegen: %v\n%s", err, out)
	}
}

// rootModule is the go.mod that has the tool: a case may be a module of its own.
func rootModule(t *testing.T) string {
	t.Helper()
	file, err := filepath.Abs("../../../go.mod")
	if err != nil {
		t.Fatal(err)
	}
	return file
}

func write(t *testing.T, file string, data []byte) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, data, 0o644); err != nil {
		t.Fatal(err)
	}
}
