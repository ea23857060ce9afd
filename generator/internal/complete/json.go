package complete

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
)

// maxDepth bounds the nesting of a document.
const maxDepth = 1000

// parseJSON reads a JSON document.
func parseJSON(text []byte) (*node, error) {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	p := jsonParser{text: text, decoder: decoder}
	token, err := p.next()
	if err != nil {
		return nil, err
	}
	root, err := p.value(token, 0)
	if err != nil {
		return nil, err
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("text behind the document")
	}
	return root, nil
}

// A jsonParser builds the tree from the tokens of a document.
type jsonParser struct {
	text    []byte
	decoder *json.Decoder
	start   int // of the token that next returned last
}

func (p *jsonParser) next() (json.Token, error) {
	at := int(p.decoder.InputOffset())
	for at < len(p.text) && bytes.IndexByte([]byte(" \t\r\n,:"), p.text[at]) >= 0 {
		at++
	}
	p.start = at
	return p.decoder.Token()
}

func (p *jsonParser) end() int { return int(p.decoder.InputOffset()) }

// value reads the value that begins with a token.
func (p *jsonParser) value(token json.Token, depth int) (*node, error) {
	n := &node{start: p.start, end: p.end()}
	switch t := token.(type) {
	case string:
		n.value, n.quote = t, '"'
	case json.Number:
		n.value = t.String()
	case json.Delim:
		n.flow = true
		if depth == maxDepth {
			return nil, errors.New("the document is nested too deep")
		}
		if t == '{' {
			n.kind = mapping
			return n, p.members(n, depth)
		}
		n.kind = sequence
		return n, p.items(n, depth)
	default:
		n.value = string(p.text[n.start:n.end])
	}
	return n, nil
}

func (p *jsonParser) members(n *node, depth int) error {
	for {
		token, err := p.next()
		if err != nil {
			return err
		}
		if token == json.Delim('}') {
			n.end = p.end()
			return nil
		}
		key, err := p.value(token, depth)
		if err != nil {
			return err
		}
		if token, err = p.next(); err != nil {
			return err
		}
		value, err := p.value(token, depth+1)
		if err != nil {
			return err
		}
		n.pairs = append(n.pairs, pair{key: key, value: value})
	}
}

func (p *jsonParser) items(n *node, depth int) error {
	for {
		token, err := p.next()
		if err != nil {
			return err
		}
		if token == json.Delim(']') {
			n.end = p.end()
			return nil
		}
		item, err := p.value(token, depth+1)
		if err != nil {
			return err
		}
		n.items = append(n.items, item)
	}
}
