package spec

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// describe writes a schema in one line: type format? null? closed? default, and
// its properties with a star at the required ones.
func describe(s *Schema) string {
	parts := []string{s.Type}
	if s.Format != "" {
		parts = append(parts, s.Format)
	}
	if s.Nullable {
		parts = append(parts, "null")
	}
	if s.Closed {
		parts = append(parts, "closed")
	}
	if s.Default != nil {
		parts = append(parts, "="+string(s.Default))
	}
	for _, p := range s.Properties {
		name := p.Name
		if p.Required {
			name += "*"
		}
		parts = append(parts, name)
	}
	return strings.Join(parts, " ")
}

func TestSchema(t *testing.T) {
	tests := map[string][2]string{ // for each schema: what 3.0 and what 3.1 makes of it
		`{type: string, format: uuid}`:   {"string uuid closed"},
		`{type: string, nullable: true}`: {"string null closed"},
		`{type: [string, "null"]}`:       {"string null closed"},
		`{type: [string, integer]}`:      {" closed"},
		`{}`:                             {" closed"},
		`true`:                           {" closed"},
		`{properties: {b: {}, a: {}}, required: [a]}`:                                                                   {"object closed b a*"},
		`{type: [string, object], properties: {a: {}}}`:                                                                 {" closed a"},
		`{type: object, additionalProperties: {}}`:                                                                      {"object"},
		`{type: object, additionalProperties: true}`:                                                                    {"object"},
		`{type: object, additionalProperties: false}`:                                                                   {"object closed"},
		`{allOf: [{type: object, properties: {a: {}}}, {required: [a, b], properties: {b: {}}}]}`:                       {"object closed a* b*"},
		`{$ref: "#/components/schemas/Base"}`:                                                                           {"object closed a*"},
		`{$ref: "#/components/schemas/Base", required: [b], properties: {b: {}}}`:                                       {"object closed a*", "object closed b* a*"},
		`{oneOf: [{properties: {a: {}, b: {}}, required: [a, b]}, {properties: {a: {}, b: {}, c: {}}, required: [a]}]}`: {"object a* b"},
		`{anyOf: [{type: string, format: uuid}, {type: string}]}`:                                                       {"string"},
		`{anyOf: [{type: string}, {type: integer}]}`:                                                                    {""},
		`{oneOf: [{type: string}, {type: "null"}]}`:                                                                     {"string null"},
		`{type: integer, default: 9007199254740993}`:                                                                    {"integer closed =9007199254740993"},
		`{type: number, default: 1.0}`:                                                                                  {"number closed =1.0"},
		`{type: integer, default: 0x10}`:                                                                                {"integer closed =16"},
		`{type: string, default: "<ü\n>"}`:                                                                              {`string closed ="<ü\n>"`},
		`{type: object, default: {b: [1, true, null], a: x}}`:                                                           {`object closed ={"b":[1,true,null],"a":"x"}`},
		`{type: number, default: .inf}`:                                                                                 {"number closed"},
		`{type: string, default: null}`:                                                                                 {"string closed =null"},
		`{type: string, default: 2026-01-01}`:                                                                           {`string closed ="2026-01-01"`},
	}
	for schema, wants := range tests {
		for i, version := range []string{"3.0.3", "3.1.0"} {
			want := wants[i]
			if i == 1 && want == "" {
				want = wants[0]
			}
			document, _ := load(t, map[string]string{"openapi.yaml": "openapi: " + version + `
paths: {/a: {post: {requestBody: {content: {application/json: {schema: ` + schema + `}}}}}}
components: {schemas: {Base: {type: object, required: [a], properties: {a: {type: string}}}}}
`})
			body, problem := document.Operations[0].Body()
			if problem != nil {
				t.Fatal(problem)
			}
			got, problem := body.Content[0].Schema()
			if problem != nil {
				t.Fatal(problem)
			}
			if d := cmp.Diff(want, describe(got)); d != "" {
				t.Errorf("%s in %s: %s", schema, version, d)
			}
		}
	}
}

func TestContent(t *testing.T) {
	for media, want := range map[string]bool{
		"application/json": true, "application/json; charset=utf-8": true, "Application/JSON": true, "application/vnd.a+json": true,
		"application/merge-patch+json;v=1": true, "text/json": false, "application/xml": false, "*/*": false, "application/jsonl": false,
	} {
		c := Content{MediaType: media}
		if c.JSON() != want {
			t.Errorf("%s: JSON is %v", media, !want)
		}
	}
}
