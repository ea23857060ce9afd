package spec

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/idemgen/idemgen/generator/diag"
)

// load writes files into a folder and loads openapi.yaml there.
func load(t *testing.T, files map[string]string) (*Document, string) {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	document, err := Load(filepath.Join(dir, "openapi.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	return document, filepath.ToSlash(dir)
}

func loadText(t *testing.T, text string) *Document {
	t.Helper()
	document, _ := load(t, map[string]string{"openapi.yaml": "openapi: 3.0.3\n" + text})
	return document
}

func TestOperationsInOrder(t *testing.T) {
	document := loadText(t, `
paths:
  /b: {post: {operationId: one}, get: {}}
  x-note: nothing
  /a: {description: none, delete: {}, query: {}}
`)
	var got []string
	for _, op := range document.Operations {
		got = append(got, op.Method+" "+op.Path+" "+op.Name())
	}
	want := []string{"POST /b one", "GET /b GET /b", "DELETE /a DELETE /a", "QUERY /a QUERY /a"}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

func TestPathItemInAnotherFile(t *testing.T) {
	document, dir := load(t, map[string]string{
		"openapi.yaml": `openapi: 3.1.0
paths:
  /a:
    $ref: "sub/a.yaml#/items/a~1b"
    parameters: [{name: own, in: query}]
`,
		"sub/a.yaml": `items:
  a/b:
    parameters: [{name: shared, in: query}, {name: own, in: query, required: true}]
    post:
      x-idempotency: {ttl: 1h}
      parameters: [{$ref: "../parameters.json#/tenant"}]
`,
		"parameters.json": `{"tenant": {"name": "X-Tenant", "in": "header"}}`,
	})
	if len(document.Operations) != 1 || len(document.Problems) != 0 {
		t.Fatalf("operations %v, problems %v", document.Operations, document.Problems)
	}
	op := document.Operations[0]
	want := diag.Range{File: dir + "/sub/a.yaml", Start: diag.Position{Line: 5, Column: 28}, End: diag.Position{Line: 5, Column: 30}}
	if d := cmp.Diff(want, op.Contract.Value.Entries[0].Value.Range); d != "" {
		t.Error(d)
	}
	parameters, problems := op.Parameters()
	var names []string
	for _, p := range parameters {
		names = append(names, p.Name)
		if p.Name == "own" && p.Required {
			t.Error("the path item's own parameter does not replace that of the file")
		}
	}
	if d := cmp.Diff([]string{"shared", "own", "X-Tenant"}, names); d != "" || len(problems) > 0 {
		t.Error(d, problems)
	}
	if got, want := parameters[2].Range.File, dir+"/parameters.json"; got != want {
		t.Errorf("the parameter is in %s, want %s", got, want)
	}
}

func TestMergeKeys(t *testing.T) {
	document := loadText(t, `
x-a: &a {ttl: 1h, lease: 1s}
x-b: &b {ttl: 2h, maxRun: 2m}
x-self: &self {<<: *self, ttl: 1h}
paths:
  /a: {post: {x-idempotency: {<<: [*a, *b], lease: 5s}}}
  /b: {post: {x-idempotency: *self}}
`)
	var got []string
	for _, e := range document.Operations[0].Contract.Value.Entries {
		got = append(got, e.Name+" "+e.Value.Text)
	}
	if d := cmp.Diff([]string{"ttl 1h", "maxRun 2m", "lease 5s"}, got); d != "" {
		t.Error(d)
	}
}

// Anchors that contain themselves end somewhere.
func TestCircles(t *testing.T) {
	document := loadText(t, `
x-list: &list [*list, *list]
x-map: &map {a: *map}
paths:
  /a: {post: {x-idempotency: *map, requestBody: {content: {application/json: {schema: {$ref: "#/components/schemas/A"}}}}}}
components:
  schemas:
    A: {allOf: [{$ref: "#/components/schemas/B"}], default: *map}
    B: {oneOf: [{$ref: "#/components/schemas/A"}]}
`)
	body, problem := document.Operations[0].Body()
	if problem != nil {
		t.Fatal(problem)
	}
	if _, problem := body.Content[0].Schema(); problem == nil || problem.Rule != RuleBrokenReference {
		t.Errorf("the circle gives %v", problem)
	}
}

func TestSecured(t *testing.T) {
	for text, want := range map[string]bool{
		"paths: {/a: {post: {}}}":                                                                  false,
		"security: [{b: []}]\npaths: {/a: {post: {}}}":                                             true,
		"security: [{b: []}]\npaths: {/a: {post: {security: []}}}":                                 false,
		"paths: {/a: {post: {security: [{b: []}]}}}":                                               true,
		"security: []\npaths: {/a: {post: {security: [{}, {b: []}]}}}":                             true,
		"security: [{}]\npaths: {/a: {post: {}}}":                                                  false,
		"security: [{b: []}]\npaths: {/a: {post: {security: [{}]}}}":                               false,
		"x-s: &s [{b: []}]\nsecurity: *s\npaths: {/a: {post: {x-other: 1}}}":                       true,
		"security: [{b: []}]\nx-none: &n {security: []}\npaths: {/a: {post: {<<: *n, tags: [a]}}}": false,
	} {
		document := loadText(t, text)
		if got := document.Operations[0].Secured(); got != want {
			t.Errorf("%s: secured is %v", text, got)
		}
	}
}

func TestLoadRefuses(t *testing.T) {
	for text, want := range map[string]string{
		"":                      "empty",
		"[]":                    "not a mapping",
		"a: 1":                  "no openapi member",
		"swagger: '2.0'":        "convert the document",
		"openapi: 4.0.0":        "not supported",
		"openapi: 3.0.3\na: [b": "line",
	} {
		file := filepath.Join(t.TempDir(), "openapi.yaml")
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := Load(file); err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "openapi.yaml") {
			t.Errorf("%q: error %v, want one with %q", text, err, want)
		}
	}
}

// Byte order mark and Windows line ends change no place.
func TestLineEnds(t *testing.T) {
	const text = "openapi: 3.0.3\npaths:\n  /a:\n    post:\n      x-idempotency: {ttl: 'ü', lease: 1s}\n"
	plain, _ := load(t, map[string]string{"openapi.yaml": text})
	windows, _ := load(t, map[string]string{"openapi.yaml": "\uFEFF" + strings.ReplaceAll(text, "\n", "\r\n")})
	for i, e := range plain.Operations[0].Contract.Value.Entries {
		other := windows.Operations[0].Contract.Value.Entries[i]
		if e.Range.Start != other.Range.Start || e.Value.Range.End != other.Value.Range.End {
			t.Errorf("%s: %v and %v", e.Name, e, other)
		}
	}
}
