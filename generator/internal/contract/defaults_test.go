package contract

import (
	"fmt"
	"strings"
	"testing"
)

// outline writes defaults as name=value, with what is inside in braces.
func outline(d *Defaults) string {
	if d == nil {
		return ""
	}
	var parts []string
	for _, m := range d.Members {
		part := m.Name
		if m.Defaults.Default != nil {
			part += "=" + string(m.Defaults.Default)
		}
		if inner := outline(&Defaults{Members: m.Defaults.Members, Elements: m.Defaults.Elements}); inner != "" {
			part += "{" + inner + "}"
		}
		parts = append(parts, part)
	}
	if d.Elements != nil {
		parts = append(parts, "[]{"+outline(d.Elements)+"}")
	}
	return strings.Join(parts, " ")
}

const treeSchemas = `
components:
  schemas:
    Tree: {type: object, properties: {leaf: {default: true}, left: {$ref: "#/components/schemas/Tree"}, other: {$ref: "#/components/schemas/Other"}}}
    Other: {type: object, properties: {tree: {$ref: "#/components/schemas/Tree"}, n: {default: 1}}}
    Plain: {type: object, properties: {next: {$ref: "#/components/schemas/Plain"}, a: {type: string}}}
`

func TestDefaultsInside(t *testing.T) {
	for _, test := range []struct{ schema, want string }{
		{`{type: string, default: x}`, ""},
		{`{type: object, properties: {a: {type: string}}}`, ""},
		{`{type: object, properties: {a: {default: 1}, b: {type: object, properties: {c: {default: "x"}}}}}`, `a=1 b{c="x"}`},
		{`{type: array, items: {type: object, properties: {a: {default: 1}}}}`, `[]{a=1}`},
		{`{type: array, items: {type: string, default: x}}`, ""}, // an element that is not there is none
		{`{type: object, additionalProperties: {type: object, properties: {a: {default: 1}}}}`, `[]{a=1}`},
		{`{allOf: [{properties: {a: {default: 1}}}, {properties: {b: {default: 2}}}]}`, `a=1 b=2`},
		{`{type: object, properties: {o: {type: object, default: {}, properties: {a: {default: null}}}}}`, `o={}{a=null}`},
		{`{$ref: "#/components/schemas/Plain"}`, ""},
		{`{$ref: "#/components/schemas/Tree"}`, `leaf=true other{n=1}`},
	} {
		body := `{application/json: {schema: {type: object, properties: {f: ` + test.schema + `}}}}`
		c := readGood(t, withBody("{fingerprint: [f]}", body)+treeSchemas)[0]
		if got := outline(c.Fingerprint[0].Inside); got != test.want {
			t.Errorf("%s: %s, want %s", test.schema, got, test.want)
		}
	}
}

// What an operation has does not depend on those before it.
func TestDefaultsOfOneOperation(t *testing.T) {
	operation := func(path, schema string) string {
		return `
  ` + path + `:
    post:
      x-idempotency: {fingerprint: [f]}
      parameters:` + keyParameter + `
      requestBody: {content: {application/json: {schema: {type: object, properties: {f: {$ref: "#/components/schemas/` + schema + `"}}}}}}
      responses: {"201": {description: created}}`
	}
	alone := readGood(t, "paths:"+operation("/a", "Other")+treeSchemas)[0]
	third := readGood(t, "paths:"+operation("/b", "Plain")+operation("/c", "Tree")+operation("/a", "Other")+treeSchemas)[2]
	if a, b := outline(alone.Fingerprint[0].Inside), outline(third.Fingerprint[0].Inside); a != b || a == "" {
		t.Errorf("%s alone, %s after others", a, b)
	}
}

// Schemas that all contain each other come to an end.
func TestDefaultsOfManyCircles(t *testing.T) {
	var schemas strings.Builder
	for i := range 12 {
		fmt.Fprintf(&schemas, "    S%d: {type: object, properties: {d: {default: 1}", i)
		for j := range 12 {
			fmt.Fprintf(&schemas, ", s%d: {$ref: '#/components/schemas/S%d'}", j, j)
		}
		schemas.WriteString("}}\n")
	}
	body := `{application/json: {schema: {type: object, properties: {f: {$ref: "#/components/schemas/S0"}}}}}`
	c := readGood(t, withBody("{fingerprint: [f]}", body)+"\ncomponents:\n  schemas:\n"+schemas.String())[0]
	if got := len(outline(c.Fingerprint[0].Inside)); got == 0 || got > 100_000 {
		t.Errorf("%d bytes of defaults", got)
	}
}
