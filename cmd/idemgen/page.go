package main

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/idemgen/idemgen/generator"
)

// A page prints text for people, up to the first error.
type page struct {
	w     io.Writer
	color bool
	err   error
}

// pageWidth is where text wraps.
const pageWidth = 100

func (p *page) line(format string, args ...any) {
	if p.err == nil {
		_, p.err = fmt.Fprintf(p.w, format+"\n", args...)
	}
}

// head prints a line in bold where there is colour.
func (p *page) head(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	if p.color {
		text = "\x1b[1m" + text + "\x1b[0m"
	}
	p.line("%s", text)
}

// section prints a heading and a text below it, nothing without a text.
func (p *page) section(heading, text string) {
	if text == "" {
		return
	}
	p.line("")
	p.head("%s", heading)
	for _, line := range wrap(text, pageWidth-2) {
		p.line("  %s", line)
	}
}

// table prints rows in columns of the given widths, under heads.
func (p *page) table(heads []string, widths []int, rows [][]string) {
	p.row(heads, widths)
	rules := make([]string, len(widths))
	for i, width := range widths {
		rules[i] = strings.Repeat("─", width)
	}
	p.row(rules, widths)
	for _, row := range rows {
		p.row(row, widths)
	}
}

// row prints one row, as many lines as its longest cell needs.
func (p *page) row(cells []string, widths []int) {
	wrapped := make([][]string, len(cells))
	height := 0
	for i, cell := range cells {
		wrapped[i] = wrap(cell, widths[i])
		height = max(height, len(wrapped[i]))
	}
	for n := range height {
		var b strings.Builder
		for i := range wrapped {
			text := ""
			if n < len(wrapped[i]) {
				text = wrapped[i][n]
			}
			b.WriteString("  " + text + strings.Repeat(" ", max(0, widths[i]-utf8.RuneCountInString(text))))
		}
		p.line("%s", strings.TrimRight(b.String(), " "))
	}
}

// wrap breaks a text at spaces into lines of a width. A longer word has a line
// of its own.
func wrap(text string, width int) []string {
	var lines []string
	line := ""
	for word := range strings.FieldsSeq(text) {
		switch {
		case line == "":
			line = word
		case utf8.RuneCountInString(line)+1+utf8.RuneCountInString(word) <= width:
			line += " " + word
		default:
			lines = append(lines, line)
			line = word
		}
	}
	if line != "" {
		lines = append(lines, line)
	}
	return lines
}

// explanation prints what a document promises about an operation.
func (p *page) explanation(e *generator.Explanation) {
	place := e.Method + " " + e.Path
	if e.Operation != place {
		place = e.Operation + " (" + place + ")"
	}
	p.head("%s of %s", place, e.API)
	p.line("")
	if e.Exemption != "" {
		p.line("It has no contract, on purpose: %s.", strings.TrimSuffix(e.Exemption, "."))
		return
	}
	if !e.Protected {
		p.line("It has no contract: a request that is sent again takes effect again.")
		return
	}
	for _, line := range wrap(e.Promise, pageWidth) {
		p.line("%s", line)
	}
	p.line("")
	p.terms(e.Terms)
	p.line("")
	rows := make([][]string, len(e.Cases))
	for i, c := range e.Cases {
		rows[i] = []string{c.When, c.Happens, c.Client}
	}
	p.table([]string{"when", "what happens", "what the client gets"}, []int{24, 38, 36}, rows)
}

func (p *page) terms(terms []generator.Term) {
	rows := make([][]string, len(terms))
	for i, t := range terms {
		value := t.Value
		if !t.Stated {
			value += " (default)"
		}
		rows[i] = []string{t.Field, value, t.Words}
	}
	p.table([]string{"field", "value", "in words"}, []int{16, 36, 46}, rows)
}
