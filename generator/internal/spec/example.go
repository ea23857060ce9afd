package spec

import (
	"bytes"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"
)

// An Example is a piece of a message as its author could send it.
type Example struct {
	MediaType string // "" for a message without a body
	JSON      []byte // compact; nil where the schema does not tell
}

// Version is info.version.
func (d *Document) Version() string { return d.root.get("info").text("version") }

// Summary is the operation's summary, "" for none.
func (o *Operation) Summary() string { return o.node.text("summary") }

// RequestExample is a body for a request: what the document shows as an example,
// else one made from the schema. It has the properties that are required and
// those named in wanted; with none, all of the first level.
func (o *Operation) RequestExample(wanted ...string) Example {
	body, problem := o.document.files.resolve(o.node.get("requestBody"))
	if problem != nil {
		return Example{}
	}
	return sampler{document: o.document, wanted: wanted, hide: "readOnly"}.content(body.get("content"))
}

// ResponseExample is a body for an answer that the operation lists. Where the
// schema shows no value, a property has that of the request.
func (o *Operation) ResponseExample(status string, request Example) Example {
	response, problem := o.document.files.resolve(o.node.get("responses").get(status))
	if problem != nil {
		return Example{}
	}
	s := sampler{document: o.document, hide: "writeOnly"}
	if json.Unmarshal(request.JSON, &s.known) != nil {
		s.known = nil // no object
	}
	return s.content(response.get("content"))
}

// Example is a value of the parameter as its text.
func (p *Parameter) Example() string {
	s := sampler{document: p.schema.document}
	value, _ := s.schema(p.schema.node, p.Name, 0)
	var text string
	if json.Unmarshal(value, &text) == nil {
		return text
	}
	return string(value)
}

// A sampler makes examples.
type sampler struct {
	document *Document
	wanted   []string // properties of the first level
	hide     string   // the keyword of properties that the message does not have
	known    map[string]json.RawMessage
}

// maxSampleDepth bounds examples of schemas that contain themselves.
const maxSampleDepth = 5

// content makes an example of the first media type.
func (s sampler) content(content node) Example {
	all := content.pairs()
	if len(all) == 0 {
		return Example{}
	}
	example := Example{MediaType: all[0].key.Value}
	value, problem := s.document.files.resolve(all[0].value)
	if problem != nil {
		return example
	}
	if shown := value.get("example"); shown.present() {
		example.JSON = compactJSON(shown)
		return example
	}
	for _, named := range value.get("examples").pairs() {
		if shown, problem := s.document.files.resolve(named.value); problem == nil && shown.get("value").present() {
			example.JSON = compactJSON(shown.get("value"))
			return example
		}
	}
	example.JSON, _ = s.schema(value.get("schema"), "", 0)
	return example
}

// schema makes a value of a schema. It reports false where it cannot tell.
func (s sampler) schema(n node, name string, depth int) ([]byte, bool) {
	n, problem := s.document.files.resolve(n)
	if problem != nil || !n.present() || depth > maxSampleDepth {
		return []byte("null"), false
	}
	if value := given(n); value != nil {
		return value, true
	}
	schema, problem := schemaNode{s.document, n}.read()
	if problem != nil {
		return []byte("null"), false
	}
	switch schema.Type {
	case "object":
		return s.object(schema, depth), true
	case "array":
		item, ok := s.schema(n.get("items"), name, depth+1)
		if !ok {
			return []byte("[]"), true
		}
		return slices.Concat([]byte("["), item, []byte("]")), true
	case "string", "integer", "number", "boolean":
		return s.scalar(n, schema, name), true
	}
	for _, keyword := range []string{"oneOf", "anyOf", "allOf"} {
		for _, branch := range n.get(keyword).items() {
			if value, ok := s.schema(branch, name, depth+1); ok {
				return value, true
			}
		}
	}
	return []byte("null"), false
}

