package generator

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"gopkg.in/yaml.v3"

	"github.com/idemgen/idemgen/generator/diag"
	"github.com/idemgen/idemgen/generator/internal/contract"
	"github.com/idemgen/idemgen/generator/internal/spec"
	"github.com/idemgen/idemgen/generator/schema"
)

func compileSchema(t *testing.T, text []byte) *jsonschema.Schema {
	t.Helper()
	value, err := jsonschema.UnmarshalJSON(strings.NewReader(string(text)))
	if err != nil {
		t.Fatal(err)
	}
	compiler := jsonschema.NewCompiler()
	if err := compiler.AddResource("schema.json", value); err != nil {
		t.Fatal(err)
	}
	compiled, err := compiler.Compile("schema.json")
	if err != nil {
		t.Fatal(err)
	}
	return compiled
}

// documentsIn lists the OpenAPI documents below folders.
func documentsIn(t *testing.T, folders ...string) []string {
	t.Helper()
	var list []string
	for _, folder := range folders {
		err := filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
			if err == nil && entry.Name() == "node_modules" {
				return fs.SkipDir
			}
			if name := entry.Name(); err == nil && slices.Contains([]string{"openapi.yaml", "openapi.json", "base.yaml", "revision.yaml"}, name) {
				list = append(list, path)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if len(list) < 20 {
		t.Fatalf("only %d documents: the test looks in the wrong place", len(list))
	}
	return list
}

// jsonValue turns what YAML decodes to into what JSON would.
func jsonValue(value any) any {
	switch v := value.(type) {
	case map[string]any:
		for name, member := range v {
			v[name] = jsonValue(member)
		}
	case map[any]any:
		members := map[string]any{}
		for name, member := range v {
			members[fmt.Sprint(name)] = jsonValue(member)
		}
		return members
	case []any:
		for i, item := range v {
			v[i] = jsonValue(item)
		}
	case int:
		return json.Number(fmt.Sprint(v))
	}
	return value
}

// Rules that the schema of the extension knows too. What else is wrong with a
// contract shows only beside the operation's own schemas, or by comparing
// fields.
var schemaRules = []string{
	contract.RuleNotAMapping, contract.RuleUnknownField, contract.RuleExempt, contract.RuleBadDuration, contract.RuleBadExpression,
	contract.RuleBadValue, contract.RuleSafeMethod,
}

// The schema and the reader agree on every document of the project.
func TestExtensionSchemaAgrees(t *testing.T) {
	compiled := compileSchema(t, schema.Extension())
	seen := map[string]bool{}
	for _, file := range documentsIn(t, "../testdata", "../examples") {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var value any
		document, err := spec.Load(file)
		if err != nil || yaml.Unmarshal(text, &value) != nil {
			continue // no OpenAPI document, or one with a member twice
		}
		_, findings := contract.Read(document)
		refused := compiled.Validate(jsonValue(value))
		var known []string
		for _, d := range findings {
			if slices.Contains(schemaRules, d.Rule) {
				known = append(known, d.Rule)
				seen[d.Rule] = true
			}
		}
		switch {
		case refused != nil && !findings.HasErrors():
			t.Errorf("%s: the schema refuses what the reader takes: %v", file, refused)
		case refused == nil && len(known) > 0:
			t.Errorf("%s: the schema takes what the reader refuses: %v", file, known)
		}
	}
	for _, rule := range schemaRules {
		if !seen[rule] {
			t.Errorf("no document breaks %s", rule)
		}
	}
}

// The schema and the reader agree on every field with every kind of value.
func TestFieldSchemasAgree(t *testing.T) {
	compiled := compileSchema(t, schema.Extension())
	values := []string{
		"true", "false", "null", "~", "0", "1", "-1", "1.5", "200", "700", "1048576", `""`, `"true"`, "{}", "{a: b}", "[]", "[201]", "[2XX, default]",
		"[2xx]", "['404', 5XX]", "[99]", "[600]", "[[]]", "any", "uuid", "UUID", "guid", "'[a-z]{3}'", "'a b'", "none", "principal", "[principal, none]", "[principal, amount]",
		"[none]", "request", "[request]", "[amount]", "amount", "wait", "reject", "run", "block", "Wait", "rerun", "hold", "finish", "cancel", "stored",
		"24h", "1h30m", "1.5h", "90s", "7d", "1.5d", "PT24H", "P7D", "P1W2DT3H4M5,5S", "P", "PT", "P1M", "P1Y", "3 days", "24", "10", "h", "24H", "1h 30m", "µs", "500ms",
		"$request.header.X-Key", "$request.body", "$request.body#/a~1b", "$request.body#a", "'$request.body#/a~2'", "$request.body.a", "$request.cookie.a",
		"$response.body", "$request.header.", "$request.path", "request.body#/a", "'{$request.body}'", "'{a}'", "requests", "[$request.query.a, 1]",
	}
	names := []string{
		"exempt", "key", "required", "keyFormat", "scope", "fingerprint", "ttl", "inFlight", "waitTimeout", "lease", "maxRun", "remember",
		"onStoreError", "onCrash", "onDisconnect", "replay", "maxResponseBytes", "mode",
	}
	file := filepath.Join(t.TempDir(), "openapi.yaml")
	for _, name := range names {
		for _, value := range values {
			text := fmt.Sprintf("openapi: 3.0.3\ninfo: {title: T, version: '1'}\npaths: {/a: {post: {x-idempotency: {%s: %s}, responses: {'204': {description: d}}}}}\n", name, value)
			if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			document, err := spec.Load(file)
			if err != nil {
				t.Fatal(err)
			}
			var decoded any
			if err := yaml.Unmarshal([]byte(text), &decoded); err != nil {
				t.Fatal(err)
			}
			_, findings := contract.Read(document)
			refused := compiled.Validate(jsonValue(decoded)) != nil
			byReader := slices.ContainsFunc(findings, func(d diag.Diagnostic) bool { return slices.Contains(schemaRules, d.Rule) })
			bounds := slices.ContainsFunc(findings, func(d diag.Diagnostic) bool {
				return d.Rule == contract.RuleOutOfRange || d.Rule == contract.RuleRepeated
			})
			if refused != byReader && !bounds {
				t.Errorf("%s: %s: the schema refuses it: %t, the reader: %t %v", name, value, refused, byReader, findings)
			}
		}
	}
}
