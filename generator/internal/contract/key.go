package contract

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/idemgen/idemgen/generator/diag"
	"github.com/idemgen/idemgen/generator/internal/spec"
)

// defaultKey is the header of the IETF draft on the Idempotency-Key header.
const defaultKey = "Idempotency-Key"

func (r *reader) readKey(v spec.Value) (expression, bool) { return r.readExpression("key", v) }

// readKeyFormat reads a word or a regular expression. The runtime matches it
// against the whole key.
func (r *reader) readKeyFormat(v spec.Value) (string, bool) {
	if v.Kind != spec.String || v.Text == "" {
		r.wants(v, "keyFormat", "any, uuid or a regular expression", "write uuid, or a regular expression in quotes")
		return "", false
	}
	if v.Text == "any" || v.Text == "uuid" {
		return v.Text, true
	}
	if regexp.MustCompile(`^[A-Za-z0-9 ]+$`).MatchString(v.Text) {
		// As a regular expression it would let a single key through.
		r.report(RuleBadValue, v.Range, fmt.Sprintf("keyFormat: %s is neither any nor uuid nor a pattern", v.Text),
			didYouMean(nearest(v.Text, []string{"any", "uuid"}), "write any, uuid, or a regular expression such as [0-9a-z]{20}"))
		return "", false
	}
	for _, pattern := range []string{v.Text, `\A(?:` + v.Text + `)\z`} {
		if _, err := regexp.Compile(pattern); err != nil {
			r.report(RuleBadValue, v.Range, "keyFormat: "+strings.TrimPrefix(err.Error(), "error parsing regexp: "),
				"write a regular expression in Go's form (RE2): it has neither look-around nor back-references")
			return "", false
		}
	}
	return v.Text, true
}

// key fills in where the key is and what it looks like.
func (b *builder) key(s settings) {
	c := &b.contract
	c.KeyFormat = s.keyFormat.or("any")
	c.Required = s.required.or(true)
	if s.key.present && !s.key.ok {
		return
	}
	e := s.key.value
	if !s.key.present {
		e = expression{text: "$request.header." + defaultKey, at: c.Range, source: Header, tokens: []string{defaultKey}}
	}
	field, ok := b.resolveKey(e)
	if !ok {
		return
	}
	c.Key = field
	b.keyFound = true
	if field.Type != "string" && field.Type != "integer" {
		b.report(RuleKeyType, e.at, fmt.Sprintf("the key, %s, is %s, neither a text nor an integer", field.Expression, article(field.Type)),
			"give it a schema with type: string, or name another field")
	}
	if field.Required && s.required.ok && !c.Required {
		b.report(RuleKeyRequired, s.required.at,
			fmt.Sprintf("required is false, but %s requires %s: a request without it is refused before the contract is asked", b.name, field.Expression),
			"make it optional in the document, or leave required out")
	}
}

// resolveKey finds the key's field. An undeclared parameter has a rule of its
// own, because its fix is in the operation, not in the contract.
func (b *builder) resolveKey(e expression) (Field, bool) {
	if e.bare || e.source == Body {
		return b.resolve(e)
	}
	if p := b.request.parameter(e.source, e.tokens[0]); p != nil {
		return b.parameterField(p, e.at)
	}
	if b.request.incomplete {
		return Field{}, false // it may be the one that could not be read
	}
	b.report(RuleKeyUndeclared, e.at, fmt.Sprintf("%s does not declare its key, the %s parameter %s", b.name, e.source, e.tokens[0]), b.declareHint(e))
	return Field{}, false
}

// declareHint says how to declare a key, or names a parameter that looks like
// one.
func (b *builder) declareHint(e expression) string {
	for _, p := range b.request.parameters {
		folded := string(fold(p.Name))
		if p.In == "header" && (strings.Contains(folded, "idempoten") || strings.HasSuffix(folded, "requestid")) {
			return "did you mean key: $request.header." + p.Name + "?"
		}
	}
	if near := nearest(e.tokens[0], b.names(e.source)); near != "" {
		return fmt.Sprintf("did you mean key: $request.%s.%s?", e.source, near)
	}
	if e.source == Path {
		return "name a parameter of the path " + b.contract.Path
	}
	return fmt.Sprintf("add to its parameters: {name: %s, in: %s, required: true, schema: {type: string, maxLength: 255}}", e.tokens[0], e.source)
}

// isKey reports whether a field is the key.
func (b *builder) isKey(f Field) bool {
	return b.keyFound && f.Source == b.contract.Key.Source && f.Name == b.contract.Key.Name
}

// article names a schema type in a message.
func article(typ string) string {
	switch typ {
	case "":
		return "of no single type"
	case "integer", "array", "object":
		return "an " + typ
	}
	return "a " + typ
}

// at is where a field of the extension is, or else the extension itself.
func at[T any](g given[T], otherwise diag.Range) diag.Range {
	if g.present {
		return g.at
	}
	return otherwise
}
