package generator

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/mod/modfile"

	"github.com/idemgen/idemgen/generator/internal/spec"
)

// A realDocument is a public API description that oapi-codegen generates from,
// whole or reduced to the operations with a key.
type realDocument struct {
	file    string
	reduced bool
	// key is the header that holds the key. Where the document declares none,
	// an overlay adds it to these operations.
	key   string
	added []string // operationIds
	// field is the body's field that holds the key instead.
	field string
}

func buildableDocuments() []realDocument {
	return []realDocument{
		{file: "adyen/CheckoutService-v71.yaml", key: "Idempotency-Key"},
		{file: "adyen/TransferService-v4.yaml", key: "Idempotency-Key"},
		{file: "paypal/payments_payment_v1.json", key: "PayPal-Request-Id", reduced: true},
		{file: "svix/openapi.json", key: "idempotency-key", reduced: true},
		{file: "workos/open-api-spec.yaml", key: "idempotency-key", reduced: true},
		{file: "twilio/twilio_verify_v2.yaml", key: "Idempotency-Key", added: []string{"CreateService", "CreateVerification", "CreateVerificationCheck"}},
	}
}

// realSpecs is the folder of public API descriptions, with one of their
// publisher's name in it for each publisher. They are large, and not ours to
// pass on: whoever has them sets IDEMGEN_SPECS.
func realSpecs(t *testing.T) string {
	t.Helper()
	name := os.Getenv("IDEMGEN_SPECS")
	if name == "" {
		t.Skip("IDEMGEN_SPECS names no folder of public API descriptions")
	}
	folder, err := filepath.Abs(name)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(folder); err != nil {
		t.Fatal(err)
	}
	return folder
}

// TestRealDocuments gives a contract to every operation that has a key, as its
// maintainers might, generates the server in one step, builds it, and calls
// three operations twice.
func TestRealDocuments(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles large packages")
	}
	folder := realSpecs(t)
	for _, d := range buildableDocuments() {
		t.Run(filepath.ToSlash(filepath.Dir(d.file))+"/"+strings.TrimSuffix(filepath.Base(d.file), filepath.Ext(d.file)), func(t *testing.T) {
			dir := realModule(t)
			document := filepath.Join(folder, filepath.FromSlash(d.file))
			operations := d.operations(t, document)
			writeText(t, filepath.Join(dir, "contracts.yaml"), d.overlay(operations))
			writeText(t, filepath.Join(dir, "oapi-codegen.yaml"), d.config(operations))
			opts := Options{Spec: document, Server: filepath.Join(dir, "oapi-codegen.yaml"), Folder: dir}
			if d.added == nil {
				opts.Overlays = []string{filepath.Join(dir, "contracts.yaml")}
			} // else oapi-codegen needs it, too, and names it in its configuration
			result, err := Generate(opts)
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range result.Findings {
				t.Errorf("%s: %s: %s", f.Range, f.Rule, f.Message)
			}
			if len(result.Changed) != 2 {
				t.Fatalf("written: %v", result.Changed)
			}
			called := d.writeReplayTest(t, dir, operations)
			test := exec.CommandContext(t.Context(), "go", "test", "-vet=off", "./...")
			test.Dir = dir
			if out, err := test.CombinedOutput(); err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			t.Logf("%d contracts; replayed: %s", len(operations), strings.Join(called, ", "))
		})
	}
}

// TestRealDocumentsOfOthers has documents that oapi-codegen itself cannot
// generate from: contracts are read all the same, and the failure is named as
// oapi-codegen's own.
func TestRealDocumentsOfOthers(t *testing.T) {
	if testing.Short() {
		t.Skip("runs oapi-codegen on large documents")
	}
	folder := realSpecs(t)
	for _, d := range []realDocument{
		{file: "formance/openapi.yaml", key: "Idempotency-Key"},
		{file: "modern-treasury/mt_openapi_spec_v1.yaml", key: "Idempotency-Key"},
		{file: "paypal/checkout_orders_v2.json", key: "PayPal-Request-Id"},
		{file: "square/api.json", field: "idempotency_key"},
	} {
		t.Run(filepath.ToSlash(filepath.Dir(d.file)), func(t *testing.T) {
			dir := realModule(t)
			document := filepath.Join(folder, filepath.FromSlash(d.file))
			operations := d.operations(t, document)
			overlay, config := filepath.Join(dir, "contracts.yaml"), filepath.Join(dir, "oapi-codegen.yaml")
			writeText(t, overlay, d.overlay(operations))
			writeText(t, config, d.config(operations))
			opts := Options{Spec: document, Overlays: []string{overlay}, Server: config, Folder: dir}
			_, err := Generate(opts)
			if err == nil {
				wantServerBroken(t, dir)
			} else if !strings.Contains(err.Error(), "oapi-codegen cannot generate the server: ") {
				t.Errorf("with %d contracts: %.300v", len(operations), err)
			}
			mistake := strings.Replace(d.overlay(operations), "x-idempotency: true", "x-idempotency: {fingerprint: [no_such_field]}", 1)
			writeText(t, overlay, mistake)
			result, err := Generate(opts)
			if err != nil || len(result.Findings) != 1 || result.Findings[0].Rule != "unknown-name" || result.Findings[0].Range.File != filepath.ToSlash(overlay) {
				t.Fatalf("a mistake: %v, %v", result, err)
			}
			at := result.Findings[0].Range
			if line := strings.Split(mistake, "\n")[at.Start.Line-1]; line[at.Start.Column-1:at.End.Column-1] != "no_such_field" {
				t.Errorf("the mistake is at %s, %q", at, line)
			}
		})
	}
}

