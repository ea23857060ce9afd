// Package report prints findings. Each format is a function of the findings
// and of the texts they are about.
package report

import (
	"fmt"
	"io"
	"strings"

	"github.com/idemgen/idemgen/generator/diag"
)

// Text prints findings for people: place, message, the line with a mark below
// it, and the hint. lines returns the lines of a file; a place that it does not
// have is printed without an excerpt.
func Text(w io.Writer, findings diag.List, lines func(file string) []string) error {
	var b strings.Builder
	for _, d := range findings {
		fmt.Fprintf(&b, "%s: %s: %s [%s]\n", d.Range, d.Severity, d.Message, d.Rule)
		writeExcerpt(&b, d.Range, lines(d.Range.File))
		if d.Hint != "" {
			fmt.Fprintf(&b, "  hint: %s\n", d.Hint)
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// writeExcerpt writes a line of the text and marks a range in it.
func writeExcerpt(b *strings.Builder, r diag.Range, lines []string) {
	at := r.Start.Line - 1
	if at < 0 || at >= len(lines) || lines[at] == "" {
		return
	}
	line := []rune(lines[at])
	from := min(max(r.Start.Column-1, 0), len(line))
	to := len(line)
	if r.End.Line == r.Start.Line {
		to = min(max(r.End.Column-1, from+1), len(line))
	}
	line, from, to = cut(line, from, to)
	fmt.Fprintf(b, "%6d | %s\n", r.Start.Line, string(line))
	fmt.Fprintf(b, "       | %s%s\n", blank(line[:from]), strings.Repeat("^", max(to-from, 1)))
}

// Documents in JSON may be one long line: excerpts are not.
const (
	excerptBefore = 60
	excerptWidth  = 120
)

// cut shortens a line around a range. The range stays inside it.
func cut(line []rune, from, to int) ([]rune, int, int) {
	if len(line) <= excerptWidth {
		return line, from, to
	}
	if start := from - excerptBefore; start > 0 {
		line, from, to = append([]rune("…"), line[start:]...), from-start+1, to-start+1
	}
	if len(line) > excerptWidth {
		line = append(line[:excerptWidth:excerptWidth], '…')
	}
	return line, from, min(to, excerptWidth)
}

// blank is white space as wide as a text: tabs stay tabs.
func blank(text []rune) string {
	return strings.Map(func(r rune) rune {
		if r == '\t' {
			return r
		}
		return ' '
	}, string(text))
}
