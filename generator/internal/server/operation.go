package server

import (
	"fmt"
	"go/ast"
	"regexp"
	"strings"
)

// An Operation is a method of StrictServerInterface.
type Operation struct {
	// Method and Path are as in the OpenAPI document.
	Method, Path string
	// Name is the Go method.
	Name string
	// Request and Response are the names of the request struct and the
	// response interface; Visit is the only method of that interface.
	Request, Response, Visit string
	// Params is the type of the struct of query, header and cookie
	// parameters. Its Kind is Struct, or Composite where there is none.
	Params Type
	// Bodies are the fields of the request struct that hold a body, one for
	// each media type of the operation.
	Bodies []Field

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

// A Framework is what answers are written to.
type Framework string

const (
	// NetHTTP: http.ResponseWriter. The servers std-http, chi, gorilla and echo.
	NetHTTP Framework = "net/http"
	// Gin writes to http.ResponseWriter, but gives handlers its own context.
	Gin Framework = "gin"
	// Fiber, both versions, and Iris write to their own context.
	Fiber   Framework = "fiber"
	FiberV3 Framework = "fiber v3"
	Iris    Framework = "iris"
)

// methodComment is in the doc comment of each method, on a line of its own, in
// every version since 2.1 of oapi-codegen.
var methodComment = regexp.MustCompile(`^\(([A-Z]+) (/.*)\)$`)

func (p *Package) readOperations() error {
	decl := p.types[strictInterface]
	iface, ok := decl.spec.Type.(*ast.InterfaceType)
	if !ok {
		return fmt.Errorf("%s: %s is no interface", decl.file.position(decl.spec), strictInterface)
	}
	for _, method := range iface.Methods.List {
		op, err := p.readOperation(decl.file, method)
		if err != nil {
			return err
		}
		p.Operations = append(p.Operations, op)
	}
	return nil
}

// readOperation reads one method:
//
//	// (POST /payments)
//	CreatePayment(ctx context.Context, request CreatePaymentRequestObject) (CreatePaymentResponseObject, error)
func (p *Package) readOperation(file *source, method *ast.Field) (Operation, error) {
	var op Operation
	unknown := fmt.Errorf("%s: method of %s without the form of oapi-codegen v2.1 or newer", file.position(method), strictInterface)
	signature, ok := method.Type.(*ast.FuncType)
	if !ok || len(method.Names) != 1 || signature.Params.NumFields() != 2 || signature.Results.NumFields() != 2 {
		return op, unknown
	}
	op.Name = method.Names[0].Name
	for _, line := range strings.Split(method.Doc.Text(), "\n") {
		if m := methodComment.FindStringSubmatch(line); m != nil {
			op.Method, op.Path = m[1], m[2]
		}
	}
	request, isName1 := signature.Params.List[len(signature.Params.List)-1].Type.(*ast.Ident)
	response, isName2 := signature.Results.List[0].Type.(*ast.Ident)
	if op.Method == "" || !isName1 || !isName2 {
		return op, unknown
	}
	op.Request, op.Response = request.Name, response.Name
	p.readRequest(&op)
	if err := p.readResponse(&op); err != nil {
		return op, fmt.Errorf("%s: %w", file.position(method), err)
	}
	return op, nil
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

// readResponse takes the name of the Visit method and the framework from the
// response interface.
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
	framework, err := p.frameworkOf(signature.Params.List[0].Type, decl.file)
	p.Framework = framework
	return err
}

// frameworkOf tells the framework by the parameter of a Visit method.
func (p *Package) frameworkOf(parameter ast.Expr, file *source) (Framework, error) {
	t := p.resolve(parameter, file)
	if t.Kind == Pointer {
		t = t.Elem()
	}
	switch path := t.Import.Path; {
	case path == "net/http" && p.ginContext():
		return Gin, nil
	case path == "net/http":
		return NetHTTP, nil
	case strings.HasPrefix(path, "github.com/gofiber/fiber/v3"):
		return FiberV3, nil
	case strings.HasPrefix(path, "github.com/gofiber/fiber"):
		return Fiber, nil
	case strings.HasPrefix(path, "github.com/kataras/iris"):
		return Iris, nil
	}
	return "", fmt.Errorf("answers are written to %s, of an unknown framework", t.Text)
}

// ginContext reports whether strict handlers are given gin's context.
func (p *Package) ginContext() bool {
	decl, ok := p.types["StrictHandlerFunc"]
	if !ok {
		return false
	}
	signature, ok := decl.spec.Type.(*ast.FuncType)
	if !ok || len(signature.Params.List) == 0 {
		return false
	}
	t := p.resolve(signature.Params.List[0].Type, decl.file)
	return t.Kind == Pointer && t.Elem().Import.Path == "github.com/gin-gonic/gin"
}