// scalar makes a text, a number or a boolean.
func (s sampler) scalar(n node, schema *Schema, name string) []byte {
	if known := s.known[name]; len(known) > 0 && kindOfJSON(known) == kindOfType(schema.Type) {
		return known
	}
	switch schema.Type {
	case "string":
		return sampleString(schema.Format, name)
	case "boolean":
		return []byte("true")
	}
	return sampleNumber(n, schema.Type)
}

// kindOfJSON tells texts, numbers and booleans apart by their first letter.
func kindOfJSON(value []byte) byte {
	switch c := value[0]; {
	case c == '-' || c >= '0' && c <= '9':
		return '0'
	case c == 't' || c == 'f':
		return 't'
	default:
		return c
	}
}

func kindOfType(typ string) byte {
	return map[string]byte{"string": '"', "integer": '0', "number": '0', "boolean": 't'}[typ]
}

// given is a value that the schema itself shows or prescribes.
func given(n node) []byte {
	for _, keyword := range []string{"example", "const", "default"} {
		if value := n.get(keyword); value.present() {
			return compactJSON(value)
		}
	}
	for _, keyword := range []string{"examples", "enum"} {
		if values := n.get(keyword).items(); len(values) > 0 {
			return compactJSON(values[0])
		}
	}
	return nil
}

// object makes an object of the properties that matter.
func (s sampler) object(schema *Schema, depth int) []byte {
	chosen := slices.DeleteFunc(slices.Clone(schema.Properties), func(p Property) bool {
		return !p.Required && (depth > 0 || !slices.Contains(s.wanted, p.Name))
	})
	if len(chosen) == 0 && depth == 0 {
		chosen = schema.Properties[:min(len(schema.Properties), 8)]
	}
	inner := s
	inner.wanted = nil
	var b bytes.Buffer
	b.WriteByte('{')
	for _, p := range chosen {
		if resolved, problem := s.document.files.resolve(p.schema.node); problem == nil && s.hide != "" && resolved.flag(s.hide) {
			continue
		}
		value, ok := inner.schema(p.schema.node, p.Name, depth+1)
		if !ok && !p.Required {
			continue
		}
		if b.Len() > 1 {
			b.WriteByte(',')
		}
		writeString(&b, p.Name)
		b.WriteByte(':')
		b.Write(value)
	}
	b.WriteByte('}')
	return b.Bytes()
}

// sampleString makes a text of a format. One that is an id by its name looks
// like one.
func sampleString(format, name string) []byte {
	text := "text"
	switch format {
	case "date-time":
		text = "2030-01-31T12:00:00Z"
	case "date":
		text = "2030-01-31"
	case "uuid":
		text = "3f2b8a52-9d0e-4c56-8a1f-6f0c2d9b7e41"
	case "email":
		text = "someone@example.com"
	case "uri", "url", "uri-reference":
		text = "https://example.com/"
	case "byte":
		text = "dGV4dA=="
	default:
		for _, suffix := range []string{"_id", "-id", "Id", "-Id", "ID", "-ID"} {
			if short, ok := strings.CutSuffix(name, suffix); ok && short != "" {
				text = strings.ToLower(strings.Trim(strings.TrimPrefix(short, "X-"), "-_")) + "-1"
			}
		}
		if strings.EqualFold(name, "id") {
			text = "id-1"
		}
	}
	var b bytes.Buffer
	writeString(&b, text)
	return b.Bytes()
}

// sampleNumber makes a number within the bounds.
func sampleNumber(n node, typ string) []byte {
	value := 100.0
	if typ == "number" {
		value = 10.5
	}
	if bound, ok := n.number("minimum"); ok {
		value = max(value, bound)
	}
	if bound, ok := n.number("maximum"); ok {
		value = min(value, bound)
	}
	return strconv.AppendFloat(nil, value, 'f', -1, 64)
}

func (n node) number(name string) (float64, bool) {
	v := n.get(name)
	if !v.is(yaml.ScalarNode) {
		return 0, false
	}
	value, err := strconv.ParseFloat(v.Value, 64)
	return value, err == nil
}
