package contract

import (
	"fmt"

	"github.com/idemgen/idemgen/generator/diag"
	"github.com/idemgen/idemgen/generator/internal/spec"
)

// A reader reads one extension and collects what is wrong with it.
type reader struct {
	operation string // "" for the document's defaults
	findings  diag.List
}

func (r *reader) report(rule string, at diag.Range, message, hint string) {
	r.findings = append(r.findings, diag.Diagnostic{
		Rule: rule, Severity: diag.Error, Range: at, Operation: r.operation, Message: message, Hint: hint,
	})
}

// reportProblem reports what an earlier stage found on the way.
func (r *reader) reportProblem(problem diag.Diagnostic) {
	problem.Operation = r.operation
	r.findings = append(r.findings, problem)
}

// A given is what the document says about one field.
type given[T any] struct {
	value   T
	at      diag.Range // of the value
	present bool       // the field is there
	ok      bool       // and its value makes sense
}

// give reads the value of a field with read, which reports what is wrong.
func give[T any](e spec.Entry, read func(spec.Value) (T, bool)) given[T] {
	value, ok := read(e.Value)
	return given[T]{value, e.Value.Range, true, ok}
}

// over is g, or what the defaults say where g says nothing.
func (g given[T]) over(defaults given[T]) given[T] {
	if g.present {
		return g
	}
	return defaults
}

// or is the value, or a default where the document says nothing of use.
func (g given[T]) or(value T) T {
	if g.ok {
		return g.value
	}
	return value
}

// wants reports a value of the wrong kind.
func (r *reader) wants(v spec.Value, field, want, hint string) {
	r.report(RuleBadValue, v.Range, fmt.Sprintf("%s must be %s, not %s", field, want, describe(v)), hint)
}

// describe names a value in a message.
func describe(v spec.Value) string {
	switch v.Kind {
	case spec.Null:
		return "empty"
	case spec.Bool, spec.Number:
		return v.Text
	case spec.String:
		return fmt.Sprintf("%q", v.Text)
	}
	return v.Kind.String()
}

// choice reads one of a few words.
func (r *reader) choice(field string, words ...string) func(spec.Value) (string, bool) {
	return func(v spec.Value) (string, bool) {
		if v.Kind == spec.String {
			for _, word := range words {
				if v.Text == word {
					return word, true
				}
			}
		}
		r.wants(v, field, oneOf(words), didYouMean(nearest(v.Text, words), "write "+oneOf(words)))
		return "", false
	}
}

// boolean reads true or false.
func (r *reader) boolean(field string) func(spec.Value) (bool, bool) {
	return func(v spec.Value) (bool, bool) {
		if v.Kind != spec.Bool {
			r.wants(v, field, "true or false", "write true or false, without quotes")
			return false, false
		}
		return v.Text[0] == 't' || v.Text[0] == 'T', true
	}
}
