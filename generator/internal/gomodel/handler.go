package gomodel

import (
	"fmt"
	"slices"
	"strings"

	"github.com/idemgen/idemgen/generator/internal/contract"
	"github.com/idemgen/idemgen/generator/internal/server"
)

// A Handler is what the wrapper of an operation needs besides where the server
// is not strict: it gathers the request itself.
type Handler struct {
	Field     string // as in Operation
	Arguments []Term // of the method, with their types
	Fields    []Term // of the variable request, with their types
	Sets      []Term // what they are set to

	// Key is the key, held by the variable key.
	Key Part
	// KeyFirst says that the body need not be read without a key.
	KeyFirst bool
	// Receive says how the body is read, by media type; nil if it is not.
	Receive []Receive
	// Single says that there is only one media type, which is not looked at.
	Single bool
	// Optional says that there may be no body.
	Optional bool
}

// A Receive is how a body of one media type becomes a field of the request.
type Receive struct {
	MediaType  string // quoted
	Statements string // the last one returns an error
}

// supported reports whether there is a back end for the server.
func (b *builder) supported(c *contract.Contract) bool {
	if b.pkg.Strict || b.pkg.Framework == server.NetHTTP {
		return true
	}
	b.report(RuleUnsupportedServer, c.Range, c.Operation,
		"set strict-server: true under generate in oapi-codegen's configuration and run it again",
		"the generated server is of %s and not strict", b.pkg.Framework)
	return false
}

// receives makes the bodies of an operation fields of its request, as those of a
// strict server are. It returns how each is read.
func (b *builder) receives(c *contract.Contract, op *server.Operation) ([]Receive, []Term) {
	o := &operation{builder: b, contract: c, server: *op}
	op.MediaFields = make(map[string]string)
	var receives []Receive
	var fields []Term
	for i := range c.Contents {
		content := &c.Contents[i]
		name := "Body"
		if len(c.Contents) > 1 {
			name = fmt.Sprintf("Body%d", i+1)
		}
		field, goType, statements, ok := o.receive(content, name)
		if !ok {
			continue
		}
		op.Bodies = append(op.Bodies, field)
		op.MediaFields[content.MediaType] = name
		fields = append(fields, Term{name, goType})
		receives = append(receives, Receive{quote(content.MediaType), strings.Join(statements, "\n")})
	}
	return receives, fields
}

// receive says how a body of one media type becomes the field name.
func (o *operation) receive(content *contract.Content, name string) (field server.Field, goType string, statements []string, ok bool) {
	field.Name = name
	target := "request." + name
	switch content.Encoding {
	case contract.Multipart:
		field.Type = server.MultipartReader()
		o.use("mime/multipart", "")
		return field, "*multipart.Reader", []string{"parts, err := body.Multipart()", target + " = parts", "return err"}, true
	case contract.Text:
		field.Type = o.pkg.Pointer("string")
		return field, "*string", []string{"text, err := body.Text()", target + " = &text", "return err"}, true
	case contract.Binary:
		field.Type = server.Type{Kind: server.Reader, Text: "io.Reader"}
		o.use("io", "")
		return field, "io.Reader", []string{target + " = body.Reader()", "return nil"}, true
	}
	typeName := ""
	for media, t := range o.pkg.BodyTypes(o.server) {
		if sameMediaType(media, content.MediaType) {
			typeName = t
		}
	}
	if typeName == "" {
		o.fail(RuleUnreachableField, contract.Field{Range: content.Range}, "let oapi-codegen generate models (models: true) into the server's package and run it again",
			"the generated package has no type for a body of %s", content.MediaType)
		return field, "", nil, false
	}
	field.Type = o.pkg.Pointer(typeName)
	create := target + " = new(" + o.api + typeName + ")"
	if content.Encoding == contract.Form {
		o.use("github.com/oapi-codegen/runtime", "")
		return field, "*" + o.api + typeName, []string{
			"form, err := body.Form()", "if err != nil {", "return err", "}",
			create, "return runtime.BindForm(" + target + ", form, nil, nil)",
		}, true
	}
	return field, "*" + o.api + typeName, []string{create, "return body.DecodeJSON(" + target + ")"}, true
}

// handler completes the view of an operation whose server is not strict.
func (o *operation) handler(view *Operation, receives []Receive, bodies []Term) *Handler {
	h := &Handler{Field: view.Field, Key: view.KeyValue, Optional: !o.contract.BodyRequired, Single: len(receives) == 1}
	view.KeyValue = Part{Expr: "key"}
	params := slices.ContainsFunc(o.parts(), func(f contract.Field) bool {
		return f.Source == contract.Query || f.Source == contract.Header
	})
	for i, argument := range o.server.Arguments {
		name := argument.Name
		if slices.Contains(reservedNames(), name) {
			name += "Argument"
		}
		goType := argument.Spell(o.api, o.use)
		h.Arguments = append(h.Arguments, Term{name, goType})
		field := argument.Name
		if i >= o.server.PathParameters() {
			field = "Params"
		}
		if field != "Params" || params {
			h.Fields = append(h.Fields, Term{field, goType})
			h.Sets = append(h.Sets, Term{field, name})
		}
	}
	inBody := func(f contract.Field) bool { return f.Source == contract.Body || f.Source == contract.MediaType }
	if slices.ContainsFunc(o.parts(), inBody) {
		h.Receive = receives
		h.Fields = append(h.Fields, bodies...)
		h.KeyFirst = !inBody(o.contract.Key) && !slices.ContainsFunc(o.contract.Scope, inBody)
	}
	if slices.ContainsFunc(o.contract.Contents, func(c contract.Content) bool { return c.IsRange() }) {
		h.Fields = append(h.Fields, Term{"ContentType", "string"})
		h.Sets = append(h.Sets, Term{"ContentType", `r.Header.Get("Content-Type")`})
	}
	return h
}

// parts returns every part of the request that the contract names.
func (o *operation) parts() []contract.Field {
	return slices.Concat([]contract.Field{o.contract.Key}, o.contract.Scope, o.contract.Fingerprint)
}
