package server

import (
	"fmt"
	"go/ast"
	"regexp"
	"strings"
)

// An Operation is a method of StrictServerInterface, or of ServerInterface.
type Operation struct {
	// Method and Path are as in the OpenAPI document.
	Method, Path string
	// Name is the Go method.
	Name string
	// Request and Response are the names of the request struct and the
	// response interface; Visit is the only method of that interface. A method
	// of ServerInterface has none of these: Request is its own name.
	Request, Response, Visit string
	// Params is the type of the struct of query, header and cookie
	// parameters. Its Kind is Struct, or Composite where there is none.
	Params Type
	// Bodies are the fields of the request struct that hold a body, one for
	// each media type of the operation.
	Bodies []Field
	// Arguments are those of a method of ServerInterface, without the writer
	// and the request.
	Arguments []Argument
	// MediaFields are the names of Bodies by media type, where whoever uses
	// the package has made them: a server that is not strict has none.
	MediaFields map[string]string

	path []Field
}

// PathParameter returns the field of the path parameter with the given name.
func (o *Operation) PathParameter(name string) (Field, bool) {
	for _, f := range o.path {
		if f.JSON == name {
			return f, true
		}
	}
	return Field{}, false
}

// PathParameters returns how many path parameters there are.
func (o *Operation) PathParameters() int { return len(o.path) }

// QueryParameter returns the path of fields, within Params, of the query
// parameter with the given name.
func (o *Operation) QueryParameter(name string) ([]Field, bool) {
	// A parameter of style form has a form tag; one of another style has a
	// json tag alone, as headers have.
	if path, ok := o.Params.find(func(f Field) bool { return f.Form == name }); ok {
		return path, true
	}
	return o.Params.find(func(f Field) bool { return f.Form == "" && f.JSON == name })
}

// HeaderParameter returns the path of fields, within Params, of the header
// with the given name, in any case.
func (o *Operation) HeaderParameter(name string) ([]Field, bool) {
	return o.Params.find(func(f Field) bool { return f.Form == "" && strings.EqualFold(f.JSON, name) })
}

// methodComment is in the doc comment of each method, on a line of its own, in
// every version since 2.1 of oapi-codegen.
var methodComment = regexp.MustCompile(`^\(([A-Z]+) (/.*)\)$`)

func (p *Package) readOperations() error {
	methods, file, err := p.methods(strictInterface)
	if err != nil {
		return err
	}
	for _, method := range methods {
		op, err := p.readOperation(file, method)
		if err != nil {
			return err
		}
		p.Operations = append(p.Operations, op)
	}
	return nil
}

// methods returns the methods of an interface of the package.
func (p *Package) methods(name string) ([]*ast.Field, *source, error) {
	decl := p.types[name]
	iface, ok := decl.spec.Type.(*ast.InterfaceType)
	if !ok {
		return nil, nil, fmt.Errorf("%s: %s is no interface", decl.file.position(decl.spec), name)
	}
	return iface.Methods.List, decl.file, nil
}

// readOperation reads one method:
//
//	// (POST /payments)
//	CreatePayment(ctx context.Context, request CreatePaymentRequestObject) (CreatePaymentResponseObject, error)
func (p *Package) readOperation(file *source, method *ast.Field) (Operation, error) {
	op, signature, err := operationOf(file, method, strictInterface)
	if err != nil {
		return op, err
	}
	if signature.Params.NumFields() != 2 || signature.Results.NumFields() != 2 {
		return op, unknownForm(file, method, strictInterface)
	}
	request, isName1 := signature.Params.List[len(signature.Params.List)-1].Type.(*ast.Ident)
	response, isName2 := signature.Results.List[0].Type.(*ast.Ident)
	if !isName1 || !isName2 {
		return op, unknownForm(file, method, strictInterface)
	}
	op.Request, op.Response = request.Name, response.Name
	p.readRequest(&op)
	if err := p.readResponse(&op); err != nil {
		return op, fmt.Errorf("%s: %w", file.position(method), err)
	}
	return op, nil
}

// operationOf reads the name and the comment of a method.
func operationOf(file *source, method *ast.Field, of string) (Operation, *ast.FuncType, error) {
	var op Operation
	signature, ok := method.Type.(*ast.FuncType)
	if !ok || len(method.Names) != 1 {
		return op, nil, unknownForm(file, method, of)
	}
	op.Name = method.Names[0].Name
	for _, line := range strings.Split(method.Doc.Text(), "\n") {
		if m := methodComment.FindStringSubmatch(line); m != nil {
			op.Method, op.Path = m[1], m[2]
		}
	}
	if op.Method == "" {
		return op, nil, unknownForm(file, method, of)
	}
	return op, signature, nil
}

func unknownForm(file *source, method *ast.Field, of string) error {
	return fmt.Errorf("%s: method of %s without the form of oapi-codegen v2.1 or newer", file.position(method), of)
}

// readRequest sorts the fields of the request struct: path parameters have a
// tag, Params and bodies have none.
func (p *Package) readRequest(op *Operation) {
	decl, ok := p.types[op.Request]
	if !ok {
		return
	}
	for _, f := range p.resolve(decl.spec.Type, decl.file).Fields() {
		switch {
		case f.Tagged:
			op.path = append(op.path, f)
		case f.Name == "Params":
			op.Params = f.Type
		case strings.HasSuffix(f.Name, "Body"):
			op.Bodies = append(op.Bodies, f)
		}
	}
}

// readResponse takes the name of the Visit method from the response interface.
func (p *Package) readResponse(op *Operation) error {
	decl, ok := p.types[op.Response]
	if !ok {
		return fmt.Errorf("%s is not declared in this package", op.Response)
	}
	iface, ok := decl.spec.Type.(*ast.InterfaceType)
	if !ok || len(iface.Methods.List) != 1 || len(iface.Methods.List[0].Names) != 1 {
		return fmt.Errorf("%s is no interface with one method", op.Response)
	}
	visit := iface.Methods.List[0]
	signature, ok := visit.Type.(*ast.FuncType)
	if !ok || signature.Params.NumFields() != 1 {
		return fmt.Errorf("%s.%s has not one parameter", op.Response, visit.Names[0].Name)
	}
	op.Visit = visit.Names[0].Name
	if p.Framework == "" {
		return p.readFramework(signature.Params.List[0].Type, decl.file)
	}
	return nil
}
