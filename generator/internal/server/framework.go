package server

import (
	"fmt"
	"go/ast"
	"strings"
)

// A Framework is what a generated server is for.
type Framework string

const (
	// NetHTTP: std-http, chi and gorilla.
	NetHTTP Framework = "net/http"
	// Echo and EchoV5 write answers to an http.ResponseWriter and give
	// handlers the request's context, but have their own error handler.
	Echo   Framework = "echo"
	EchoV5 Framework = "echo v5"
	// Gin writes to an http.ResponseWriter and gives handlers its own context.
	Gin Framework = "gin"
	// Fiber and FiberV3 write to their own context.
	Fiber   Framework = "fiber"
	FiberV3 Framework = "fiber v3"
	// Iris writes to its own context and gives it to handlers.
	Iris Framework = "iris"
)

// frameworkOf returns the framework that the package with the given path is of.
func frameworkOf(importPath string) (Framework, bool) {
	for _, f := range []struct {
		path      string
		framework Framework
	}{
		{"net/http", NetHTTP},
		{"github.com/labstack/echo/v5", EchoV5},
		{"github.com/labstack/echo", Echo},
		{"github.com/gin-gonic/gin", Gin},
		{"github.com/gofiber/fiber/v3", FiberV3},
		{"github.com/gofiber/fiber", Fiber},
		{"github.com/kataras/iris", Iris},
	} {
		if importPath == f.path || strings.HasPrefix(importPath, f.path+"/") {
			return f.framework, true
		}
	}
	return "", false
}

// readFramework takes the framework from the first parameter of the methods of
// ServerInterface, which all servers have. The parameter of a Visit method,
// visit, must do where that is in another package: echo and gin are net/http
// there.
func (p *Package) readFramework(visit ast.Expr, file *source) error {
	parameter := visit
	if expr, in, ok := p.serverParameter(); ok {
		parameter, file = expr, in
	}
	if parameter == nil {
		return fmt.Errorf("%s has no methods", serverInterface)
	}
	t := p.resolve(parameter, file)
	if t.Kind == Pointer {
		t = t.Elem()
	}
	framework, ok := frameworkOf(t.Import.Path)
	if !ok {
		return fmt.Errorf("the server is of an unknown framework: its handlers take %s", t.Text)
	}
	p.Framework, p.FrameworkPath = framework, t.Import.Path
	return nil
}

// serverParameter returns the type of the first parameter of the first method of
// ServerInterface.
func (p *Package) serverParameter() (ast.Expr, *source, bool) {
	decl, ok := p.types[serverInterface]
	if !ok {
		return nil, nil, false
	}
	iface, ok := decl.spec.Type.(*ast.InterfaceType)
	if !ok {
		return nil, nil, false
	}
	for _, method := range iface.Methods.List {
		if signature, ok := method.Type.(*ast.FuncType); ok && len(signature.Params.List) > 0 {
			return signature.Params.List[0].Type, decl.file, true
		}
	}
	return nil, nil, false
}
