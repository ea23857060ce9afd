package runtime

import (
	"encoding/binary"
	"math"
	"slices"
)

// headerTable has header lines, and names without a value, that answers often
// have: they take a byte in a record. It is part of the format: a change needs
// a new version of it.
var headerTable = [...]HeaderLine{
	{"Content-Type", "application/json"},
	{"Content-Type", "application/json; charset=utf-8"},
	{"Content-Type", "application/problem+json"},
	{"Content-Type", "text/plain; charset=utf-8"},
	{"Content-Type", ""},
	{"Location", ""},
	{"Cache-Control", "no-store"},
	{"Cache-Control", ""},
	{"Etag", ""},
	{"Link", ""},
	{"Last-Modified", ""},
	{"Content-Language", ""},
	{"Content-Location", ""},
	{"Retry-After", ""},
	{"Vary", ""},
	{"X-Request-Id", ""},
}

// tabled returns the number of a line in headerTable, from one: of name and
// value, else of the name alone, and whether the value is in the table. Zero is
// for neither.
func tabled(line HeaderLine) (number uint64, whole bool) {
	for i := range headerTable {
		entry := &headerTable[i]
		switch {
		case entry.Name != line.Name:
		case entry.Value == "":
			return uint64(i + 1), false // after the entries that have a value
		case entry.Value == line.Value:
			return uint64(i + 1), true
		}
	}
	return 0, false
}

// answerRoom is about what an answer takes, so that it is seldom moved while it
// is written.
func answerRoom(a *Answer) int {
	if a == nil {
		return 0
	}
	room := lineRoom + len(a.Body) + len(a.Reference)
	for _, line := range a.Header {
		room += lineRoom + len(line.Name) + len(line.Value)
	}
	return room
}

func (c *RecordCodec) appendAnswer(dst []byte, a *Answer) []byte {
	dst = binary.AppendUvarint(dst, uint64(a.Status))
	dst = binary.AppendUvarint(dst, uint64(len(a.Header)))
	for _, line := range a.Header {
		number, whole := tabled(line)
		dst = binary.AppendUvarint(dst, number)
		if number == 0 {
			dst = appendText(dst, line.Name)
		}
		if !whole {
			dst = appendText(dst, line.Value)
		}
	}
	if a.Reference != "" {
		return append(append(dst, bodyPlain), a.Reference...)
	}
	return c.appendBody(dst, a.Body)
}

func appendText(dst []byte, text string) []byte {
	return append(binary.AppendUvarint(dst, uint64(len(text))), text...)
}

func (d *decoder) answer() *Answer {
	a := &d.memory.answer
	a.Status, a.Header = int(d.number(math.MaxInt32)), d.header()
	switch d.byte() {
	case bodyPlain:
		if len(d.rest) > 0 {
			a.Body = d.rest[:len(d.rest):len(d.rest)]
		}
	case bodyDeflated:
		var ok bool
		size := d.number(math.MaxInt64)
		if a.Body, ok = d.codec.inflate(d.rest, size); !ok {
			d.fail("body is not what was deflated")
		}
	default:
		d.fail("unknown body codec")
	}
	return a
}

// header reads the header lines. Those parts that the table has not share the
// memory of one string.
func (d *decoder) header() []HeaderLine {
	n := d.count(1)
	if n == 0 {
		return nil
	}
	if n > maxHeaderLines {
		d.fail("too many header lines")
		return nil
	}
	first := *d // a first reading finds the end, so that no more is copied
	for range n {
		first.headerLine("", 0)
	}
	if first.problem != "" {
		d.fail(first.problem)
		return nil
	}
	size := len(d.rest)
	text := string(d.rest[:size-len(first.rest)])
	lines := slices.Grow(d.memory.header[:0], n)[:n]
	for i := range lines {
		lines[i] = d.headerLine(text, size)
	}
	return lines
}

// headerLine reads a line, which takes its parts from text: that is what stood
// where size bytes were left. Without a text the parts are empty.
func (d *decoder) headerLine(text string, size int) HeaderLine {
	number := d.number(uint64(len(headerTable)))
	if number == 0 {
		return HeaderLine{Name: d.text(text, size), Value: d.text(text, size)}
	}
	line := headerTable[number-1]
	if line.Value == "" {
		line.Value = d.text(text, size)
	}
	return line
}

func (d *decoder) text(text string, size int) string {
	length := len(d.take(d.number(math.MaxInt64)))
	if text == "" || d.problem != "" {
		return ""
	}
	end := size - len(d.rest)
	return text[end-length : end]
}
