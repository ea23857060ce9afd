package generator

import (
	"github.com/idemgen/idemgen/generator/diag"
	"github.com/idemgen/idemgen/generator/internal/contract"
	"github.com/idemgen/idemgen/generator/internal/lint"
	"github.com/idemgen/idemgen/generator/internal/spec"
)

// LintOptions say what to look at.
type LintOptions struct {
	// Specs are the OpenAPI documents.
	Specs []string
	// Overlays are OpenAPI Overlay files, applied to each document in order.
	Overlays []string
	// Suppressions are findings to accept.
	Suppressions []Suppression
}

// A Suppression accepts the findings of one rule. Errors cannot be accepted.
type Suppression struct {
	Rule string
	// Operation is the operationId, else "METHOD /path"; "" accepts the rule's
	// findings everywhere.
	Operation string
	Reason    string
	// Range is where it is written, for a finding that it is not needed.
	Range diag.Range
}

// Lint looks at the contracts of documents, without a generated server. An
// error means that a file could not be read.
func Lint(opts LintOptions) (diag.List, error) {
	var findings diag.List
	readings := make([]lint.Reading, 0, len(opts.Specs))
	for _, file := range opts.Specs {
		document, err := spec.Load(file, opts.Overlays...)
		if err != nil {
			return nil, err
		}
		contracts, found := contract.Read(document)
		findings = append(findings, found...)
		findings = append(findings, lint.Check(document, contracts)...)
		readings = append(readings, lint.Reading{Document: document, Contracts: contracts})
	}
	findings = append(findings, lint.Together(readings)...)
	suppressions := make([]lint.Suppression, len(opts.Suppressions))
	for i, s := range opts.Suppressions {
		suppressions[i] = lint.Suppression(s)
	}
	return lint.Suppress(findings, suppressions).Sort(), nil
}
