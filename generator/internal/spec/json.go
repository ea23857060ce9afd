package spec

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"unicode/utf8"

	"gopkg.in/yaml.v3"
)

// maxDepth bounds the nesting of a JSON document.
const maxDepth = 1000

// parseJSON parses a JSON document into the tree that YAML would give. Most
// JSON is YAML, but not all of it: YAML knows no surrogate pairs, and it reads
// JSON several times slower.
func parseJSON(data []byte) (*yaml.Node, error) {
	p := jsonParser{data: data, line: 1, column: 1}
	root, err := p.value(0)
	if err != nil {
		return nil, err
	}
	if p.space(); p.at < len(data) {
		return nil, p.errorf("text behind the document")
	}
	return root, nil
}

type jsonParser struct {
	data []byte
	at   int // the next byte

	line int // of the next byte

	// Columns are counted on from the node before, so that a document in one
	// line is read in one pass.
	counted, column int // a byte of this line, and its column
}

func (p *jsonParser) errorf(format string, args ...any) error {
	return fmt.Errorf("line %d: "+format, append([]any{p.line}, args...)...)
}

// space skips white space and counts lines. A JSON string has no line end, so
// no other place needs to.
func (p *jsonParser) space() {
	for ; p.at < len(p.data); p.at++ {
		switch p.data[p.at] {
		case '\n':
			p.line++
			p.counted, p.column = p.at+1, 1
		case ' ', '\t', '\r':
		default:
			return
		}
	}
}

// node starts a node at the next byte.
func (p *jsonParser) node(kind yaml.Kind, tag string, style yaml.Style) *yaml.Node {
	p.column += utf8.RuneCount(p.data[p.counted:p.at])
	p.counted = p.at
	return &yaml.Node{Kind: kind, Tag: tag, Style: style, Line: p.line, Column: p.column}
}

func (p *jsonParser) value(depth int) (*yaml.Node, error) {
	p.space()
	if p.at == len(p.data) || depth > maxDepth {
		return nil, p.errorf("a value is missing or nested too deep")
	}
	switch p.data[p.at] {
	case '{':
		return p.members(p.node(yaml.MappingNode, "!!map", yaml.FlowStyle), '}', depth)
	case '[':
		return p.members(p.node(yaml.SequenceNode, "!!seq", yaml.FlowStyle), ']', depth)
	case '"':
		return p.text()
	}
	return p.literal()
}

// members reads an object or an array up to its end.
func (p *jsonParser) members(node *yaml.Node, end byte, depth int) (*yaml.Node, error) {
	for p.at++; ; p.at++ {
		p.space()
		if p.next(end) && len(node.Content) == 0 {
			p.at++
			return node, nil
		}
		if end == '}' {
			key, err := p.key()
			if err != nil {
				return nil, err
			}
			node.Content = append(node.Content, key)
		}
		value, err := p.value(depth + 1)
		if err != nil {
			return nil, err
		}
		node.Content = append(node.Content, value)
		p.space()
		switch {
		case p.next(end):
			p.at++
			return node, nil
		case !p.next(','):
			return nil, p.errorf("expected a comma or %q", end)
		}
	}
}

// key reads the name of a member and its colon.
func (p *jsonParser) key() (*yaml.Node, error) {
	if !p.next('"') {
		return nil, p.errorf("expected the name of a member")
	}
	key, err := p.text()
	if err != nil {
		return nil, err
	}
	if p.space(); !p.next(':') {
		return nil, p.errorf("expected a colon")
	}
	p.at++
	return key, nil
}

func (p *jsonParser) next(b byte) bool { return p.at < len(p.data) && p.data[p.at] == b }

// text reads a string.
func (p *jsonParser) text() (*yaml.Node, error) {
	node := p.node(yaml.ScalarNode, "!!str", yaml.DoubleQuotedStyle)
	rest := p.data[p.at+1:]
	end, escaped, err := stringEnd(rest)
	if err != nil {
		return nil, p.errorf("%w", err)
	}
	if escaped {
		if err := json.Unmarshal(p.data[p.at:p.at+end+2], &node.Value); err != nil {
			return nil, p.errorf("%w", err)
		}
	} else {
		node.Value = string(rest[:end])
	}
	p.at += end + 2
	return node, nil
}

// stringEnd finds the closing quote.
func stringEnd(text []byte) (end int, escaped bool, err error) {
	for ; end < len(text); end++ {
		switch b := text[end]; {
		case b == '"':
			return end, escaped, nil
		case b == '\\':
			escaped = true
			end++
		case b < ' ':
			return 0, false, errors.New("control character in a string")
		}
	}
	return 0, false, errors.New("string without an end")
}

// literal reads a number, true, false or null.
func (p *jsonParser) literal() (*yaml.Node, error) {
	rest := p.data[p.at:]
	if end := bytes.IndexAny(rest, ",]} \t\r\n"); end >= 0 {
		rest = rest[:end]
	}
	node := p.node(yaml.ScalarNode, "", 0)
	node.Value = string(rest)
	switch {
	case node.Value == "true" || node.Value == "false":
		node.Tag = "!!bool"
	case node.Value == "null":
		node.Tag = "!!null"
	case !json.Valid(rest):
		return nil, p.errorf("unexpected %q", rest)
	case bytes.ContainsAny(rest, ".eE"):
		node.Tag = "!!float"
	default:
		node.Tag = "!!int"
	}
	p.at += len(rest)
	return node, nil
}
