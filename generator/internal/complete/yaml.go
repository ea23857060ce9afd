package complete

import (
	"bytes"
	"errors"
	"sort"
	"unicode/utf8"

	"gopkg.in/yaml.v3"
)

// parseYAML reads a YAML document. The parser tells where nodes begin; where
// they end is read from the text.
func parseYAML(text []byte) (*node, error) {
	var document yaml.Node
	if err := yaml.Unmarshal(text, &document); err != nil {
		return nil, err
	}
	if len(document.Content) == 0 {
		return nil, errors.New("the file is empty")
	}
	r := yamlReader{text: text, lines: lineStarts(text), read: map[*yaml.Node]*node{}}
	return r.node(document.Content[0], -1, false), nil
}

// A yamlReader turns the parser's tree into ours.
type yamlReader struct {
	text  []byte
	lines []int // where each line begins
	read  map[*yaml.Node]*node
}

// lineStarts finds the lines as the parser counts them.
func lineStarts(text []byte) []int {
	starts := []int{0}
	for i := 0; i < len(text); {
		if length := breakLength(text[i:]); length > 0 {
			i += length
			starts = append(starts, i)
		} else {
			i++
		}
	}
	return starts
}

// breakLength is the length of the line break that a text begins with, zero for
// none. The parser breaks lines where YAML 1.1 does.
func breakLength(text []byte) int {
	for _, br := range []string{"\r\n", "\n", "\r", "\u0085", "\u2028", "\u2029"} {
		if len(text) >= len(br) && text[0] == br[0] && string(text[:len(br)]) == br {
			return len(br)
		}
	}
	return 0
}

// offset is the byte at a line and a column, both from 1.
func (r *yamlReader) offset(n *yaml.Node) int {
	if n.Line < 1 || n.Line > len(r.lines) {
		return len(r.text)
	}
	at := r.lines[n.Line-1]
	for column := 1; column < n.Column && at < len(r.text); column++ {
		_, size := utf8.DecodeRune(r.text[at:])
		at += size
	}
	return at
}

// node converts a node. Lines of a scalar that are not its first one are
// indented by more than outer.
func (r *yamlReader) node(y *yaml.Node, outer int, flow bool) *node {
	if n, ok := r.read[y]; ok {
		return n
	}
	n := &node{}
	r.read[y] = n // before its children: an anchor can contain itself
	n.start = r.skipProperties(r.offset(y))
	n.end = n.start
	n.flow = flow || y.Style&yaml.FlowStyle != 0
	switch y.Kind {
	case yaml.AliasNode:
		n.kind, n.end, n.target = alias, n.start+1+len(y.Value), r.node(y.Alias, outer, flow)
	case yaml.MappingNode:
		n.kind = mapping
		r.members(n, y)
	case yaml.SequenceNode:
		n.kind = sequence
		r.items(n, y)
	default:
		r.scalar(n, y, outer)
	}
	return n
}

// skipProperties goes past an anchor and a tag.
func (r *yamlReader) skipProperties(at int) int {
	for at < len(r.text) && (r.text[at] == '&' || r.text[at] == '!') {
		end := bytes.IndexAny(r.text[at:], " \t\r\n")
		if end < 0 {
			return at
		}
		at += end
		for at < len(r.text) && bytes.IndexByte([]byte(" \t\r\n"), r.text[at]) >= 0 {
			at++
		}
	}
	return at
}

func (r *yamlReader) members(n *node, y *yaml.Node) {
	if !n.flow && len(y.Content) > 0 {
		n.start = r.offset(y.Content[0])
		n.indent = y.Content[0].Column - 1
		n.end = n.start
	}
	for i := 0; i+1 < len(y.Content); i += 2 {
		key := r.key(y.Content[i])
		value := r.node(y.Content[i+1], n.indent, n.flow)
		if value.empty {
			value.start, value.end = key.end, key.end
		}
		n.pairs = append(n.pairs, pair{key, value, y.Content[i].ShortTag() == "!!merge"})
		n.end = max(value.end, key.end)
	}
	if n.flow {
		n.end = flowEnd(r.text, n.start)
	}
}

// key converts a key, which stands on one line.
func (r *yamlReader) key(y *yaml.Node) *node {
	for y.Kind == yaml.AliasNode {
		y = y.Alias
	}
	n := &node{value: y.Value, start: r.skipProperties(r.offset(y))}
	n.end = n.start + len(y.Value)
	if y.Style&(yaml.SingleQuotedStyle|yaml.DoubleQuotedStyle) != 0 {
		n.quote = r.text[n.start]
		n.end = quotedEnd(r.text, n.start)
	}
	return n
}

func (r *yamlReader) items(n *node, y *yaml.Node) {
	if !n.flow && len(y.Content) > 0 {
		dash := bytes.LastIndexByte(r.text[:r.offset(y.Content[0])], '-')
		n.start = max(dash, 0)
		n.indent = r.columnOf(n.start)
		n.end = n.start
	}
	for _, item := range y.Content {
		n.items = append(n.items, r.node(item, n.indent, n.flow))
		n.end = n.items[len(n.items)-1].end
	}
	if n.flow {
		n.end = flowEnd(r.text, n.start)
	}
}

// columnOf is how many characters stand before a byte in its line.
func (r *yamlReader) columnOf(at int) int {
	line := sort.SearchInts(r.lines, at+1) - 1
	return utf8.RuneCount(r.text[r.lines[line]:at])
}

func (r *yamlReader) scalar(n *node, y *yaml.Node, outer int) {
	n.value = y.Value
	switch {
	case y.Style&(yaml.SingleQuotedStyle|yaml.DoubleQuotedStyle) != 0:
		n.quote = r.text[n.start]
		n.end = quotedEnd(r.text, n.start)
	case y.Style&(yaml.LiteralStyle|yaml.FoldedStyle) != 0:
		n.end = r.blockScalarEnd(n.start, outer)
	case y.Value == "":
		n.empty = true
	case n.flow:
		n.end = flowScalarEnd(r.text, n.start)
	default:
		n.end = r.plainEnd(n.start, outer)
	}
}
