// Package diag has the findings of every stage as values. Stages return them,
// printers show them; nothing here prints or exits.
package diag

import (
	"cmp"
	"fmt"
	"slices"
)

// A Severity says what a finding costs.
type Severity int

const (
	// Error: generate refuses.
	Error Severity = iota
	// Warning: probably wrong.
	Warning
	// Advice: a decision to make knowingly.
	Advice
)

// String returns the severity in lower case.
func (s Severity) String() string {
	switch s {
	case Error:
		return "error"
	case Warning:
		return "warning"
	case Advice:
		return "advice"
	}
	return fmt.Sprintf("severity(%d)", int(s))
}

// A Position is a place in a text: line and column from 1, columns in
// characters. The zero Position is unknown.
type Position struct{ Line, Column int }

// A Range is a piece of a file. End is behind its last character; it equals
// Start where only a point is known.
type Range struct {
	File       string // slash path, as the user gave it or relative to that
	Start, End Position
}

// String returns file:line:col.
func (r Range) String() string {
	return fmt.Sprintf("%s:%d:%d", r.File, r.Start.Line, r.Start.Column)
}

// A Diagnostic is one finding.
type Diagnostic struct {
	Rule      string // id, such as unknown-field
	Severity  Severity
	Range     Range
	Operation string // operationId, else "METHOD /path"; "" for the document
	Message   string // what is wrong
	Hint      string // how to fix it
	// Hurts says who is worse off, where the finding is a change between two
	// versions of a contract; "" for nobody, and for every other finding.
	Hurts string
}

// A List is the findings of a run.
type List []Diagnostic

// Sort orders by file, place and rule, and drops repetitions.
func (l List) Sort() List {
	slices.SortStableFunc(l, func(a, b Diagnostic) int {
		return cmp.Or(
			cmp.Compare(a.Range.File, b.Range.File),
			cmp.Compare(a.Range.Start.Line, b.Range.Start.Line),
			cmp.Compare(a.Range.Start.Column, b.Range.Start.Column),
			cmp.Compare(a.Rule, b.Rule),
			cmp.Compare(a.Message, b.Message),
		)
	})
	return slices.Compact(l)
}

// HasErrors reports whether a finding is an error.
func (l List) HasErrors() bool {
	return slices.ContainsFunc(l, func(d Diagnostic) bool { return d.Severity == Error })
}
