package spec

import "gopkg.in/yaml.v3"

// A Member is a property somewhere below a schema.
type Member struct {
	// Path leads to it: the names of properties. What is in an array has the
	// array's path.
	Path   []string
	Schema *Schema
	// WriteOnly says that it is in requests alone.
	WriteOnly bool
	// FreeForm says that the document does not tell what is in it: no type,
	// or an object without properties.
	FreeForm bool
}

// Bounds of a walk. Schemas refer to each other, and often back.
const (
	maxWalkDepth   = 8
	maxWalkMembers = 5000
)

// Walk visits what a content has, from its root down, in the order of the text,
// until visit returns false. A schema that contains itself is entered once.
// References that lead nowhere are passed over: the contract stage reports them.
func (c *Content) Walk(visit func(Member) bool) {
	w := walker{visit: visit, left: maxWalkMembers, within: map[*yaml.Node]bool{}}
	w.walk(c.schema, nil)
}

type walker struct {
	visit  func(Member) bool
	left   int
	within map[*yaml.Node]bool // the schemas around this one
}

// walk reports whether to go on.
func (w *walker) walk(s schemaNode, path []string) bool {
	target, problem := s.document.files.resolve(s.node)
	if problem != nil || !target.present() || len(path) > maxWalkDepth || w.within[target.Node] {
		return true
	}
	if w.left--; w.left < 0 {
		return false
	}
	schema, problem := s.read()
	if problem != nil {
		return true
	}
	w.within[target.Node] = true
	defer delete(w.within, target.Node)
	m := Member{Path: path, Schema: schema, WriteOnly: target.flag("writeOnly") || s.node.flag("writeOnly"), FreeForm: freeForm(target, schema)}
	if !w.visit(m) {
		return false
	}
	if items := target.get("items"); items.present() && !w.walk(schemaNode{s.document, items}, path) {
		return false
	}
	for i := range schema.Properties {
		p := &schema.Properties[i]
		if !w.walk(p.schema, append(path[:len(path):len(path)], p.Name)) {
			return false
		}
	}
	return true
}

func freeForm(n node, s *Schema) bool {
	if len(s.Properties) > 0 || s.Type != "" && s.Type != "object" {
		return false
	}
	for _, keyword := range []string{"oneOf", "anyOf", "allOf", "enum", "const", "not", "patternProperties"} {
		if n.get(keyword).present() {
			return false
		}
	}
	more := n.get("additionalProperties")
	return !more.is(yaml.MappingNode) || len(more.Content) == 0
}
