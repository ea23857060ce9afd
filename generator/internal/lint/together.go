package lint

import (
	"fmt"

	"github.com/idemgen/idemgen/generator/diag"
	"github.com/idemgen/idemgen/generator/internal/contract"
	"github.com/idemgen/idemgen/generator/internal/spec"
)

// A Reading is a document with the contracts read from it.
type Reading struct {
	Document  *spec.Document
	Contracts []contract.Contract
}

// Together looks at documents that were given in one run: two that have a title
// in common, and a protected operation, keep that operation's keys together.
func Together(readings []Reading) diag.List {
	var findings diag.List
	type name struct{ title, operation string }
	first := map[name]*contract.Contract{}
	for _, r := range readings {
		for i := range r.Contracts {
			c := &r.Contracts[i]
			n := name{c.API, c.Operation}
			other, ok := first[n]
			switch {
			case !ok:
				first[n] = c
			case other.Range.File != c.Range.File:
				findings = append(findings, diag.Diagnostic{
					Rule: RuleSharedTitle, Severity: diag.Warning, Range: r.Document.TitleRange, Operation: c.Operation,
					Message: fmt.Sprintf("%s has the title %q as well, and both protect %s: on one store their keys would meet", other.Range.File, c.API, c.Operation),
					Hint:    "give one of the documents another info.title, unless they are one API on purpose",
				})
			}
		}
	}
	return findings
}
