package spec

import (
	"slices"

	"gopkg.in/yaml.v3"

	"github.com/idemgen/idemgen/generator/diag"
)

// A Schema is one level of a schema, with $ref followed and allOf merged.
type Schema struct {
	// Type is string, integer, number, boolean, array or object; "" where the
	// schema names none or several. A null beside it is in Nullable.
	Type     string
	Format   string
	Nullable bool
	// Default is the default value as compact JSON, nil for none.
	Default []byte
	// Properties are in the order of the text. Those of oneOf and anyOf are
	// among them where every branch has them.
	Properties []Property
	// Closed says that Properties are all a server sees of an object: no
	// branches, and no declared place for further members.
	Closed bool

	origin     *yaml.Node
	elements   schemaNode // of an array
	additional schemaNode // of an object: members that it does not name
}

// Elements is the schema of an array's elements, or of the members of an object
// that it does not name; nil where nothing is said of them.
func (s *Schema) Elements() (*Schema, *diag.Diagnostic) {
	switch {
	case s.elements.node.is(yaml.MappingNode):
		return s.elements.read()
	case s.additional.node.is(yaml.MappingNode):
		return s.additional.read()
	}
	return nil, nil
}

// Origin identifies the place that the schema was read from, behind a $ref. Two
// readings of one place have the same; it is good for comparing only.
func (s *Schema) Origin() any { return s.origin }

// A Property is a member of an object.
type Property struct {
	Name     string
	Required bool
	Range    diag.Range // its name in the document

	schema schemaNode
}

// Schema is the property's schema.
func (p *Property) Schema() (*Schema, *diag.Diagnostic) { return p.schema.read() }

// Property returns the property of a name.
func (s *Schema) Property(name string) (*Property, bool) {
	i := slices.IndexFunc(s.Properties, func(p Property) bool { return p.Name == name })
	if i < 0 {
		return nil, false
	}
	return &s.Properties[i], true
}

// A schemaNode is a schema that has not been read yet.
type schemaNode struct {
	document *Document
	node     node
}

// maxSchemaDepth bounds a chain of allOf, oneOf and anyOf that leads to itself.
const maxSchemaDepth = 32

func (s schemaNode) read() (*Schema, *diag.Diagnostic) {
	m := merger{document: s.document, required: map[string]bool{}}
	m.schema.Closed, m.schema.origin = true, s.node.Node
	if target, problem := s.document.files.resolve(s.node); problem == nil {
		m.schema.origin = target.Node
	}
	if problem := m.add(s.node, 0); problem != nil {
		return nil, problem
	}
	schema := m.schema
	if schema.Type == "" && !m.typed && len(schema.Properties) > 0 {
		schema.Type = "object"
	}
	for i := range schema.Properties {
		p := &schema.Properties[i]
		p.Required = p.Required || m.required[p.Name]
	}
	return &schema, nil
}

// A merger collects one level of a schema from its parts.
type merger struct {
	document *Document
	schema   Schema
	required map[string]bool
	typed    bool // some part names types
}

// add merges a schema in.
func (m *merger) add(n node, depth int) *diag.Diagnostic {
	if !n.is(yaml.MappingNode) {
		return nil // absent, or true: anything
	}
	if depth > maxSchemaDepth {
		return broken(n.place(), "this schema contains itself through allOf, oneOf or anyOf", "break the circle")
	}
	if ref, ok := n.member("$ref"); ok && ref.value.is(yaml.ScalarNode) {
		if allowsSiblings(m.document.root) {
			m.own(n)
		}
		target, problem := m.document.files.resolve(n)
		if problem != nil {
			return problem
		}
		return m.add(target, depth+1)
	}
	m.own(n)
	for _, part := range n.get("allOf").items() {
		if problem := m.add(part, depth+1); problem != nil {
			return problem
		}
	}
	for _, keyword := range []string{"oneOf", "anyOf"} {
		if problem := m.branches(n.get(keyword), depth+1); problem != nil {
			return problem
		}
	}
	return nil
}

