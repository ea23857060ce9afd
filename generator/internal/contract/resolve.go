package contract

import (
	"fmt"
	"strings"

	"github.com/idemgen/idemgen/generator/diag"
	"github.com/idemgen/idemgen/generator/internal/spec"
)

// resolve finds the field that an expression names in the operation.
func (b *builder) resolve(e expression) (Field, bool) {
	switch {
	case e.bare:
		return b.resolveName(e)
	case e.source == Body:
		return b.bodyField(e.tokens, e.at)
	}
	if p := b.request.parameter(e.source, e.tokens[0]); p != nil {
		return b.parameterField(p, e.at)
	}
	if b.request.incomplete {
		return Field{}, false // it may be the one that could not be read
	}
	b.report(RuleUnknownName, e.at, fmt.Sprintf("%s has no %s parameter %s", b.name, e.source, e.tokens[0]), b.parameterHint(e))
	return Field{}, false
}

// parameterHint names what may have been meant by a parameter.
func (b *builder) parameterHint(e expression) string {
	names := b.request.names(e.source)
	if near := nearest(e.tokens[0], names); near != "" {
		return fmt.Sprintf("did you mean $request.%s.%s?", e.source, near)
	}
	for _, source := range []Source{Body, Path, Query, Header} {
		for _, name := range b.request.names(source) {
			if name == e.tokens[0] {
				return "did you mean " + newField(source, []string{name}, e.at).Expression + "?"
			}
		}
	}
	if len(names) == 0 {
		return fmt.Sprintf("declare it as a parameter of the operation: it has none in %s", e.source)
	}
	return fmt.Sprintf("declare it as a parameter of the operation; those in %s are %s", e.source, listOf(names))
}

// resolveName finds what a bare name stands for: a top-level body property or a
// parameter.
func (b *builder) resolveName(e expression) (Field, bool) {
	var found []Field
	if b.request.supported {
		if _, ok := b.request.schema.Property(e.text); ok {
			found = append(found, newField(Body, []string{e.text}, e.at))
		}
	}
	for _, source := range []Source{Path, Query, Header} {
		if p := b.request.parameter(source, e.text); p != nil {
			found = append(found, newField(source, []string{p.Name}, e.at))
		}
	}
	switch len(found) {
	case 0:
		return b.unknownName(e)
	case 1:
		return b.resolve(expression{text: e.text, at: e.at, source: found[0].Source, tokens: found[0].Tokens})
	}
	var full []string
	for _, f := range found {
		full = append(full, f.Expression)
	}
	b.report(RuleAmbiguousName, e.at, fmt.Sprintf("%s fits several parts of the request: %s", e.text, strings.Join(full, ", ")),
		"write "+oneOf(full))
	return Field{}, false
}

func (b *builder) unknownName(e expression) (Field, bool) {
	if b.request.incomplete || b.request.body != nil && !b.request.supported {
		return Field{}, false // it may be in the part whose own problem is reported
	}
	b.report(RuleUnknownName, e.at, fmt.Sprintf("%s has no body property or parameter %s", b.name, e.text), b.nameHint(e.text))
	return Field{}, false
}

// nameHint names what may have been meant by a bare name.
func (b *builder) nameHint(name string) string {
	if path := strings.FieldsFunc(name, func(r rune) bool { return r == '.' || r == '/' }); len(path) > 1 && b.request.supported {
		if _, _, problem := b.walk(path); problem == nil {
			return "did you mean $request.body#" + pointer(path) + "?"
		}
	}
	var all []string
	for _, source := range []Source{Body, Path, Query, Header} {
		all = append(all, b.request.names(source)...)
	}
	if len(all) == 0 {
		return "the operation declares neither a body with properties nor parameters"
	}
	return didYouMean(nearest(name, all), "the operation has "+listOf(all))
}

// bodyField describes a field of the body.
func (b *builder) bodyField(tokens []string, at diag.Range) (Field, bool) {
	f := newField(Body, tokens, at)
	if b.request.body == nil {
		b.report(RuleUnknownName, at, fmt.Sprintf("%s: %s has no request body", f.Expression, b.name), "name a parameter, or declare a requestBody")
		return f, false
	}
	if !b.request.supported {
		return f, false // reported with the body
	}
	schema, required, problem := b.walk(tokens)
	if problem != nil {
		if problem.Rule == RuleUnknownName {
			problem.Range = at
		}
		b.reportProblem(*problem)
		return f, false
	}
	f.describe(schema)
	f.Required = required && b.request.body.Required
	return f, true
}

// walk goes down a JSON Pointer through the body's schema. It tells whether
// every step is required. A finding without a range is about the expression.
func (b *builder) walk(tokens []string) (schema *spec.Schema, required bool, problem *diag.Diagnostic) {
	schema, required = b.request.schema, true
	for i, token := range tokens {
		p, ok := schema.Property(token)
		if !ok {
			return nil, false, b.noProperty(schema, tokens[:i], token)
		}
		required = required && p.Required
		if schema, problem = p.Schema(); problem != nil {
			return nil, false, problem
		}
	}
	return schema, required, nil
}

// noProperty says that the schema behind a path has no such property.
func (b *builder) noProperty(schema *spec.Schema, path []string, token string) *diag.Diagnostic {
	whole := newField(Body, path, diag.Range{})
	unknown := &diag.Diagnostic{
		Rule:    RuleUnknownName,
		Message: fmt.Sprintf("%s of %s has no property %s", whole.Expression, b.name, token),
	}
	var names []string
	for _, p := range schema.Properties {
		names = append(names, p.Name)
	}
	near := nearest(token, names)
	switch {
	case schema.Type == "array":
		unknown.Message = fmt.Sprintf("%s of %s is an array: an expression cannot go into it", whole.Expression, b.name)
		unknown.Hint = "write " + whole.Expression + ", which is all of it"
	case near != "":
		unknown.Hint = "did you mean " + newField(Body, append(path[:len(path):len(path)], near), diag.Range{}).Expression + "?"
	case len(names) > 0:
		unknown.Hint = "its properties are " + listOf(names)
	default:
		unknown.Hint = "its schema declares no properties: write " + whole.Expression + ", which is all of it"
	}
	return unknown
}
