package spec

import (
	"bytes"
	"encoding/json"
	"math"
	"strconv"

	"gopkg.in/yaml.v3"
)

// compactJSON writes a node as JSON without white space: members in the order
// of the text, numbers as written where JSON allows it. Nil means that it has
// no JSON form.
func compactJSON(n node) []byte {
	var b bytes.Buffer
	if !writeJSON(&b, n, 0) {
		return nil
	}
	return b.Bytes()
}

func writeJSON(b *bytes.Buffer, n node, depth int) bool {
	switch {
	case !n.present() || depth > maxValueDepth:
		return false
	case n.is(yaml.MappingNode):
		b.WriteByte('{')
		for i, p := range n.pairs() {
			if i > 0 {
				b.WriteByte(',')
			}
			writeString(b, p.key.Value)
			b.WriteByte(':')
			if !writeJSON(b, p.value, depth+1) {
				return false
			}
		}
		b.WriteByte('}')
		return true
	case n.is(yaml.SequenceNode):
		b.WriteByte('[')
		for i, item := range n.items() {
			if i > 0 {
				b.WriteByte(',')
			}
			if !writeJSON(b, item, depth+1) {
				return false
			}
		}
		b.WriteByte(']')
		return true
	}
	return writeScalar(b, n.Node)
}

func writeScalar(b *bytes.Buffer, n *yaml.Node) bool {
	switch n.ShortTag() {
	case "!!null":
		b.WriteString("null")
	case "!!bool":
		var v bool
		if n.Decode(&v) != nil {
			return false
		}
		b.WriteString(strconv.FormatBool(v))
	case "!!int", "!!float":
		if json.Valid([]byte(n.Value)) {
			b.WriteString(n.Value)
			return true
		}
		var v float64
		if n.Decode(&v) != nil || math.IsInf(v, 0) || math.IsNaN(v) {
			return false
		}
		b.WriteString(strconv.FormatFloat(v, 'g', -1, 64))
	default:
		writeString(b, n.Value)
	}
	return true
}

// writeString writes a string without escaping for HTML.
func writeString(b *bytes.Buffer, s string) {
	encoder := json.NewEncoder(b)
	encoder.SetEscapeHTML(false)
	if encoder.Encode(s) == nil { // a string always encodes
		b.Truncate(b.Len() - 1) // the line end
	}
}
