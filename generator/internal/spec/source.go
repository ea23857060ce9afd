package spec

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"gopkg.in/yaml.v3"

	"github.com/idemgen/idemgen/generator/diag"
)

// A source is one file: its text and the tree parsed from it.
type source struct {
	file  string // slash path, as shown to the user
	root  *yaml.Node
	lines []string      // without line ends
	marks map[int][]int // of lines that are very long, see marksOf
	open  Reader        // for the files that this one refers to

	// overlays are the overlays applied to root. What they brought in stays
	// part of this file's tree and keeps its place in theirs: its lines count
	// from overlayLines times the overlay's number, from 1.
	overlays []*source
}

// overlayLines is more lines than a file has.
const overlayLines = 1 << 24

// A Reader reads a file, given by its slash path. Its error wraps
// [io/fs.ErrNotExist] where there is no such file.
type Reader func(file string) ([]byte, error)

// disk is the Reader of the file system.
func disk(file string) ([]byte, error) { return os.ReadFile(filepath.FromSlash(file)) }

// readSource reads and parses a file.
func readSource(open Reader, file string) (*source, error) {
	data, err := open(file)
	if err != nil {
		return nil, err
	}
	src, err := parseSource(file, data)
	if err != nil {
		return nil, err
	}
	src.open = open
	return src, nil
}

func parseSource(file string, data []byte) (*source, error) {
	data = bytes.TrimPrefix(data, []byte("\uFEFF"))
	root, err := parseNodes(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return &source{file: file, root: root, lines: splitLines(data), open: disk}, nil
}

// parseNodes parses JSON as JSON, everything else as YAML. A document that
// starts like JSON and is none may still be YAML in its flow style.
func parseNodes(data []byte) (*yaml.Node, error) {
	if bytes.HasPrefix(bytes.TrimLeft(data, " \t\r\n"), []byte("{")) {
		if root, err := parseJSON(data); err == nil {
			return root, nil
		}
	}
	var document yaml.Node
	if err := yaml.Unmarshal(data, &document); err != nil {
		return nil, err
	}
	if len(document.Content) == 0 {
		return nil, fmt.Errorf("the file is empty")
	}
	return document.Content[0], nil
}

func splitLines(data []byte) []string {
	lines := strings.Split(string(data), "\n")
	for i, line := range lines {
		lines[i] = strings.TrimSuffix(line, "\r")
	}
	return lines
}

// place is the range of a node: of a scalar its text, of anything else what
// stands on its first line.
func (n node) place() diag.Range {
	src, number := n.src, n.Line
	if overlay := number / overlayLines; overlay > 0 {
		src, number = n.src.overlays[overlay-1], number%overlayLines
	}
	r := diag.Range{File: src.file, Start: diag.Position{Line: number, Column: n.Column}}
	r.End = r.Start
	if number < 1 || number > len(src.lines) {
		return r
	}
	line := src.lines[number-1]
	from := src.offset(number, n.Column)
	if skip := propertiesLength(line[from:]); skip > 0 {
		from += skip
		r.Start.Column += utf8.RuneCountInString(line[from-skip : from])
		r.End = r.Start
	}
	length := min(textLength(n.Node, line[from:]), len(line)-from)
	r.End.Column += utf8.RuneCountInString(line[from : from+length])
	return r
}

// propertiesLength is the length of the anchor and the tag that a node begins
// with, where its text follows in the same line.
func propertiesLength(text string) int {
	length := 0
	for strings.HasPrefix(text[length:], "&") || strings.HasPrefix(text[length:], "!") {
		end := strings.IndexByte(text[length:], ' ')
		if end < 0 {
			return 0
		}
		length += end
		length += len(text[length:]) - len(strings.TrimLeft(text[length:], " "))
	}
	return length
}

// textLength is how many bytes of its first line a node takes.
func textLength(node *yaml.Node, text string) int {
	switch {
	case node.Kind == yaml.ScalarNode && node.Style&(yaml.DoubleQuotedStyle|yaml.SingleQuotedStyle) != 0:
		return quotedLength(text)
	case node.Kind == yaml.ScalarNode && strings.HasPrefix(text, node.Value):
		return len(node.Value)
	case node.Style&yaml.FlowStyle != 0:
		return flowLength(text)
	}
	return len(strings.TrimRight(text, " \t"))
}

// quotedLength is the length of a quoted scalar that text begins with, up to
// the end of the line where it goes on behind that.
func quotedLength(text string) int {
	quote := text[:min(1, len(text))]
	for i := 1; i < len(text); i++ {
		switch {
		case text[i] == '\\' && quote == `"`:
			i++
		case text[i:i+1] == quote && quote == "'" && strings.HasPrefix(text[i+1:], "'"):
			i++
		case text[i:i+1] == quote:
			return i + 1
		}
	}
	return len(text)
}

// flowLength is the length of a flow sequence or mapping that text begins
// with, up to the end of the line where it goes on behind that.
func flowLength(text string) int {
	depth := 0
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '"', '\'':
			if strings.ContainsAny(text[max(i-1, 0):max(i, 1)], "[{,: ") {
				i += quotedLength(text[i:]) - 1
			}
		case '[', '{':
			depth++
		case ']', '}':
			if depth--; depth == 0 {
				return i + 1
			}
		}
	}
	return len(strings.TrimRight(text, " \t"))
}
