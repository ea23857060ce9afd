package spec

import (
	"strings"

	"gopkg.in/yaml.v3"
)

// A node is a piece of a document together with the file it stands in.
type node struct {
	src *source
	*yaml.Node
}

// present reports whether there is a node at all.
func (n node) present() bool { return n.Node != nil }

// is reports whether the node is of a kind.
func (n node) is(kind yaml.Kind) bool { return n.Node != nil && n.Kind == kind }

// follow goes through an alias to the text it stands for.
func follow(y *yaml.Node) *yaml.Node {
	for y != nil && y.Kind == yaml.AliasNode {
		y = y.Alias
	}
	return y
}

// in wraps a child of n.
func (n node) in(child *yaml.Node) node { return node{n.src, follow(child)} }

// A pair is a member of a mapping.
type pair struct{ key, value node }

// pairs lists a mapping's members in order. What merge keys bring in comes at
// their place, unless the mapping has it itself; of several merged mappings
// the first one wins.
func (n node) pairs() []pair { return n.pairsAt(0) }

// maxMerges bounds merge keys inside merged mappings: a mapping can merge
// itself.
const maxMerges = 16

func (n node) pairsAt(depth int) []pair {
	if !n.is(yaml.MappingNode) || depth > maxMerges {
		return nil
	}
	list := make([]pair, 0, len(n.Content)/2)
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.in(n.Content[i]), n.in(n.Content[i+1])
		if !isMerge(key.Node) {
			list = append(list, pair{key, value})
			continue
		}
		for _, merged := range mergedMappings(value) {
			list = n.addMerged(list, merged.pairsAt(depth+1))
		}
	}
	return list
}

func (n node) addMerged(list, merged []pair) []pair {
	for _, p := range merged {
		if n.hasOwn(p.key.Value) || hasKey(list, p.key.Value) {
			continue
		}
		list = append(list, p)
	}
	return list
}

func (n node) hasOwn(key string) bool {
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == key && !isMerge(n.Content[i]) {
			return true
		}
	}
	return false
}

func hasKey(list []pair, key string) bool {
	for _, p := range list {
		if p.key.Value == key {
			return true
		}
	}
	return false
}

func isMerge(key *yaml.Node) bool {
	return key.Kind == yaml.ScalarNode && key.ShortTag() == "!!merge"
}

// mergedMappings are the mappings that a merge key names: one or a list.
func mergedMappings(value node) []node {
	if !value.is(yaml.SequenceNode) {
		return []node{value}
	}
	list := make([]node, len(value.Content))
	for i, item := range value.Content {
		list[i] = value.in(item)
	}
	return list
}

// member returns a member of a mapping, the first where the text has two.
func (n node) member(name string) (pair, bool) {
	if !n.is(yaml.MappingNode) {
		return pair{}, false
	}
	merges := false
	for i := 0; i+1 < len(n.Content); i += 2 {
		key := follow(n.Content[i])
		if key.Value == name {
			return pair{node{n.src, key}, n.in(n.Content[i+1])}, true
		}
		merges = merges || isMerge(key)
	}
	if merges {
		for _, p := range n.pairs() {
			if p.key.Value == name {
				return p, true
			}
		}
	}
	return pair{}, false
}

// get returns the value of a member, or no node.
func (n node) get(name string) node {
	p, _ := n.member(name)
	return p.value
}

// text returns the value of a scalar member, "" for none.
func (n node) text(name string) string {
	if v := n.get(name); v.is(yaml.ScalarNode) && v.ShortTag() != "!!null" {
		return v.Value
	}
	return ""
}

// flag returns the value of a boolean member, false for none.
func (n node) flag(name string) bool {
	v := n.get(name)
	return v.is(yaml.ScalarNode) && v.ShortTag() == "!!bool" && strings.EqualFold(v.Value, "true")
}

// items lists a sequence.
func (n node) items() []node {
	if !n.is(yaml.SequenceNode) {
		return nil
	}
	list := make([]node, len(n.Content))
	for i, item := range n.Content {
		list[i] = n.in(item)
	}
	return list
}
