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
	o.noteParameter(f)
	constructor := "idem.KeyOf"
	if f.Source == contract.Header {
		constructor = "nethttp.HeaderKey"
		if p.pointer && len(p.guards) == 1 && p.typ.Kind == server.String {
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
	return Part{Guard: p.guard(), Var: "key", Expr: constructor + "(" + text + ")"}
}

// pickPart is pick for key and scope. A required body is there whenever the
// binding lets a request through, so its pointer needs no check.
func (o *operation) pickPart(f contract.Field) (pick, bool) {
	p, ok := o.pick(f, requestBody)
	if ok && f.Source == contract.Body && f.Required {
		p.guards = p.guards[1:]
	}
	return p, ok
}

// noteParameter remembers a key parameter for the handler of binding errors.
func (o *operation) noteParameter(f contract.Field) {
	if f.Source == contract.Body {
		return
	}
	o.parameters = append(o.parameters, KeyParameter{
		Method:    quote(o.contract.Method),
		Path:      quote(o.contract.Path),
		Name:      quote(f.Tokens[0]),
		Operation: quote(o.contract.Operation),
	})
}

// scope returns the expressions of the scope, without the principal.
func (o *operation) scope() []Part {
	var parts []Part
	for i, f := range o.contract.Scope {
		p, ok := o.pickPart(f)
		if !ok {
			continue
		}
		p = p.denull()
		text, ok := o.text(p)
		if !ok {
			o.fail(RuleScopeGoType, f, "a part of a scope is a string, a uuid, an integer, a boolean or a date",
				"the Go type %s of %s cannot be a part of a scope", p.typ.Text, f.Expression)
		}
		parts = append(parts, Part{Guard: p.guard(), Var: fmt.Sprintf("scope%d", i+1), Expr: text})
	}
	return parts
}

// text returns a value as a string, without reflection.
func (o *operation) text(p pick) (string, bool) {
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
