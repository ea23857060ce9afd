package gomodel

import (
	"slices"

	"github.com/idemgen/idemgen/generator/internal/contract"
	"github.com/idemgen/idemgen/generator/internal/server"
)

// An Upload is a body that reaches the handler as a stream, and is read before
// it because the fingerprint has it.
type Upload struct {
	Var         string // the variable that holds it
	Constructor string
	Field       string // of the request
}

// Variables of uploads.
const (
	uploadVariable    = "upload"
	multipartVariable = "form"
)

// bodyValue returns a field of the body as a value to be compared.
func (o *operation) bodyValue(f contract.Field) (Value, bool) {
	if field, ok := o.bodyField(); ok && stream(field) && len(f.Tokens) == 0 {
		return o.upload(f, field), true
	}
	p, ok := o.pick(f, bodyVariable)
	if !ok {
		return Value{}, false
	}
	if o.branch == nil && o.contract.BodyRequired {
		p.guards = p.guards[1:] // the binding always gives it
	}
	return o.compare(p, f)
}

// readsBody reports whether fields lead into the decoded body at hand.
func (o *operation) readsBody(fields []contract.Field) bool {
	field, ok := o.bodyField()
	return ok && !stream(field) && slices.ContainsFunc(fields, func(f contract.Field) bool { return f.Source == contract.Body })
}

// bodyField returns the field of the request that holds the body at hand.
func (o *operation) bodyField() (server.Field, bool) {
	switch {
	case o.branch != nil:
		return *o.branch, true
	case len(o.server.Bodies) == 1:
		return o.server.Bodies[0], true
	}
	return server.Field{}, false
}

// upload returns the value of a body that is a stream, and has it read before
// the handler runs.
func (o *operation) upload(f contract.Field, field server.Field) Value {
	u := Upload{Var: uploadVariable, Constructor: "idem.NewUpload", Field: field.Name}
	method := "h.Upload("
	if field.Type.Kind == server.Pointer {
		u.Var, u.Constructor, method = multipartVariable, "idem.NewMultipartUpload", "h.MultipartUpload("
	}
	if !slices.Contains(o.uploads, u) {
		o.uploads = append(o.uploads, u)
	}
	return Value{Name: quote(f.Name), Write: method + u.Var + ")", Absent: "h.Null()"}
}
