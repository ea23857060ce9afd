package complete

import (
	"bytes"
	"fmt"
	"strings"
)

// A style is how a document is written, so that what is added looks like what
// is there.
type style struct {
	isJSON bool
	eol    string
	step   string // by how much a level is indented; "" for JSON in one line
	list   string // by how much a list is indented below its name
	quote  byte
	json   jsonStyle // of what stands in brackets
}

func styleOf(text []byte, root *node) style {
	s := style{eol: "\n", step: "  ", list: "  ", quote: '\'', isJSON: root.flow && isJSON(text)}
	if line := lineEnd(text, 0); bytes.HasPrefix(text[line:], []byte("\r\n")) {
		s.eol = "\r\n"
	}
	if s.isJSON {
		s.json = jsonStyle{colon: ":", comma: ","}
		s.step = ""
		if len(root.pairs) > 0 {
			first := root.pairs[0]
			if line := bytes.LastIndexByte(text[:first.key.start], '\n'); line >= 0 {
				s.step = string(text[line+1 : first.key.start])
			}
			if text[first.value.start-1] == ' ' {
				s.json = jsonStyle{colon: ": ", comma: ", "}
			}
		}
		return s
	}
	s.look(root)
	s.json = jsonStyle{colon: ": ", comma: ", ", scalar: s.scalar, key: func(name string) string { return quoted(name, s.quote) }}
	return s
}

func isJSON(text []byte) bool { return bytes.HasPrefix(bytes.TrimLeft(text, " \t\r\n"), []byte("{")) }

// look takes the first example of everything that a YAML document shows.
func (s *style) look(root *node) {
	var step, list, quote bool
	var walk func(n *node, depth int)
	walk = func(n *node, depth int) {
		if depth > maxDepth || step && list && quote {
			return
		}
		for _, p := range n.pairs {
			v := p.value
			switch block := !v.flow && !n.flow; {
			case block && v.kind == mapping && !step && v.indent > n.indent:
				step, s.step = true, strings.Repeat(" ", v.indent-n.indent)
			case block && v.kind == sequence && !list && v.indent >= n.indent:
				list, s.list = true, strings.Repeat(" ", v.indent-n.indent)
			case p.key.value == "$ref" && v.quote != 0 && !quote:
				quote, s.quote = true, v.quote
			}
			walk(v, depth+1)
		}
		for _, item := range n.items {
			walk(item, depth+1)
		}
	}
	walk(root, 0)
}

// key writes a name as its neighbours in a mapping are written.
func (s *style) key(n *node, name string) string {
	if s.isJSON {
		return s.json.text(name)
	}
	if status(name) == 0 {
		return quoted(name, s.quote)
	}
	for _, p := range n.pairs {
		if status(p.key.value) == 0 {
			continue
		}
		if p.key.quote == 0 {
			return name
		}
		return withQuotes(name, p.key.quote)
	}
	return withQuotes(name, s.quote)
}

func (s *style) scalar(value any) string {
	if text, ok := value.(string); ok {
		return quoted(text, s.quote)
	}
	return fmt.Sprint(value)
}

// flow writes a value in brackets.
func (s *style) flow(value any, margin string, inline bool) string {
	const short = 80
	if text := s.json.inline(value); inline || !s.isJSON && len(text) <= short {
		return text
	}
	step := s.step
	if !s.isJSON {
		step = "  "
	}
	return s.json.block(value, margin, step, s.eol)
}

// member writes a member of a block mapping, a line at a time.
func (s *style) member(key string, value any) []string {
	switch v := value.(type) {
	case object:
		if len(v) == 0 {
			return []string{key + ": {}"}
		}
		lines := []string{key + ":"}
		for _, m := range v {
			for _, line := range s.member(quoted(m.name, s.quote), m.value) {
				lines = append(lines, s.step+line)
			}
		}
		return lines
	case list:
		lines := []string{key + ":"}
		for _, item := range v {
			for _, line := range s.item(item) {
				lines = append(lines, s.list+line)
			}
		}
		return lines
	}
	return []string{key + ": " + s.scalar(value)}
}

// item writes an item of a block sequence.
func (s *style) item(value any) []string {
	members, ok := value.(object)
	if !ok {
		return []string{"- " + s.scalar(value)}
	}
	var lines []string
	for _, m := range members {
		for _, line := range s.member(quoted(m.name, s.quote), m.value) {
			lines = append(lines, "  "+line)
		}
	}
	lines[0] = "- " + lines[0][2:]
	return lines
}
