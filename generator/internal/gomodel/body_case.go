package gomodel

import (
	"mime"
	"strings"

	"github.com/idemgen/idemgen/generator/internal/contract"
	"github.com/idemgen/idemgen/generator/internal/server"
)

// A BodyCase is what is compared of a body of one media type, where an operation
// takes several.
type BodyCase struct {
	// Field is the field of the request that holds the body.
	Field string
	// Variable says that Fingerprint reads the variable body.
	Variable    bool
	Fingerprint []Value
}

// several reports whether the operation takes several media types.
func (o *operation) several() bool { return len(o.contract.Contents) > 1 }

// bodyCases returns a case for each media type of the body, and the values of a
// request without any: it has no body, or of a type that the operation does not
// take.
func (o *operation) bodyCases() (cases []BodyCase, none []Value) {
	if !o.several() || !o.comparesBody() {
		return nil, nil
	}
	seen := map[string]bool{}
	for i := range o.contract.Contents {
		content := &o.contract.Contents[i]
		if !o.enter(content) {
			continue
		}
		c := BodyCase{Field: o.branch.Name, Variable: o.readsBody(content.Fingerprint), Fingerprint: o.caseValues(content)}
		o.branch = nil
		for _, v := range c.Fingerprint {
			if !seen[v.Name] {
				seen[v.Name] = true
				none = append(none, Value{Name: v.Name, Write: v.Absent})
			}
		}
		cases = append(cases, c)
	}
	return cases, none
}

// comparesBody reports whether the fingerprint has the body or its media type.
func (o *operation) comparesBody() bool {
	for _, f := range o.contract.Fingerprint {
		if f.Source == contract.Body || f.Source == contract.MediaType {
			return true
		}
	}
	return false
}

// caseValues returns the values of a body of one media type. Its case holds only
// if there is such a body, so nothing else has to check that.
func (o *operation) caseValues(content *contract.Content) []Value {
	var values []Value
	for _, f := range o.contract.Fingerprint {
		if f.Source == contract.MediaType {
			values = append(values, o.mediaType(content, f))
		}
	}
	for _, f := range content.Fingerprint {
		if v, ok := o.bodyValue(f); ok {
			v.Guard = strings.TrimPrefix(strings.TrimPrefix(v.Guard, bodyVariable+" != nil"), " && ")
			values = append(values, v)
		}
	}
	return values
}

// mediaType returns the media type of the body as a value: what the handler is
// told, else the one that its field stands for.
func (o *operation) mediaType(content *contract.Content, f contract.Field) Value {
	v := Value{Name: quote(f.Name), Write: "h.MediaType(" + quote(content.MediaType) + ")", Absent: "h.Null()"}
	if content.IsRange() && o.pkg.HasContentType(o.server) {
		v.Write = "h.MediaType(request.ContentType)"
	}
	return v
}

// enter makes the field of one media type the body that expressions lead into.
func (o *operation) enter(content *contract.Content) bool {
	name, ok := "", false
	for media, field := range o.pkg.MediaTypes(o.server) {
		if sameMediaType(media, content.MediaType) {
			name, ok = field, true
		}
	}
	count := 0
	for i := range o.server.Bodies {
		if ok && o.server.Bodies[i].Name == name {
			o.branch = &o.server.Bodies[i]
			count++
		}
	}
	at := contract.Field{Range: content.Range, Expression: "$request.body"}
	switch count {
	case 0:
		o.fail(RuleUnreachableField, at, "run oapi-codegen again: its code may be older than the document",
			"%s has no field for a body of %s", o.server.Request, content.MediaType)
	case 1:
		return true
	default:
		o.fail(RuleBodyGoType, at, "let the operation take one of them, or split it",
			"oapi-codegen gives %s two fields named %s, one of them for %s, which is no Go", o.server.Request, name, content.MediaType)
	}
	o.branch = nil
	return false
}

func sameMediaType(a, b string) bool {
	normal := func(v string) string {
		if essence, parameters, err := mime.ParseMediaType(v); err == nil {
			return mime.FormatMediaType(essence, parameters)
		}
		return strings.ToLower(v)
	}
	return normal(a) == normal(b)
}

// alternatives builds a part of the key or the scope: of a body that can be of
// several media types one for each.
func (o *operation) alternatives(f contract.Field, build func() Part) Part {
	if f.Source != contract.Body || !o.several() {
		return build()
	}
	var parts []Part
	for i := range o.contract.Contents {
		if o.enter(&o.contract.Contents[i]) {
			parts = append(parts, build())
			o.branch = nil
		}
	}
	if len(parts) == 0 {
		return Part{} // reported
	}
	first := parts[0]
	first.Otherwise = parts[1:]
	return first
}

// bodyPath is where the body is outside of a fingerprint.
func (o *operation) bodyPath() string {
	if o.branch != nil {
		return "request." + o.branch.Name
	}
	return requestBody
}

// stream returns the field of a body that reaches the handler as a stream.
func stream(field server.Field) bool {
	return field.Type.Kind == server.Reader ||
		field.Type.Kind == server.Pointer && field.Type.Elem().Kind == server.Multipart
}
