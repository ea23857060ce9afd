package runtime

import (
	"bytes"
	"encoding/json"
	"io"
	"slices"
)

// JSON writes a value that the handler gets as raw JSON. It is compared as JSON:
// the order of members, whitespace and escapes do not matter, and of a repeated
// member the last one counts. Its numbers count as written, since the handler
// can tell 1 from 1.0. Nothing at all is Null, which the literal null is not.
func (h *Hasher) JSON(v []byte) {
	h.begin()
	if len(v) == 0 {
		h.tag(tagNull)
		return
	}
	decoded, err := decodeJSON(v)
	switch {
	case err != nil:
		h.writeBytes(tagInvalid, v)
	case decoded == nil:
		h.tag(tagExplicitNull)
	default:
		h.verbatim = true
		h.value(decoded)
		h.verbatim = false
	}
}

// decodeJSON decodes one JSON value and keeps the text of its numbers.
func decodeJSON(text []byte) (decoded any, err error) {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	if err := decoder.Decode(&decoded); err != nil {
		return nil, err
	}
	if _, err := decoder.Token(); err != io.EOF {
		return nil, io.ErrUnexpectedEOF
	}
	return decoded, nil
}

// jsonNumber writes a number of decoded JSON.
func (h *Hasher) jsonNumber(v json.Number) {
	if h.verbatim {
		h.writeString(tagVerbatim, string(v))
		return
	}
	h.number([]byte(v))
}

// array writes an array of decoded JSON.
func (h *Hasher) array(v []any) {
	if v == nil {
		h.tag(tagNull)
		return
	}
	if !h.enter() {
		return
	}
	h.tag(tagArray)
	outer := h.defaults
	h.defaults = outer.elements()
	for _, element := range v {
		h.value(element)
	}
	h.defaults = outer
	h.tag(tagArrayEnd)
	h.leave()
}

// object writes an object of decoded JSON.
func (h *Hasher) object(v map[string]any) {
	if v == nil {
		h.tag(tagNull)
		return
	}
	if !h.enter() {
		return
	}
	if h.defaults != nil {
		h.objectWithDefaults(h.jsonMembers(v))
		h.leave()
		return
	}
	names := make([]string, 0, len(v))
	for name := range v {
		names = append(names, name)
	}
	slices.Sort(names)
	h.tag(tagObject)
	for _, name := range names {
		h.writeString(tagString, name)
		h.value(v[name])
	}
	h.tag(tagObjectEnd)
	h.leave()
}