// own merges what a schema says itself. What was said first stays.
func (m *merger) own(n node) {
	s := &m.schema
	typ, null := typeOf(n)
	if s.Type == "" {
		s.Type = typ
	}
	m.typed = m.typed || n.get("type").present()
	s.Nullable = s.Nullable || null || n.flag("nullable")
	if s.Format == "" {
		s.Format = n.text("format")
	}
	if value, ok := n.member("default"); ok && s.Default == nil {
		s.Default = compactJSON(value.value)
	}
	for _, p := range n.get("properties").pairs() {
		if _, ok := s.Property(p.key.Value); !ok {
			s.Properties = append(s.Properties, Property{p.key.Value, false, p.key.place(), schemaNode{m.document, p.value}})
		}
	}
	if items := n.get("items"); !s.elements.node.present() {
		s.elements = schemaNode{m.document, items}
	}
	if more := n.get("additionalProperties"); !s.additional.node.present() {
		s.additional = schemaNode{m.document, more}
	}
	for _, name := range n.get("required").items() {
		m.required[name.Value] = true
	}
	for _, keyword := range []string{"additionalProperties", "patternProperties", "unevaluatedProperties"} {
		if more := n.get(keyword); more.present() && (more.is(yaml.MappingNode) || n.flag(keyword)) {
			s.Closed = false
		}
	}
}

// branches merges what every branch of a oneOf or anyOf agrees on.
func (m *merger) branches(list node, depth int) *diag.Diagnostic {
	var common *Schema
	for _, item := range list.items() {
		branch, problem := m.branch(item, depth)
		if problem != nil {
			return problem
		}
		if branch.Type == "null" {
			m.schema.Nullable = true
			continue
		}
		if common == nil {
			common = branch
		} else {
			common.intersect(branch)
		}
	}
	if common == nil {
		return nil
	}
	m.schema.Closed = false
	m.schema.mergeCommon(common)
	return nil
}

func (m *merger) branch(item node, depth int) (*Schema, *diag.Diagnostic) {
	inner := merger{document: m.document, required: map[string]bool{}}
	if problem := inner.add(item, depth); problem != nil {
		return nil, problem
	}
	if typ, null := typeOf(item); typ == "" && null {
		inner.schema.Type = "null"
	}
	for i := range inner.schema.Properties {
		p := &inner.schema.Properties[i]
		p.Required = inner.required[p.Name]
	}
	return &inner.schema, nil
}

// intersect keeps what s and other have in common.
func (s *Schema) intersect(other *Schema) {
	if s.Type != other.Type {
		s.Type = ""
	}
	if s.Format != other.Format {
		s.Format = ""
	}
	s.Nullable = s.Nullable || other.Nullable
	s.Properties = slices.DeleteFunc(s.Properties, func(p Property) bool {
		_, ok := other.Property(p.Name)
		return !ok
	})
	for i := range s.Properties {
		p := &s.Properties[i]
		theirs, _ := other.Property(p.Name)
		p.Required = p.Required && theirs.Required
	}
}

// mergeCommon adds what all branches have to what s has.
func (s *Schema) mergeCommon(common *Schema) {
	if s.Type == "" {
		s.Type = common.Type
	}
	if s.Format == "" {
		s.Format = common.Format
	}
	s.Nullable = s.Nullable || common.Nullable
	for _, p := range common.Properties {
		if mine, ok := s.Property(p.Name); ok {
			mine.Required = mine.Required || p.Required
		} else {
			s.Properties = append(s.Properties, p)
		}
	}
}

// typeOf reads type, a name or since OpenAPI 3.1 a list of names.
func typeOf(n node) (typ string, null bool) {
	value := n.get("type")
	if value.is(yaml.ScalarNode) {
		if value.Value == "null" {
			return "", true
		}
		return value.Value, false
	}
	var types []string
	for _, item := range value.items() {
		if item.Value == "null" {
			null = true
		} else {
			types = append(types, item.Value)
		}
	}
	if len(types) == 1 {
		typ = types[0]
	}
	return typ, null
}
