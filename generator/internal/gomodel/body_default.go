package gomodel

import (
	"strings"

	"github.com/idemgen/idemgen/generator/internal/contract"
	"github.com/idemgen/idemgen/generator/internal/server"
)

// A NamedDefault has the defaults inside one field of a fingerprint.
type NamedDefault struct {
	Name string // of the field, quoted
	// Fields are the fields of an idem.Defaults, in braces.
	Fields string
}

// defaultsVariable is the variable that holds the defaults of an operation.
func (o *operation) defaultsVariable() string { return lowerFirst(o.server.Name) + "Defaults" }

// withDefaults returns the statement that writes a composite value, with the
// defaults inside it.
func (o *operation) withDefaults(statement string, v Value, f contract.Field, t server.Type) string {
	inner, ok := strings.CutPrefix(statement, "h.Any(")
	if !ok || f.Inside == nil {
		return statement
	}
	fields := o.inside(t, f.Inside, f)
	if fields == "" {
		return statement
	}
	o.addDefaults(NamedDefault{Name: v.Name, Fields: fields})
	return "h.AnyWithDefaults(" + strings.TrimSuffix(inner, ")") + ", " + o.defaultsVariable() + "[" + v.Name + "])"
}

// addDefaults notes the defaults of a field. Media types that share the field
// have them by the type of the first.
func (o *operation) addDefaults(d NamedDefault) {
	for i := range o.defaults {
		if o.defaults[i].Name == d.Name {
			return
		}
	}
	o.defaults = append(o.defaults, d)
}

// inside writes the defaults inside a value of a Go type, "" for none. Where the
// type does not have a member as the schema does, as a union, it has no default
// that a handler could see.
func (o *operation) inside(t server.Type, d *contract.Defaults, f contract.Field) string {
	t = plain(t)
	var fields []string
	var members strings.Builder
	for _, m := range d.Members {
		path, ok := t.Member(m.Name)
		if !ok {
			continue
		}
		if text := o.memberDefault(path[len(path)-1].Type, &m.Defaults, f, m.Name); text != "" {
			members.WriteString("\n" + quote(m.Name) + ": " + text + ",")
		}
	}
	if members.Len() > 0 {
		fields = append(fields, "Members: map[string]*idem.Defaults{"+members.String()+"\n},")
	}
	if d.Elements != nil {
		if element, ok := t.Element(); ok {
			if text := o.inside(element, d.Elements, f); text != "" {
				fields = append(fields, "Elements: &idem.Defaults"+text+",")
			}
		}
	}
	if len(fields) == 0 {
		return ""
	}
	return "{\n" + strings.Join(fields, "\n") + "\n}"
}

// memberDefault writes the default of a member and those inside it, "" for none.
func (o *operation) memberDefault(t server.Type, d *contract.Defaults, f contract.Field, name string) string {
	inner := strings.TrimSuffix(strings.TrimPrefix(o.inside(t, d, f), "{\n"), "\n}")
	absent := ""
	if d.Default != nil {
		named := f
		named.Expression += " (" + name + " inside it)"
		named.Default = d.Default
		if statement := o.absent(pick{typ: plain(t)}, named); statement != "h.Null()" && statement != "" {
			absent = "Absent: func(h *idem.Hasher) { " + statement + " },\n"
		}
	}
	if absent == "" && inner == "" {
		return ""
	}
	return "{\n" + absent + inner + "\n}"
}

// plain is a type without what stands around it: pointers, nullables, the
// package it is from.
func plain(t server.Type) server.Type {
	for t.Kind == server.Pointer || t.Kind == server.Nullable {
		t = t.Elem()
	}
	return t.Follow()
}
