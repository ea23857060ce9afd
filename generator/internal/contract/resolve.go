package contract

import (
	"fmt"
	"slices"
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
	case e.source == Header && strings.EqualFold(e.tokens[0], contentTypeName) && b.request.body != nil:
		// OpenAPI does not let an operation declare it.
		return b.mediaField(e.at), true
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
	names := b.names(e.source)
	if near := nearest(e.tokens[0], names); near != "" {
		return fmt.Sprintf("did you mean $request.%s.%s?", e.source, near)
	}
	for _, source := range []Source{Body, Path, Query, Header} {
		for _, name := range b.names(source) {
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
	if slices.Contains(b.names(Body), e.text) {
		found = append(found, newField(Body, []string{e.text}, e.at))
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
	if b.request.incomplete || b.request.body != nil && !b.request.readable {
		return Field{}, false // it may be in the part whose own problem is reported
	}
	b.report(RuleUnknownName, e.at, fmt.Sprintf("%s has no body property or parameter %s", b.name, e.text), b.nameHint(e.text))
	return Field{}, false
}

// nameHint names what may have been meant by a bare name.
func (b *builder) nameHint(name string) string {
	if path := strings.FieldsFunc(name, func(r rune) bool { return r == '.' || r == '/' }); len(path) > 1 && b.request.readable && b.request.body != nil {
		if _, _, problem := b.walk(b.request.contents[0], path); problem == nil {
			return "did you mean $request.body#" + pointer(path) + "?"
		}
	}
	var all []string
	for _, source := range []Source{Body, Path, Query, Header} {
		all = append(all, b.names(source)...)
	}
	if len(all) == 0 {
		return "the operation declares neither a body with properties nor parameters"
	}
	return didYouMean(nearest(name, all), "the operation has "+listOf(all))
}

// walk goes down a JSON Pointer through the schema of a content. It tells
// whether every step is required. A finding without a range is about the
// expression.
func (b *builder) walk(c *content, tokens []string) (schema *spec.Schema, required bool, problem *diag.Diagnostic) {
	schema, required = c.schema, true
	for i, token := range tokens {
		p, ok := schema.Property(token)
		if !ok {
			return nil, false, b.noProperty(c, schema, tokens[:i], token)
		}
		required = required && p.Required
		if schema, problem = p.Schema(); problem != nil {
			return nil, false, problem
		}
	}
	return schema, required, nil
}

// noProperty says that the schema behind a path has no such property.
func (b *builder) noProperty(c *content, schema *spec.Schema, path []string, token string) *diag.Diagnostic {
	whole := newField(Body, path, diag.Range{})
	unknown := &diag.Diagnostic{
		Rule:    RuleUnknownName,
		Message: fmt.Sprintf("%s of %s has no property %s", whole.Expression, b.name, token),
	}
	if len(b.request.contents) > 1 {
		unknown.Message += " in " + c.MediaType
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
