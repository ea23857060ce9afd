package server

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
)

// parseFile parses a Go file without the bodies of its functions, which are most
// of its text, where that is possible: only the strict handler's are looked at.
func parseFile(fset *token.FileSet, name string, text []byte) (*ast.File, error) {
	const mode = parser.ParseComments | parser.SkipObjectResolution
	if file, err := parser.ParseFile(fset, name, withoutBodies(text), mode); err == nil {
		return file, nil
	}
	return parser.ParseFile(fset, name, text, mode)
}

// withoutBodies empties the bodies of functions and keeps the lines. It goes by
// the form that gofmt gives: a declaration ends in the first line that is a
// brace. Text that is made to look like that, as a raw string can be, gives a
// file that does not parse.
func withoutBodies(text []byte) []byte {
	out := make([]byte, 0, len(text))
	for len(text) > 0 {
		line, rest, _ := bytes.Cut(text, []byte("\n"))
		out = append(append(out, line...), '\n')
		text = rest
		if !bytes.HasPrefix(line, []byte("func ")) || !bytes.HasSuffix(line, []byte("{")) || bytes.Contains(line, []byte(strictHandler+")")) {
			continue
		}
		if end := bytes.Index(rest, []byte("\n}\n")); end >= 0 && !bytes.HasPrefix(rest, []byte("}")) {
			out = append(out, bytes.Repeat([]byte("\n"), bytes.Count(rest[:end+1], []byte("\n")))...)
			text = rest[end+1:]
		}
	}
	return out
}
