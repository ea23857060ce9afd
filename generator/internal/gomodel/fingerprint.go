package gomodel

import (
	"github.com/idemgen/idemgen/generator/internal/contract"
	"github.com/idemgen/idemgen/generator/internal/server"
)

// bodyVariable holds the body in a fingerprint function.
const bodyVariable = "body"

// fingerprint returns the values to be compared, without those of a body that
// can be of several media types.
func (o *operation) fingerprint() []Value {
	var values []Value
	for _, f := range o.contract.Fingerprint {
		ofBody := f.Source == contract.Body || f.Source == contract.MediaType
		switch {
		case ofBody && o.several():
		case f.Source == contract.MediaType:
			values = append(values, o.mediaType(&o.contract.Contents[0], f))
		case ofBody:
			if v, ok := o.bodyValue(f); ok {
				values = append(values, v)
			}
		default:
			if p, ok := o.pick(f, ""); ok {
				if v, ok := o.compare(p, f); ok {
					values = append(values, v)
				}
			}
		}
	}
	return values
}

// compare returns how the value of a field is written to the hasher.
func (o *operation) compare(p pick, f contract.Field) (Value, bool) {
	write, ok := o.write(p)
	switch {
	case p.typ.IsUnion() && !p.typ.Decodes:
		o.fail(RuleFieldGoType, f, "give the schema a name under components/schemas and refer to it",
			"oapi-codegen loses the content of a oneOf or anyOf that is written in place: %s is always empty", p.typ.Text)
		return Value{}, false
	case !ok:
		o.fail(RuleFieldGoType, f, "leave the field out of the fingerprint",
			"values of the Go type %s of %s cannot be compared", p.typ.Text, f.Expression)
		return Value{}, false
	}
	switch {
	case p.typ.Kind == server.Nullable && f.Default != nil:
		p.guards = append(p.guards, p.expr+".IsSpecified()")
	case p.typ.Kind == server.RawJSON && p.optional && !p.pointer:
		p.guards = append(p.guards, "len("+p.expr+") != 0")
	}
	v := Value{Name: quote(f.Name), Guard: p.guard(), Write: write, Absent: "h.Null()"}
	if f.Default != nil && v.Guard != "" {
		v.Absent = o.absent(p, f)
	}
	v.Write = o.withDefaults(v.Write, v, f, p.typ)
	v.Absent = o.withDefaults(v.Absent, v, f, p.typ)
	return v, true
}

// write returns the statement that writes a value: the method of its type, so
// that no scalar needs reflection.
func (o *operation) write(p pick) (string, bool) {
	switch p.typ.Kind {
	case server.String:
		return "h.String(" + convert("string", p) + ")", true
	case server.Bool:
		return "h.Bool(" + convert("bool", p) + ")", true
	case server.Int:
		return "h.Int(" + convert("int64", p) + ")", true
	case server.Uint:
		return "h.Uint(" + convert("uint64", p) + ")", true
	case server.Float:
		return "h.Float(" + convert("float64", p) + ")", true
	case server.Bytes:
		return "h.Bytes(" + p.value() + ")", true
	case server.RawJSON:
		return "h.JSON(" + p.value() + ")", true
	case server.UUID:
		return "h.String(" + o.uuid(p) + ".String())", true
	case server.Date:
		return "h.Date(" + p.expr + ".Time)", true
	case server.Time:
		if p.typ.Defined {
			return "h.Time(time.Time(" + p.value() + "))", true
		}
		return "h.Time(" + p.value() + ")", true
	case server.Reader, server.Multipart:
		return "", false
	}
	// A pointer is handed over as it is: that copies nothing and keeps the
	// methods of pointer receivers.
	return "h.Any(" + p.expr + ")", true
}
