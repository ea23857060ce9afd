package lint

import (
	"fmt"

	"github.com/idemgen/idemgen/generator/diag"
)

// A Suppression accepts the findings of one rule, on one operation or, where
// Operation is empty, on the document and on every operation. Errors cannot be
// accepted: generate refuses them too.
type Suppression struct {
	Rule      string
	Operation string
	Reason    string
	Range     diag.Range // where it is written
}

// Suppress takes out what is accepted, and reports suppressions that accept
// nothing: they would hide a later mistake.
func Suppress(findings diag.List, suppressions []Suppression) diag.List {
	used := make([]bool, len(suppressions))
	refused := make([]bool, len(suppressions))
	var left diag.List
	for _, d := range findings {
		accepted := false
		for i, s := range suppressions {
			if s.Rule != d.Rule || s.Operation != "" && s.Operation != d.Operation {
				continue
			}
			refused[i] = refused[i] || d.Severity == diag.Error
			used[i] = used[i] || d.Severity != diag.Error
			accepted = d.Severity != diag.Error
		}
		if !accepted {
			left = append(left, d)
		}
	}
	for i, s := range suppressions {
		if !used[i] {
			left = append(left, s.unused(refused[i]))
		}
	}
	return left
}

func (s *Suppression) unused(refused bool) diag.Diagnostic {
	d := diag.Diagnostic{Rule: RuleUnusedSuppression, Severity: diag.Warning, Range: s.Range, Operation: s.Operation,
		Message: fmt.Sprintf("%s is suppressed, and there is nothing to suppress", s.Rule), Hint: "remove the suppression"}
	if s.Operation != "" {
		d.Message = fmt.Sprintf("%s is suppressed on %s, and there is nothing to suppress", s.Rule, s.Operation)
	}
	if refused {
		d.Message = fmt.Sprintf("%s cannot be suppressed: it is an error, which generate refuses too", s.Rule)
		d.Hint = "mend the contract and remove the suppression"
	}
	return d
}
