package complete

import (
	"bytes"
	"sort"
)

// quotedEnd is the end of the quoted scalar that begins at a byte.
func quotedEnd(text []byte, at int) int {
	quote := text[at]
	for i := at + 1; i < len(text); i++ {
		switch {
		case text[i] == '\\' && quote == '"':
			i++
		case text[i] != quote:
		case quote == '\'' && i+1 < len(text) && text[i+1] == quote:
			i++
		default:
			return i + 1
		}
	}
	return len(text)
}

// flowEnd is the end of the flow collection that begins at a byte.
func flowEnd(text []byte, at int) int {
	depth := 0
	for i := at; i < len(text); i++ {
		switch c := text[i]; {
		case (c == '"' || c == '\'') && bytes.IndexByte([]byte("[{,: \t\r\n"), text[i-1]) >= 0:
			i = quotedEnd(text, i) - 1
		case c == '#' && bytes.IndexByte([]byte(" \t\r\n"), text[i-1]) >= 0:
			i = lineEnd(text, i)
		case c == '[' || c == '{':
			depth++
		case c == ']' || c == '}':
			if depth--; depth == 0 {
				return i + 1
			}
		}
	}
	return len(text)
}

// flowScalarEnd is the end of the plain scalar that begins at a byte inside
// brackets.
func flowScalarEnd(text []byte, at int) int {
	end := at
	for end < len(text) && bytes.IndexByte([]byte(",]}"), text[end]) < 0 && !bytes.HasPrefix(text[end:], []byte(" #")) {
		end++
	}
	return at + len(bytes.TrimRight(text[at:end], " \t\r\n"))
}

// lineEnd is where the line of a byte ends, before its break.
func lineEnd(text []byte, at int) int {
	for at < len(text) && breakLength(text[at:]) == 0 {
		at++
	}
	return at
}

// rest are the lines behind that of a byte, as their first and last byte.
func (r *yamlReader) rest(at int) func(yield func(from, to int) bool) {
	return func(yield func(from, to int) bool) {
		for line := sort.SearchInts(r.lines, at+1); line < len(r.lines); line++ {
			if from := r.lines[line]; !yield(from, lineEnd(r.text, from)) {
				return
			}
		}
	}
}

// plainEnd is the end of the plain scalar that begins at a byte outside of
// brackets.
func (r *yamlReader) plainEnd(at, outer int) int {
	first := r.text[at:lineEnd(r.text, at)]
	if comment := bytes.Index(first, []byte(" #")); comment >= 0 {
		return at + len(bytes.TrimRight(first[:comment], " \t"))
	}
	end := at + len(bytes.TrimRight(first, " \t"))
	for from, to := range r.rest(at) {
		line := r.text[from:to]
		content := bytes.TrimLeft(line, " \t")
		switch {
		case len(content) == 0:
			continue
		case len(line)-len(content) <= outer || content[0] == '#':
			return end
		}
		if comment := bytes.Index(content, []byte(" #")); comment >= 0 {
			return to - len(content) + len(bytes.TrimRight(content[:comment], " \t"))
		}
		end = from + len(bytes.TrimRight(line, " \t"))
	}
	return end
}

// blockScalarEnd is the end of the literal or folded scalar whose | or > is at
// a byte. Blank lines behind it belong to it where its header says to keep them.
func (r *yamlReader) blockScalarEnd(at, outer int) int {
	end := lineEnd(r.text, at)
	header, _, _ := bytes.Cut(r.text[at:end], []byte(" "))
	keep := bytes.IndexByte(header, '+') >= 0
	inner := -1
	for from, to := range r.rest(at) {
		line := r.text[from:to]
		indent := len(line) - len(bytes.TrimLeft(line, " "))
		blank := len(bytes.TrimSpace(line)) == 0
		switch {
		case blank && (keep || inner >= 0 && len(line) > inner):
			end = to
		case blank:
		case indent <= outer:
			return end
		default:
			if inner < 0 {
				inner = indent
			}
			end = to
		}
	}
	return end
}
