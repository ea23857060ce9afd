package schema

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
)

// Where extensions are in a document, as JSON Paths.
const (
	everyContract = "$.paths[*][get,put,post,delete,options,head,patch,trace]['x-idempotency']"
	defaults      = "$['x-idempotency-defaults']"
)

// A spectralRule is a rule of Spectral's.
type spectralRule struct {
	Description string         `json:"description"`
	Message     string         `json:"message"`
	Severity    string         `json:"severity"`
	Given       []string       `json:"given"`
	Then        []spectralThen `json:"then"`
}

type spectralThen struct {
	Function string         `json:"function"`
	Options  map[string]any `json:"functionOptions,omitempty"`
}

// Spectral is a ruleset for Spectral, as JSON, which is YAML too. It finds what
// needs no look at the operation's schemas; its rules are named as those of
// idemgen lint, behind "idemgen-".
func Spectral() ([]byte, error) {
	var document struct {
		Definitions map[string]json.RawMessage `json:"definitions"`
	}
	if err := json.Unmarshal([]byte(extension), &document); err != nil {
		return nil, err
	}
	var contract struct {
		Properties map[string]json.RawMessage `json:"properties"`
	}
	if err := json.Unmarshal(document.Definitions["extension"], &contract); err != nil {
		return nil, err
	}
	s := ruleset{definitions: document.Definitions, fields: sorted(contract.Properties)}
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	err := encoder.Encode(map[string]any{"rules": s.rules()})
	return b.Bytes(), err
}

func sorted(members map[string]json.RawMessage) []string {
	names := make([]string, 0, len(members))
	for name := range members {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// A ruleset builds the rules from the schema of the extension.
type ruleset struct {
	definitions map[string]json.RawMessage
	fields      []string
}

func (s ruleset) rules() map[string]spectralRule {
	rules := map[string]spectralRule{}
	add := func(rule, description, message string, given []string, then ...spectralThen) {
		rules["idemgen-"+rule] = spectralRule{description, message, "error", given, then}
	}
	add("not-a-mapping", "x-idempotency is a mapping, true or false.", "x-idempotency: {{error}}",
		[]string{everyContract}, check(map[string]any{"type": []string{"boolean", "object"}}))
	add("unknown-field", "Every field of a contract is known.", "unknown field {{value}}",
		[]string{everyContract + "[*]~"}, spectralThen{Function: "enumeration", Options: map[string]any{"values": s.fields}})
	add("exempt", "An exemption has a reason and stands alone.", "{{error}}",
		[]string{everyContract}, check(map[string]any{"if": map[string]any{"type": "object", "required": []string{"exempt"}},
			"then": map[string]any{"maxProperties": 1, "properties": s.only("exempt")}}))
	add("bad-value", "Each field has one of its values.", "{{error}}",
		[]string{everyContract, defaults}, check(map[string]any{"properties": s.only("required", "keyFormat", "inFlight",
			"onStoreError", "onCrash", "onDisconnect", "replay", "remember")}))
	add("bad-duration", "A duration has a number and a unit.", "{{error}}",
		[]string{everyContract, defaults}, check(map[string]any{"properties": s.only("ttl", "lease", "waitTimeout", "maxRun")}))
	add("bad-expression", "An expression names a part of the request.", "{{error}}",
		[]string{everyContract, defaults}, check(map[string]any{"properties": map[string]any{
			"key":         s.text("expression"),
			"scope":       s.textOrList("expression"),
			"fingerprint": s.textOrList("expression"),
		}}))
	add("safe-method", "A safe method has no contract.", "a safe method has a contract: it promises to have no effect",
		[]string{"$.paths[*][get,head,options,trace]['x-idempotency']"}, check(map[string]any{"anyOf": []any{
			map[string]any{"const": false}, map[string]any{"type": "object", "required": []string{"exempt"}}}}))
	add("misplaced-extension", "Extensions stand where they have a meaning.", "it has no meaning here",
		[]string{"$['x-idempotency']", "$.paths[*]['x-idempotency']", "$.paths[*][get,put,post,delete,options,head,patch,trace]['x-idempotency-defaults']"},
		spectralThen{Function: "undefined"})
	return rules
}

// check wants a value to fit a schema.
func check(schema map[string]any) spectralThen {
	return spectralThen{Function: "schema", Options: map[string]any{"dialect": "draft7", "allErrors": true, "schema": schema}}
}

// only are the schemas of some fields.
func (s ruleset) only(names ...string) map[string]any {
	schemas := map[string]any{}
	for _, name := range names {
		schemas[name] = s.definition(name)
	}
	return schemas
}

// definition is a schema of the extension with its references put in.
func (s ruleset) definition(name string) any {
	var value any
	if json.Unmarshal(s.definitions[name], &value) != nil { // it was read as part of the whole
		return nil
	}
	return s.inline(value)
}

func (s ruleset) inline(value any) any {
	switch v := value.(type) {
	case map[string]any:
		if ref, ok := v["$ref"].(string); ok {
			return s.definition(strings.TrimPrefix(ref, "#/definitions/"))
		}
		for _, note := range []string{"description", "enumDescriptions", "examples", "default", "title"} {
			delete(v, note)
		}
		for name, member := range v {
			v[name] = s.inline(member)
		}
	case []any:
		for i, item := range v {
			v[i] = s.inline(item)
		}
	}
	return value
}

// text applies a schema to texts, and to nothing else.
func (s ruleset) text(name string) map[string]any {
	return map[string]any{"if": map[string]any{"type": "string"}, "then": s.definition(name)}
}

// textOrList applies a schema to texts, alone or in a list.
func (s ruleset) textOrList(name string) map[string]any {
	schema := s.text(name)
	schema["items"] = s.text(name)
	return schema
}
