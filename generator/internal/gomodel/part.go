package gomodel

import (
	"fmt"

	"github.com/idemgen/idemgen/generator/internal/contract"
	"github.com/idemgen/idemgen/generator/internal/server"
)

// requestBody is the body where no variable of the generated code holds it.
const requestBody = "request.Body"

// key returns the expression of the client's key.
func (o *operation) key() Part {
	f := o.contract.Key
	p, ok := o.pickPart(f)
	if !ok {
		return Part{}
	}
	o.noteParameter(f, p)
	constructor := "idem.KeyOf"
	if f.Source == contract.Header {
		constructor = "nethttp.HeaderKey"
		if p.pointer && len(p.guards) == 1 && p.typ.Kind == server.String && !o.backend.clones {
			return Part{Expr: "nethttp.OptionalHeaderKey(" + pointerToString(p) + ")"}
		}
	}
	if p.optional && !p.pointer && p.typ.Kind == server.String {
		// As prefer-skip-optional-pointer of oapi-codegen has it.
		p.guards = append(p.guards, p.expr+` != ""`)
	}
	p = p.denull()
	text, ok := o.text(p)
	if !ok || p.typ.Kind == server.Bool || p.typ.Kind == server.Date {
		o.fail(RuleKeyGoType, f, "a key is a string, a uuid or an integer",
			"the Go type %s of %s cannot hold a key", p.typ.Text, f.Expression)
	}
	if o.backend.clones && p.typ.Kind == server.String {
		o.use("strings", "")
		text = "strings.Clone(" + text + ")"
	}
	return Part{Guard: p.guard(), Var: "key", Expr: constructor + "(" + text + ")"}
}

// pickPart is pick for key and scope. A required body is there whenever the
// binding lets a request through, so its pointer needs no check.
func (o *operation) pickPart(f contract.Field) (pick, bool) {
	p, ok := o.pick(f, o.bodyPath())
	p.typ = p.typ.Follow()
	if ok && f.Source == contract.Body && o.contract.BodyRequired && o.branch == nil {
		p.guards = p.guards[1:]
	}
	return p, ok
}

// noteParameter remembers a key parameter for the handler of binding errors.
func (o *operation) noteParameter(f contract.Field, p pick) {
	if f.Source == contract.Body {
		return
	}
	terms := []Term{
		{"Method", quote(o.contract.Method)},
		{"Path", quote(o.contract.Path)},
		{"Name", quote(f.Tokens[0])},
		{"Operation", quote(o.contract.Operation)},
	}
	if o.pkg.Framework != server.NetHTTP {
		terms = append(terms, o.bindingTerms(f, p)...)
	}
	o.parameters = append(o.parameters, KeyParameter{Terms: terms})
}

// bindingTerms says how the binding takes a key parameter, where it does not
// tell by itself why it refuses a request.
func (o *operation) bindingTerms(f contract.Field, p pick) []Term {
	var terms []Term
	switch f.Source {
	case contract.Query:
		terms = append(terms, Term{"In", quote("query")})
	case contract.Path:
		terms = append(terms, Term{"In", quote("path")})
	default:
		terms = append(terms, Term{"In", quote("header")})
	}
	switch p.typ.Kind {
	case server.UUID:
		terms = append(terms, Term{"Type", quote("uuid")})
	case server.Int, server.Uint:
		terms = append(terms, Term{"Type", quote(p.typ.Basic)})
	}
	if !o.contract.Required {
		terms = append(terms, Term{"Optional", "true"})
	}
	return terms
}

// scope returns the expressions of the scope, without the principal.
func (o *operation) scope() []Part {
	var parts []Part
	for i, f := range o.contract.Scope {
		parts = append(parts, o.alternatives(f, func() Part { return o.scopePart(i, f) }))
	}
	return parts
}

func (o *operation) scopePart(i int, f contract.Field) Part {
	p, ok := o.pickPart(f)
	if !ok {
		return Part{}
	}
	p = p.denull()
	text, ok := o.text(p)
	if !ok {
		o.fail(RuleScopeGoType, f, "a part of a scope is a string, a uuid, an integer, a boolean or a date",
			"the Go type %s of %s cannot be a part of a scope", p.typ.Text, f.Expression)
	}
	return Part{Guard: p.guard(), Var: fmt.Sprintf("scope%d", i+1), Expr: text}
}

// text returns a value as a string, without reflection.
func (o *operation) text(p pick) (string, bool) {
	p.typ = p.typ.Follow()
	switch p.typ.Kind {
	case server.String:
		return convert("string", p), true
	case server.UUID:
		return o.uuid(p) + ".String()", true
	case server.Int:
		o.use("strconv", "")
		return "strconv.FormatInt(" + convert("int64", p) + ", 10)", true
	case server.Uint:
		o.use("strconv", "")
		return "strconv.FormatUint(" + convert("uint64", p) + ", 10)", true
	case server.Bool:
		o.use("strconv", "")
		return "strconv.FormatBool(" + convert("bool", p) + ")", true
	case server.Date:
		return p.expr + ".Time.Format(time.DateOnly)", true
	}
	return "", false
}

// uuid returns an expression on which UUID's methods can be called.
func (o *operation) uuid(p pick) string {
	if !p.typ.Defined {
		return p.expr
	}
	o.use(p.typ.Import.Path, p.typ.Import.Local)
	return fmt.Sprintf("%s.%s(%s)", p.typ.Import.Local, p.typ.Import.Name, p.value())
}

// convert returns the value as the given basic type, converted only if needed.
func convert(basic string, p pick) string {
	if p.typ.Basic == basic && !p.typ.Defined {
		return p.value()
	}
	return basic + "(" + p.value() + ")"
}

func pointerToString(p pick) string {
	if p.typ.Defined {
		return "(*string)(" + p.expr + ")"
	}
	return p.expr
}
