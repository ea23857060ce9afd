package gomodel

import (
	"fmt"

	"github.com/idemgen/idemgen/generator/diag"
)

// Rules of this stage, by id. All are errors.
const (
	// RuleUnsupportedServer: the generated server is of a framework that
	// has no back end.
	RuleUnsupportedServer = "unsupported-server"
	// RuleNotGenerated: the generated package does not have the operation.
	RuleNotGenerated = "operation-not-generated"
	// RuleMethodClash: two protected operations have one Go method.
	RuleMethodClash = "method-clash"
	// RuleNameClash: a name to be generated is taken in the package.
	RuleNameClash = "name-clash"
	// RuleUnreachableField: the generated Go types do not lead to a field.
	RuleUnreachableField = "unreachable-field"
	// RuleForeignType: they lead to it through a type of another package.
	RuleForeignType = "foreign-type"
	// RuleBodyGoType: a body that is no single decoded value.
	RuleBodyGoType = "body-go-type"
	// RuleFieldGoType: the Go type of a field cannot be compared.
	RuleFieldGoType = "field-go-type"
	// RuleKeyGoType: the Go type of the key's field cannot hold a key.
	RuleKeyGoType = "key-go-type"
	// RuleScopeGoType: the Go type of a scope's field cannot be a part of one.
	RuleScopeGoType = "scope-go-type"
	// RuleDefaultMismatch: a schema's default does not fit its type.
	RuleDefaultMismatch = "default-mismatch"
)

// report adds an error.
func (b *builder) report(rule string, at diag.Range, operation, hint, format string, args ...any) {
	b.diags = append(b.diags, diag.Diagnostic{
		Rule: rule, Severity: diag.Error, Range: at, Operation: operation,
		Message: fmt.Sprintf(format, args...), Hint: hint,
	})
}
