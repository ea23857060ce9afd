package contract

import (
	"fmt"

	"github.com/idemgen/idemgen/generator/diag"
	"github.com/idemgen/idemgen/generator/internal/spec"
)

// maxMisspelt is how many letters a misspelt name of the extension has wrong.
// With more it is probably another tool's.
const maxMisspelt = 2

// checkSpelling warns of extensions that are nearly ours. They are left alone,
// and their authors believe in a protection that is not there.
func checkSpelling(document *spec.Document) diag.List {
	var findings diag.List
	for _, e := range document.ExtensionNames() {
		meant := meantExtension(e)
		if meant == "" || meant == e.Name {
			continue
		}
		findings = append(findings, diag.Diagnostic{
			Rule: RuleMisspelt, Severity: diag.Warning, Range: e.Range, Operation: e.Operation,
			Message: fmt.Sprintf("%s means nothing to idemgen", e.Name), Hint: didYouMean(meant, ""),
		})
	}
	return findings
}

// meantExtension is the extension whose name an unknown one resembles.
func meantExtension(e spec.ExtensionName) string {
	own := spec.Extension
	if e.Operation == "" {
		own = spec.Defaults
	}
	if distance(fold(e.Name), fold(own)) <= maxMisspelt {
		return own
	}
	return ""
}
