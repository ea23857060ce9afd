package server

import (
	"go/ast"
	"reflect"
	"strconv"
	"strings"
)

// A Field is a field of a struct.
type Field struct {
	Name string // in Go
	// JSON is its name in JSON: that of its json tag, else Name; "" for none.
	JSON string
	// Form is the name of its form tag, "" for none.
	Form string
	// Tagged says that it has a json or form tag.
	Tagged bool
	// Optional says that its json tag has omitempty or omitzero, which
	// oapi-codegen writes for an optional member, pointer or not.
	Optional bool
	// Inline says that the fields of its type, an embedded struct, stand in
	// its place in JSON.
	Inline bool
	Type   Type
}

// Fields returns the exported fields of a Struct, in order. The caller does not
// change them.
func (t Type) Fields() []Field {
	if t.Kind != Struct {
		return nil
	}
	if fields, ok := t.pkg.fields[t.fields]; ok {
		return fields
	}
	var fields []Field
	for _, field := range t.fields.Fields.List {
		for _, name := range namesOf(field) {
			if ast.IsExported(name) {
				fields = append(fields, t.field(name, field))
			}
		}
	}
	t.pkg.fields[t.fields] = fields
	return fields
}

// namesOf returns the names of a field declaration; that of an embedded field
// is the name of its type.
func namesOf(field *ast.Field) []string {
	if len(field.Names) == 0 {
		return []string{embeddedName(field.Type)}
	}
	names := make([]string, len(field.Names))
	for i, ident := range field.Names {
		names[i] = ident.Name
	}
	return names
}

func embeddedName(expr ast.Expr) string {
	switch expr := expr.(type) {
	case *ast.Ident:
		return expr.Name
	case *ast.SelectorExpr:
		return expr.Sel.Name
	case *ast.StarExpr:
		return embeddedName(expr.X)
	case *ast.IndexExpr:
		return embeddedName(expr.X)
	}
	return ""
}

func (t Type) field(name string, field *ast.Field) Field {
	f := Field{Name: name, JSON: name, Type: t.pkg.resolve(field.Type, t.file)}
	tag := tagOf(field)
	if text, ok := tag.Lookup("json"); ok {
		f.Tagged = true
		tagged, options, _ := strings.Cut(text, ",")
		f.Optional = strings.Contains(options, "omitempty") || strings.Contains(options, "omitzero")
		switch {
		case text == "-":
			f.JSON = ""
		case tagged != "":
			f.JSON = tagged
		}
		f.Inline = len(field.Names) == 0 && tagged == ""
	} else {
		f.Inline = len(field.Names) == 0
	}
	if text, ok := tag.Lookup("form"); ok {
		f.Tagged = true
		f.Form, _, _ = strings.Cut(text, ",")
	}
	return f
}

func tagOf(field *ast.Field) reflect.StructTag {
	if field.Tag == nil {
		return ""
	}
	text, err := strconv.Unquote(field.Tag.Value)
	if err != nil {
		return ""
	}
	return reflect.StructTag(text)
}

// Member returns the path of fields to the JSON member of that name: one field,
// or several where embedded structs are on the way.
func (t Type) Member(name string) ([]Field, bool) {
	return t.find(func(f Field) bool { return f.JSON == name })
}

// IsUnion reports whether oapi-codegen made the struct for a oneOf or anyOf,
// whose variants it keeps as raw JSON in a field that is not exported. Without
// Decodes, nothing fills that field: the handler does not see the variants.
func (t Type) IsUnion() bool { return t.has("union") }

// find returns the path to the first field that fits: the struct's own fields
// first, then those of embedded structs.
func (t Type) find(fits func(Field) bool) ([]Field, bool) { return t.Follow().search(fits, 0) }

func (t Type) search(fits func(Field) bool, depth int) ([]Field, bool) {
	fields := t.Fields()
	for _, f := range fields {
		if !f.Inline && fits(f) {
			return []Field{f}, true
		}
	}
	for _, f := range fields {
		if !f.Inline || depth == maxDepth {
			continue
		}
		inner := f.Type
		if inner.Kind == Pointer {
			inner = inner.Elem()
		}
		inner = inner.Follow()
		if path, ok := inner.search(fits, depth+1); ok {
			return append([]Field{f}, path...), true
		}
	}
	return nil, false
}

// has reports whether the struct itself has a field of that Go name.
func (t Type) has(name string) bool {
	if t.Kind != Struct {
		return false
	}
	for _, field := range t.fields.Fields.List {
		for _, n := range namesOf(field) {
			if n == name {
				return true
			}
		}
	}
	return false
}
