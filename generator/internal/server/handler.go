package server

import (
	"go/ast"
	"go/types"
	"regexp"
	"strings"
)

// An Argument is an argument of a method of ServerInterface, beyond the writer
// and the request.
type Argument struct {
	Name string
	Type Type

	expr ast.Expr
}

// readHandlers reads the methods of ServerInterface, for a server that is not
// strict:
//
//	// (POST /accounts/{account_id}/payments)
//	CreatePayment(w http.ResponseWriter, r *http.Request, accountId string, params CreatePaymentParams)
//
// Path parameters come in the order of the path, then the struct of the others.
func (p *Package) readHandlers() error {
	methods, file, err := p.methods(serverInterface)
	if err != nil {
		return err
	}
	if err := p.readFramework(nil, nil); err != nil {
		return err
	}
	if p.Framework != NetHTTP {
		return nil
	}
	for _, method := range methods {
		op, signature, err := operationOf(file, method, serverInterface)
		if err != nil {
			return err
		}
		op.Request = serverInterface + "." + op.Name // for messages
		p.readArguments(&op, signature, file)
		p.Operations = append(p.Operations, op)
	}
	return nil
}

// readArguments takes the parameters of an operation from its arguments.
func (p *Package) readArguments(op *Operation, signature *ast.FuncType, file *source) {
	for _, field := range signature.Params.List {
		for _, name := range field.Names {
			op.Arguments = append(op.Arguments, Argument{Name: name.Name, Type: p.resolve(field.Type, file), expr: field.Type})
		}
	}
	if len(op.Arguments) < 2 {
		op.Arguments = nil
		return
	}
	op.Arguments = op.Arguments[2:]
	names := pathParameters.FindAllStringSubmatch(op.Path, -1)
	for i, argument := range op.Arguments {
		if i < len(names) {
			op.path = append(op.path, Field{Name: argument.Name, JSON: names[i][1], Tagged: true, Type: argument.Type})
		} else {
			op.Params = argument.Type
		}
	}
}

var pathParameters = regexp.MustCompile(`\{([^{}]+)\}`)

// bodyComment is the doc comment of the type of a body:
//
//	// CreatePaymentJSONRequestBody defines body for CreatePayment for application/json ContentType.
var bodyComment = regexp.MustCompile(`^(\S+) defines body for (\S+) for (.+) ContentType\.`)

// readBodyType remembers the type of a body by its operation and media type.
func (p *Package) readBodyType(decl *ast.GenDecl) {
	m := bodyComment.FindStringSubmatch(strings.ReplaceAll(decl.Doc.Text(), "\n", " "))
	if m != nil {
		p.bodies[[2]string{m[2], m[3]}] = m[1]
	}
}

// BodyTypes returns the names of the types that the bodies of an operation are
// decoded into, by media type as the document has it. There is none for bodies
// that are not decoded.
func (p *Package) BodyTypes(op Operation) map[string]string {
	types := make(map[string]string)
	for key, name := range p.bodies {
		if key[0] == op.Name {
			types[key[1]] = name
		}
	}
	return types
}

// Pointer returns the type of a pointer to a type that the package declares.
func (p *Package) Pointer(name string) Type {
	return p.resolve(&ast.StarExpr{X: ast.NewIdent(name)}, p.types[serverInterface].file)
}

// MultipartReader returns the type *multipart.Reader.
func MultipartReader() Type {
	reader := &ast.SelectorExpr{X: ast.NewIdent("multipart"), Sel: ast.NewIdent("Reader")}
	file := &source{imports: map[string]string{"multipart": "mime/multipart"}}
	return (&Package{}).resolve(&ast.StarExpr{X: reader}, file)
}

// Spell writes the type of an argument for another file: own qualifies the names
// of this package, use enters the imports that it needs.
func (a Argument) Spell(own string, use func(path, name string)) string {
	return types.ExprString(a.Type.spell(a.expr, own, use))
}

// spell copies a type expression.
func (t Type) spell(expr ast.Expr, own string, use func(path, name string)) ast.Expr {
	again := func(e ast.Expr) ast.Expr { return t.spell(e, own, use) }
	switch expr := expr.(type) {
	case *ast.Ident:
		if _, ok := t.pkg.types[expr.Name]; ok {
			return ast.NewIdent(own + expr.Name)
		}
	case *ast.SelectorExpr:
		if qualifier, ok := expr.X.(*ast.Ident); ok {
			use(t.file.imports[qualifier.Name], qualifier.Name)
		}
	case *ast.StarExpr:
		return &ast.StarExpr{X: again(expr.X)}
	case *ast.ParenExpr:
		return &ast.ParenExpr{X: again(expr.X)}
	case *ast.ArrayType:
		return &ast.ArrayType{Len: expr.Len, Elt: again(expr.Elt)}
	case *ast.MapType:
		return &ast.MapType{Key: again(expr.Key), Value: again(expr.Value)}
	case *ast.IndexExpr:
		return &ast.IndexExpr{X: again(expr.X), Index: again(expr.Index)}
	}
	return expr
}
