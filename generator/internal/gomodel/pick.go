package gomodel

import (
	"strings"

	"github.com/idemgen/idemgen/generator/internal/contract"
	"github.com/idemgen/idemgen/generator/internal/server"
)

// A pick is the Go expression of a part of the request.
type pick struct {
	expr    string      // its value, or a pointer to it
	pointer bool        // expr is a pointer
	typ     server.Type // of the value: never a Pointer
	guards  []string    // what must hold, in this order, for expr to be there
	// optional says that it is optional, but may have no pointer that shows
	// it: then its zero value is an absent one.
	optional bool
}

// value returns the expression of the value itself.
func (p pick) value() string {
	if p.pointer {
		return "*" + p.expr
	}
	return p.expr
}

func (p pick) guard() string { return strings.Join(p.guards, " && ") }

// member steps into a field of a struct.
func (p pick) member(f server.Field) pick {
	next := p.to(p.expr+"."+f.Name, f.Type)
	next.optional = f.Optional
	return next
}

// to moves on to another expression, through pointers.
func (p pick) to(expr string, t server.Type) pick {
	next := pick{expr: expr, typ: t, guards: append([]string(nil), p.guards...)}
	for next.typ.Kind == server.Pointer {
		if next.pointer {
			next.expr = "(*" + next.expr + ")"
		}
		next.guards = append(next.guards, next.expr+" != nil")
		next.pointer = true
		next.typ = next.typ.Elem()
	}
	return next
}

// denull moves on to the value inside a nullable.Nullable.
func (p pick) denull() pick {
	for p.typ.Kind == server.Nullable {
		elem := p.typ.Elem()
		p.guards = append(p.guards[:len(p.guards):len(p.guards)], p.expr+".IsSpecified()", "!"+p.expr+".IsNull()")
		p = p.to(p.expr+".MustGet()", elem)
	}
	return p
}

// pick follows a field of the contract through the request struct. body is the
// expression of the request's body there.
func (o *operation) pick(f contract.Field, body string) (pick, bool) {
	switch f.Source {
	case contract.Path:
		if field, ok := o.server.PathParameter(f.Tokens[0]); ok {
			return pick{}.to("request."+field.Name, field.Type), true
		}
	case contract.Query:
		if path, ok := o.server.QueryParameter(f.Tokens[0]); ok {
			return inParams(path), true
		}
	case contract.Header:
		if path, ok := o.server.HeaderParameter(f.Tokens[0]); ok {
			return inParams(path), true
		}
	default:
		return o.pickBody(f, body)
	}
	o.fail(RuleUnreachableField, f, "run oapi-codegen again: its code may be older than the document",
		"%s has no parameter for %s", o.server.Request, f.Expression)
	return pick{}, false
}

func inParams(path []server.Field) pick {
	p := pick{expr: "request.Params"}
	for _, f := range path {
		p = p.member(f)
	}
	return p
}

// pickBody follows a JSON Pointer into the body.
func (o *operation) pickBody(f contract.Field, body string) (pick, bool) {
	field, ok := o.body(f)
	if !ok {
		return pick{}, false
	}
	p := pick{}.to(body, field.Type)
	for _, token := range f.Tokens {
		p = p.denull()
		path, ok := p.typ.Member(token)
		if !ok {
			o.unreachable(f, token, p.typ)
			return pick{}, false
		}
		for _, field := range path {
			p = p.member(field)
		}
	}
	return p, true
}

// body returns the field of the request that holds the decoded body.
func (o *operation) body(f contract.Field) (server.Field, bool) {
	field, ok := o.bodyField()
	switch {
	case len(o.server.Bodies) == 0:
		o.fail(RuleUnreachableField, f, "run oapi-codegen again: its code may be older than the document",
			"%s has no body for %s", o.server.Request, f.Expression)
	case !ok:
		o.fail(RuleUnreachableField, f, "run oapi-codegen again: its code may be older than the document",
			"%s has bodies of several media types, and the document one", o.server.Request)
	case stream(field):
		o.fail(RuleBodyGoType, f, "run oapi-codegen again if its code is older than the document, else name another part of the request",
			"%s lies in a body that reaches the handler as a stream (%s)", f.Expression, field.Type.Text)
	case field.Type.Kind != server.Pointer:
		o.fail(RuleBodyGoType, f, "let oapi-codegen decode the body, or leave the operation without a contract",
			"the body reaches the handler as %s", field.Type.Text)
	default:
		return field, true
	}
	return server.Field{}, false
}

// unreachable reports that a type has no Go field for a token of a pointer.
func (o *operation) unreachable(f contract.Field, token string, t server.Type) {
	switch {
	case t.Kind == server.Foreign:
		o.fail(RuleForeignType, f, "name the field around it as a whole: then all of it is compared",
			"%s leads through the type %s of another package, %s, which cannot be read", f.Expression, t.Text, t.Import.Path)
	case t.IsUnion():
		o.fail(RuleUnreachableField, f, "name the field around it as a whole: then all of it is compared",
			"oapi-codegen keeps the variants of the oneOf or anyOf around %q as raw JSON: there is no Go field for %s", token, f.Expression)
	default:
		o.fail(RuleUnreachableField, f, "run oapi-codegen again if its code is older than the document, else name the field around it as a whole",
			"the Go type %s has no field for %q of %s", t.Text, token, f.Expression)
	}
}
