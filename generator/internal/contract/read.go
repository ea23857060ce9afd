package contract

import (
	"fmt"

	"github.com/idemgen/idemgen/generator/diag"
	"github.com/idemgen/idemgen/generator/internal/spec"
)

// Read returns the contracts of a document in the order of its operations, and
// everything that is wrong with them. Where a finding is an error, the
// contracts are incomplete.
func Read(document *spec.Document) ([]Contract, diag.List) {
	defaults := reader{}
	given := defaults.readDefaults(document.Defaults)
	findings := defaults.findings
	for _, problem := range document.Problems {
		defaults.reportProblem(problem)
		findings = defaults.findings
	}

	var contracts []Contract
	finder := newDefaultFinder()
	for i := range document.Operations {
		operation := &document.Operations[i]
		if operation.Contract == nil {
			continue
		}
		contract, found, ok := read(newBuilder(document, operation, finder), given)
		findings = append(findings, found...)
		if ok {
			contracts = append(contracts, contract)
		}
	}
	findings = append(findings, checkTogether(document, contracts)...)
	findings = append(findings, checkSpelling(document)...)
	return contracts, findings.Sort()
}

// read returns the contract of one operation, if it has one.
func read(b *builder, defaults settings) (Contract, diag.List, bool) {
	operation := b.operation
	own, ok := b.readExtension(*operation.Contract)
	if !ok {
		return Contract{}, b.findings, false
	}
	if operation.Safe() {
		b.report(RuleSafeMethod, operation.Contract.Range,
			fmt.Sprintf("%s %s has a contract, but %s promises to have no effect", operation.Method, operation.Path, operation.Method),
			`remove the contract, or write {exempt: "reads only"}`)
		return Contract{}, b.findings, false
	}
	b.build(own.over(defaults))
	return b.contract, b.findings, true
}

// A builder fills in one contract from what the document says.
type builder struct {
	reader
	name      string // of the operation, in messages
	operation *spec.Operation
	request   request
	contract  Contract
	keyFound  bool
	defaults  *defaultFinder // of the document
}

func newBuilder(document *spec.Document, operation *spec.Operation, finder *defaultFinder) *builder {
	return &builder{
		reader:    reader{operation: operation.Name()},
		name:      operation.Name(),
		operation: operation,
		defaults:  finder,
		contract: Contract{
			API:         document.Title,
			Operation:   operation.Name(),
			OperationID: operation.ID,
			Method:      operation.Method,
			Path:        operation.Path,
			Range:       operation.Contract.Range,
		},
	}
}

// build fills in the contract section by section. The key comes before the
// fingerprint, which leaves it out.
func (b *builder) build(s settings) {
	b.readRequest()
	responses := b.readResponses()
	b.key(s)
	b.scope(s)
	b.fingerprint(s)
	b.durations(s)
	b.policies(s)
	b.remember(s, responses)
	for _, c := range b.request.contents {
		b.contract.Contents = append(b.contract.Contents, c.Content)
	}
}

// checkTogether reports what is wrong with contracts as a set.
func checkTogether(document *spec.Document, contracts []Contract) diag.List {
	var r reader
	if document.Title == "" && len(contracts) > 0 {
		r.report(RuleMissingTitle, document.TitleRange, "the document has no info.title: keys are kept under the API's name",
			"give it a title, and keep that: another one forgets all keys")
	}
	first := map[string]Contract{}
	for _, c := range contracts {
		other, ok := first[c.Operation]
		if !ok {
			first[c.Operation] = c
			continue
		}
		r.operation = c.Operation
		r.report(RuleSharedKeys, c.Range, fmt.Sprintf("%s %s and %s %s (line %d) are both %s: their keys would meet",
			c.Method, c.Path, other.Method, other.Path, other.Range.Start.Line, c.Operation), "give each its own operationId")
	}
	return r.findings
}
