package contract

import (
	"fmt"

	"github.com/idemgen/idemgen/generator/internal/spec"
)

// scope is what a document says about whom a key belongs to. Without principal
// and parts it says none: all callers share their keys.
type scope struct {
	principal bool
	parts     []expression
}

const scopeForms = "write none, principal, an expression, or a list of the last two"

// readScope reads one part or a list of them.
func (r *reader) readScope(v spec.Value) (scope, bool) {
	if v.Kind == spec.String && v.Text == "none" {
		return scope{}, true
	}
	items := []spec.Value{v}
	if v.Kind == spec.List {
		items = v.Items
		if len(items) == 0 {
			r.report(RuleBadValue, v.Range, "scope is an empty list", "write none to share keys between all callers on purpose")
			return scope{}, false
		}
	}
	var s scope
	good := true
	for _, item := range items {
		good = r.readScopePart(&s, item) && good
	}
	return s, good
}

func (r *reader) readScopePart(s *scope, v spec.Value) bool {
	switch {
	case v.Kind != spec.String:
		r.wants(v, "scope", "none, principal or an expression", scopeForms)
		return false
	case v.Text == "none":
		r.report(RuleBadValue, v.Range, "none stands beside other parts of the scope", "write scope: none, or leave none out of the list")
		return false
	case v.Text == "principal" && s.principal:
		r.report(RuleRepeated, v.Range, "principal is in the scope twice", "remove one of the two")
		return false
	case v.Text == "principal":
		s.principal = true
		return true
	}
	e, ok := r.readExpression("scope", v)
	s.parts = append(s.parts, e)
	return ok
}

// scope fills in whom a key belongs to.
func (b *builder) scope(s settings) {
	c := &b.contract
	if !s.scope.present {
		if b.operation.Secured() {
			b.report(RuleMissingScope, c.Range, fmt.Sprintf("%s has security and no scope: its callers would share their keys", b.name),
				"write scope: principal, or scope: none to share keys on purpose")
		}
		return
	}
	if !s.scope.ok {
		return // reported where it was read
	}
	c.Principal = s.scope.value.principal
	for _, e := range s.scope.value.parts {
		if f, ok := b.scopePart(e); ok {
			c.Scope = append(c.Scope, f)
		}
	}
	b.distinct("scope", c.Scope)
}

func (b *builder) scopePart(e expression) (Field, bool) {
	f, ok := b.resolve(e)
	if !ok {
		return f, false
	}
	switch {
	case f.Source == MediaType:
		b.report(RuleScopeType, e.at, "the media type of a body does not tell whose a key is", "name a text, an integer or a boolean")
		return f, false
	case f.Type == "string" || f.Type == "integer" || f.Type == "boolean":
	default:
		b.report(RuleScopeType, e.at, fmt.Sprintf("%s is %s and cannot be part of a scope", f.Expression, article(f.Type)),
			"name a text, an integer or a boolean")
		return f, false
	}
	if !f.Required {
		b.report(RuleOptionalScope, e.at, fmt.Sprintf("%s is optional: all requests without it would share one scope", f.Expression), b.requireHint(f))
		return f, false
	}
	return f, true
}

// requireHint says what to require so that a field is in every request.
func (b *builder) requireHint(f Field) string {
	if f.Source != Body {
		return "set required: true on the parameter, or name another one"
	}
	if !b.request.body.Required {
		return "set required: true on the request body, and list the field in its schema's required"
	}
	return "list it, and the objects around it, in required of their schemas, or name another field"
}
