package spec

import (
	"gopkg.in/yaml.v3"

	"github.com/idemgen/idemgen/generator/diag"
)

// A Kind is what a [Value] is.
type Kind int

const (
	Null Kind = iota
	Bool
	Number
	String
	List
	Mapping
)

// String names the kind as a message does: "a list".
func (k Kind) String() string {
	switch k {
	case Bool:
		return "a boolean"
	case Number:
		return "a number"
	case String:
		return "a text"
	case List:
		return "a list"
	case Mapping:
		return "a mapping"
	}
	return "nothing"
}

// A Value is a piece of an extension, with the place where its text stands:
// that of the anchor where it was written elsewhere.
type Value struct {
	Kind  Kind
	Text  string // of a scalar, without its quotes
	Range diag.Range

	Items   []Value // of a list
	Entries []Entry // of a mapping, in the order of the text; a name may be there twice
}

// An Entry is a member of a mapping.
type Entry struct {
	Name  string
	Range diag.Range // of the name
	Value Value
}

// maxValueDepth bounds a Value: an anchor can contain itself. What lies deeper
// is left out.
const maxValueDepth = 16

// newValue converts a node.
func newValue(n node) Value { return valueAt(n, 0) }

func valueAt(n node, depth int) Value {
	v := Value{Kind: kindOf(n.Node), Range: n.place()}
	switch {
	case n.is(yaml.ScalarNode):
		v.Text = n.Value
	case depth == maxValueDepth:
	case n.is(yaml.SequenceNode):
		for _, item := range n.items() {
			v.Items = append(v.Items, valueAt(item, depth+1))
		}
	case n.is(yaml.MappingNode):
		for _, p := range n.pairs() {
			v.Entries = append(v.Entries, Entry{p.key.Value, p.key.place(), valueAt(p.value, depth+1)})
		}
	}
	return v
}

func kindOf(n *yaml.Node) Kind {
	switch n.Kind {
	case yaml.SequenceNode:
		return List
	case yaml.MappingNode:
		return Mapping
	}
	switch n.ShortTag() {
	case "!!null":
		return Null
	case "!!bool":
		return Bool
	case "!!int", "!!float":
		return Number
	}
	return String
}
