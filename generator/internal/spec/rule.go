package spec

import "github.com/idemgen/idemgen/generator/diag"

// Rules of this stage, by id.
const (
	RuleBrokenReference = "broken-reference"
	RuleMisplaced       = "misplaced-extension"
)

func broken(r diag.Range, message, hint string) *diag.Diagnostic {
	return &diag.Diagnostic{Rule: RuleBrokenReference, Range: r, Message: message, Hint: hint}
}
