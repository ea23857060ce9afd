package lint

import (
	"github.com/idemgen/idemgen/generator/diag"
	"github.com/idemgen/idemgen/generator/internal/contract"
	"github.com/idemgen/idemgen/generator/internal/spec"
)

// Check looks at a document and at the contracts that the contract stage has
// read from it. Contracts with errors may be among them: what could not be read
// of them is passed over.
func Check(document *spec.Document, contracts []contract.Contract) diag.List {
	type place struct{ method, path string }
	read := map[place]*contract.Contract{}
	for i := range contracts {
		read[place{contracts[i].Method, contracts[i].Path}] = &contracts[i]
	}
	c := checker{document: document}
	c.defaults()
	for i := range document.Operations {
		c.operation = &document.Operations[i]
		c.protection()
		if found := read[place{c.operation.Method, c.operation.Path}]; found != nil {
			c.contract = found
			c.check()
		}
	}
	return c.findings
}

// A checker goes through the operations and collects what it finds.
type checker struct {
	document  *spec.Document
	operation *spec.Operation    // the one that is looked at
	contract  *contract.Contract // its contract
	findings  diag.List
}

// check looks at one contract.
func (c *checker) check() {
	responses, _ := c.operation.Responses() // problems are reported by the contract stage
	c.key()
	c.scope()
	c.fingerprint()
	c.policies()
	c.remember(responses)
	c.secrets(responses)
	c.answers(responses)
	c.headers(responses)
}

func (c *checker) report(rule string, severity diag.Severity, at diag.Range, message, hint string) {
	d := diag.Diagnostic{Rule: rule, Severity: severity, Range: at, Message: message, Hint: hint}
	if c.operation != nil {
		d.Operation = c.operation.Name()
	}
	c.findings = append(c.findings, d)
}

func (c *checker) warn(rule string, at diag.Range, message, hint string) {
	c.report(rule, diag.Warning, at, message, hint)
}

func (c *checker) advise(rule string, at diag.Range, message, hint string) {
	c.report(rule, diag.Advice, at, message, hint)
}

// own is a field that the operation's own x-idempotency states, nil for none.
func (c *checker) own(field string) *spec.Entry { return member(c.operation.Contract, field) }

// stated is a field that the operation or the document's defaults state.
func (c *checker) stated(field string) *spec.Entry {
	if e := c.own(field); e != nil {
		return e
	}
	return member(c.document.Defaults, field)
}

func member(extension *spec.Entry, field string) *spec.Entry {
	if extension == nil {
		return nil
	}
	for i := range extension.Value.Entries {
		if e := &extension.Value.Entries[i]; e.Name == field {
			return e
		}
	}
	return nil
}