// wantServerBroken checks that a generated package does not compile, and that it
// is oapi-codegen's file that does not.
func wantServerBroken(t *testing.T, dir string) {
	t.Helper()
	build := exec.CommandContext(t.Context(), "go", "build", "./api")
	build.Dir = dir
	out, err := build.CombinedOutput()
	if err == nil || !bytes.Contains(out, []byte("api.gen.go:")) || bytes.Contains(out, []byte("idempotency.gen.go:")) {
		t.Errorf("%v\n%.1000s", err, out)
	}
}

// realModule is the folder of a module with the libraries of this one.
func realModule(t *testing.T) string {
	t.Helper()
	root, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	module, err := modfile.Parse("go.mod", text, nil)
	if err != nil {
		t.Fatal(err)
	}
	module.AddModuleStmt("example.com/real")
	module.DropTool("github.com/idemgen/idemgen/cmd/idemgen")
	module.AddRequire("github.com/idemgen/idemgen", "v0.0.0")
	module.AddReplace("github.com/idemgen/idemgen", "", root, "")
	text, err = module.Format()
	if err != nil {
		t.Fatal(err)
	}
	sums, err := os.ReadFile(filepath.Join(root, "go.sum"))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	writeFile(t, filepath.Join(dir, "go.mod"), text)
	writeFile(t, filepath.Join(dir, "go.sum"), sums)
	t.Setenv("GOFLAGS", "-mod=mod")
	return dir
}

// operations are those with a key, or those that are to get one.
func (d realDocument) operations(t *testing.T, file string) []*spec.Operation {
	t.Helper()
	document, err := spec.Load(file)
	if err != nil {
		t.Fatal(err)
	}
	var found []*spec.Operation
	for i := range document.Operations {
		op := &document.Operations[i]
		parameters, _ := op.Parameters()
		hasKey := slices.ContainsFunc(parameters, func(p spec.Parameter) bool {
			return p.In == "header" && strings.EqualFold(p.Name, d.key)
		})
		if body, problem := op.Body(); d.field != "" && body != nil && problem == nil {
			schema, problem := body.Content[0].Schema()
			if problem != nil {
				continue
			}
			property, ok := schema.Property(d.field)
			hasKey = ok && property.Required
		}
		if !op.Safe() && (hasKey || slices.Contains(d.added, op.ID)) {
			found = append(found, op)
		}
	}
	if len(found) == 0 {
		t.Fatal("no operations")
	}
	return found
}

// overlay adds the contracts.
func (d realDocument) overlay(operations []*spec.Operation) string {
	var b strings.Builder
	key := "$request.header." + d.key
	if d.field != "" {
		key = "$request.body#/" + d.field
	}
	b.WriteString("overlay: 1.0.0\ninfo: {title: Contracts, version: '1'}\nactions:\n" +
		"  - {target: $, update: {x-idempotency-defaults: {scope: principal, key: " + key + "}}}\n")
	for _, op := range operations {
		fmt.Fprintf(&b, "  - target: $.paths['%s'].%s\n    update:\n      x-idempotency: true\n", op.Path, strings.ToLower(op.Method))
		if d.added != nil {
			fmt.Fprintf(&b, "      parameters: [{name: %s, in: header, required: true, schema: {type: string}}]\n", d.key)
		}
	}
	return b.String()
}

// config is that of oapi-codegen.
func (d realDocument) config(operations []*spec.Operation) string {
	config := `package: api
output: api/api.gen.go
generate: {std-http-server: true, strict-server: true, models: true}
compatibility: {always-prefix-enum-values: true}
output-options:
  resolve-type-name-collisions: true
`
	if d.added != nil {
		config += "  overlay: {path: contracts.yaml}\n"
	}
	if d.reduced {
		config += "  include-operation-ids:\n"
		for _, op := range operations {
			config += "    - " + op.ID + "\n"
		}
	}
	return config
}
