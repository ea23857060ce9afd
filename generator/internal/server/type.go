package server

import (
	"go/ast"
	"go/types"
)

// A Kind says what a type is, named types and aliases followed to their end.
type Kind int

const (
	// Composite is every type that is none of the others: slices, arrays,
	// maps, interfaces, functions.
	Composite Kind = iota
	String
	Bool
	Int   // every signed size
	Uint  // every unsigned size
	Float // both sizes
	Bytes // []byte
	UUID
	Date
	Time
	RawJSON // json.RawMessage
	File    // openapi_types.File
	Reader  // io.Reader
	Multipart
	Struct
	Pointer
	Nullable // nullable.Nullable
	// Foreign is a type of another package whose source is not read.
	Foreign
)

// An Import is a type of another package.
type Import struct{ Path, Local, Name string }

// A Type is a type as far as the source of its package tells. The zero Type is
// a Composite without anything.
type Type struct {
	Kind Kind
	// Text is the type as its field writes it, for messages.
	Text string
	// Basic is the predeclared type underneath, such as int32, for String,
	// Bool, Int, Uint and Float.
	Basic string
	// Defined says that the type is declared as one of its own, with
	// neither the identity nor the methods of what is underneath.
	Defined bool
	// Import is the type of another package that it is, or is defined as.
	Import Import
	// Decodes says that the type itself has a method UnmarshalJSON. A type
	// that is defined as one that has it does not have it.
	Decodes bool

	elem   ast.Expr
	fields *ast.StructType
	file   *source
	pkg    *Package
}

// Elem returns what a Pointer or a Nullable is of.
func (t Type) Elem() Type { return t.pkg.resolve(t.elem, t.file) }

// Element returns what an array or a slice has, or the values of a map.
func (t Type) Element() (Type, bool) {
	if t.Kind != Composite || t.elem == nil {
		return Type{}, false
	}
	return t.Elem(), true
}

// resolve follows a type expression that stands in file.
func (p *Package) resolve(expr ast.Expr, file *source) Type {
	t := p.follow(expr, file, 0)
	t.Text = types.ExprString(expr)
	return t
}

// maxDepth ends a chain of declarations that Go itself would refuse.
const maxDepth = 64

func (p *Package) follow(expr ast.Expr, file *source, depth int) Type {
	t := Type{file: file, pkg: p}
	switch expr := expr.(type) {
	case *ast.ParenExpr:
		return p.follow(expr.X, file, depth)
	case *ast.Ident:
		return p.followName(expr.Name, file, depth)
	case *ast.SelectorExpr:
		return p.imported(expr, file)
	case *ast.StarExpr:
		t.Kind, t.elem = Pointer, expr.X
	case *ast.IndexExpr:
		generic := p.follow(expr.X, file, depth)
		if generic.Import.Path == "github.com/oapi-codegen/nullable" && generic.Import.Name == "Nullable" {
			t.Kind, t.elem, t.Import = Nullable, expr.Index, generic.Import
		} else if generic.Kind == Foreign {
			return generic
		}
	case *ast.MapType:
		t.elem = expr.Value
	case *ast.ArrayType:
		t.elem = expr.Elt
		if elem, ok := expr.Elt.(*ast.Ident); ok && expr.Len == nil && (elem.Name == "byte" || elem.Name == "uint8") {
			t.Kind = Bytes
		}
	case *ast.StructType:
		t.Kind, t.fields = Struct, expr
	}
	return t
}

// followName follows a name of this package, or a predeclared one.
func (p *Package) followName(name string, file *source, depth int) Type {
	if decl, ok := p.types[name]; ok {
		if depth == maxDepth || decl.spec.TypeParams != nil {
			return Type{pkg: p, file: file}
		}
		t := p.follow(decl.spec.Type, decl.file, depth+1)
		if !decl.spec.Assign.IsValid() {
			t.Defined, t.Decodes = true, p.decoders[name]
		}
		return t
	}
	t := Type{Kind: predeclared(name), Basic: name, file: file, pkg: p}
	if t.Kind == Foreign { // from a dot import
		t.Basic, t.Import = "", Import{Path: file.imports["."], Name: name}
	}
	return t
}

// predeclared returns the kind of a predeclared type, Foreign for other names.
func predeclared(name string) Kind {
	switch name {
	case "string":
		return String
	case "bool":
		return Bool
	case "int", "int8", "int16", "int32", "int64", "rune":
		return Int
	case "uint", "uint8", "uint16", "uint32", "uint64", "byte":
		return Uint
	case "float32", "float64":
		return Float
	case "any", "error", "comparable", "uintptr", "complex64", "complex128":
		return Composite
	}
	return Foreign
}

// imported returns the type that a qualified name stands for.
func (p *Package) imported(expr *ast.SelectorExpr, file *source) Type {
	t := Type{Kind: Foreign, file: file, pkg: p}
	qualifier, ok := expr.X.(*ast.Ident)
	if !ok {
		return t
	}
	t.Import = Import{Path: file.imports[qualifier.Name], Local: qualifier.Name, Name: expr.Sel.Name}
	switch t.Import.Path + "." + t.Import.Name {
	case "github.com/oapi-codegen/runtime/types.UUID", "github.com/google/uuid.UUID":
		t.Kind = UUID
	case "github.com/oapi-codegen/runtime/types.Date":
		t.Kind = Date
	case "github.com/oapi-codegen/runtime/types.Email":
		t.Kind, t.Basic, t.Defined = String, "string", true
	case "github.com/oapi-codegen/runtime/types.File":
		t.Kind = File
	case "time.Time":
		t.Kind = Time
	case "encoding/json.RawMessage":
		t.Kind = RawJSON
	case "io.Reader":
		t.Kind = Reader
	case "mime/multipart.Reader":
		t.Kind = Multipart
	}
	return t
}
