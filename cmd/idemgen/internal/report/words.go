package report

import "github.com/idemgen/idemgen/generator/diag"

// Words name the severities. The zero Words are those of findings: error,
// warning, advice.
type Words struct{ Error, Warning, Advice string }

// Changes name the severities of changes between two versions of contracts.
func Changes() Words { return Words{"breaking", "risky", "fine"} }

// Of is the word for a severity.
func (w Words) Of(s diag.Severity) string {
	word := ""
	switch s {
	case diag.Error:
		word = w.Error
	case diag.Warning:
		word = w.Warning
	case diag.Advice:
		word = w.Advice
	}
	if word == "" {
		return s.String()
	}
	return word
}
