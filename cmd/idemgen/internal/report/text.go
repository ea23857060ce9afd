package report

import (
	"fmt"
	"io"
	"strings"

	"github.com/idemgen/idemgen/generator/diag"
)

// A Style says how [Style.Text] prints. The zero Style prints findings of
// contracts without colour.
type Style struct {
	Color bool // ANSI escape sequences
	Words Words
}

// Text prints findings for people, in the zero Style.
func Text(w io.Writer, findings diag.List, lines func(file string) []string) error {
	return Style{}.Text(w, findings, lines)
}

// Text prints findings for people: place, message, the line with a mark below
// it, whom it hurts and the hint. lines returns the lines of a file; a place
// that it does not have is printed without an excerpt.
func (s Style) Text(w io.Writer, findings diag.List, lines func(file string) []string) error {
	var b strings.Builder
	for _, d := range findings {
		fmt.Fprintf(&b, "%s: %s: %s %s\n", s.paint(bold, d.Range.String()), s.paint(colorOf(d.Severity), s.Words.Of(d.Severity)),
			d.Message, s.paint(faint, "["+d.Rule+"]"))
		s.writeExcerpt(&b, d, lines(d.Range.File))
		if d.Hurts != "" {
			fmt.Fprintf(&b, "  hurts: %s\n", d.Hurts)
		}
		if d.Hint != "" {
			fmt.Fprintf(&b, "  hint: %s\n", d.Hint)
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// ANSI codes (ECMA-48, select graphic rendition).
const (
	bold   = "1"
	faint  = "2"
	red    = "1;31"
	yellow = "1;33"
	cyan   = "1;36"
)

func colorOf(s diag.Severity) string {
	switch s {
	case diag.Error:
		return red
	case diag.Warning:
		return yellow
	}
	return cyan
}

func (s Style) paint(code, text string) string {
	if !s.Color {
		return text
	}
	return "\x1b[" + code + "m" + text + "\x1b[0m"
}

// writeExcerpt writes a line of the text and marks a range in it.
func (s Style) writeExcerpt(b *strings.Builder, d diag.Diagnostic, lines []string) {
	r := d.Range
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
	fmt.Fprintf(b, "%s %s\n", s.paint(faint, fmt.Sprintf("%6d |", r.Start.Line)), string(line))
	fmt.Fprintf(b, "%s %s%s\n", s.paint(faint, "       |"), blank(line[:from]), s.paint(colorOf(d.Severity), strings.Repeat("^", max(to-from, 1))))
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
