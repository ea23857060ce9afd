package complete

import (
	"net/url"
	"strconv"
	"strings"
)

type kind int

const (
	scalar kind = iota
	mapping
	sequence
	alias
)

// A node is a piece of a document and the place of its text.
type node struct {
	kind  kind
	value string // of a scalar
	empty bool   // a scalar without any text: what follows "parameters:" alone
	quote byte   // of a quoted scalar, ' or "

	// start and end are the bytes of the text; end is behind the last one. Of
	// a block collection start is where its first member begins.
	start, end int
	// indent is how many columns lie before each member of a block collection.
	indent int
	flow   bool // written in brackets

	pairs  []pair  // of a mapping, in the order of the text
	items  []*node // of a sequence
	target *node   // of an alias
}

// A pair is a member of a mapping.
type pair struct {
	key   *node
	value *node
	merge bool // the key is <<
}

// follow goes through an alias to the text it stands for.
func (n *node) follow() *node {
	for n != nil && n.kind == alias {
		n = n.target
	}
	return n
}

// maxMerges bounds merge keys inside merged mappings: a mapping can merge
// itself.
const maxMerges = 16

// members lists a mapping's own members and then those that merge keys bring
// in. Shared says that a member's text stands for more than this place.
func (n *node) members() []sharedPair {
	n, shared := n.follow(), n != nil && n.kind == alias
	return n.membersAt(nil, shared, 0)
}

type sharedPair struct {
	pair
	shared bool
}

func (n *node) membersAt(list []sharedPair, shared bool, depth int) []sharedPair {
	if n == nil || n.kind != mapping || depth > maxMerges {
		return list
	}
	for _, p := range n.pairs {
		if !p.merge && !hasMember(list, p.key.value) {
			list = append(list, sharedPair{p, shared || p.value.kind == alias})
		}
	}
	for _, p := range n.pairs {
		if !p.merge {
			continue
		}
		merged := []*node{p.value}
		if all := p.value.follow(); all.kind == sequence {
			merged = all.items
		}
		for _, m := range merged {
			list = m.follow().membersAt(list, true, depth+1)
		}
	}
	return list
}

func hasMember(list []sharedPair, name string) bool {
	for _, p := range list {
		if p.key.value == name {
			return true
		}
	}
	return false
}

// get returns the value of a member, nil for none.
func (n *node) get(name string) (value *node, shared bool) {
	f := n.follow()
	if f == nil || f.kind != mapping {
		return nil, false
	}
	merges := false
	for _, p := range f.pairs {
		if p.key.value == name && !p.merge {
			return p.value.follow(), n.kind == alias || p.value.kind == alias
		}
		merges = merges || p.merge
	}
	if merges {
		for _, p := range n.members() {
			if p.key.value == name {
				return p.value.follow(), p.shared
			}
		}
	}
	return nil, false
}

// text returns the value of a scalar member, "" for none.
func (n *node) text(name string) string {
	if v, _ := n.get(name); v != nil && v.kind == scalar {
		return v.value
	}
	return ""
}

// A place is a node and the way to it from the root.
type place struct {
	node   *node
	path   []string
	shared bool // the text also stands for another part of the document
}

// child is the part of a place that a member's name or an item's number names.
// Its node is nil where there is none.
func (p place) child(name string) place {
	c := place{path: append(p.path[:len(p.path):len(p.path)], name), shared: p.shared}
	n := p.node.follow()
	if n != nil && n.kind == sequence {
		if i, err := strconv.Atoi(name); err == nil && i >= 0 && i < len(n.items) {
			c.node, c.shared = n.items[i].follow(), c.shared || n.items[i].kind == alias
		}
		return c
	}
	value, shared := p.node.get(name)
	c.node, c.shared = value, c.shared || shared
	return c
}

// maxReferences bounds a chain of references that lead to references.
const maxReferences = 64

// resolve follows the $ref of a place, and those it leads to. Outside is the
// reference that leaves the document or leads nowhere, "" for none.
func (p place) resolve(root *node) (target place, outside string) {
	for range maxReferences {
		ref := p.node.text("$ref")
		if ref == "" {
			return p, ""
		}
		pointer, ok := strings.CutPrefix(ref, "#/")
		if !ok {
			return p, ref
		}
		p = place{node: root}
		for token := range strings.SplitSeq(pointer, "/") {
			if unescaped, err := url.PathUnescape(token); err == nil {
				token = unescaped
			}
			p = p.child(strings.NewReplacer("~1", "/", "~0", "~").Replace(token))
		}
		if p.node == nil {
			return p, ref
		}
	}
	return p, p.node.text("$ref")
}
