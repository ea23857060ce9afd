package server

import "go/ast"

// A BindingError is an error type with which the generated server refuses a
// request before any handler sees it. It has a field ParamName.
type BindingError struct {
	Name    string
	Missing bool // it says that the parameter is not there
}

// bindingErrors are the ones that a header, query or path parameter can have.
// (UnescapedCookieParamError is of cookies, which hold no key.)
func bindingErrors() []BindingError {
	return []BindingError{
		{Name: "RequiredHeaderError", Missing: true},
		{Name: "RequiredParamError", Missing: true},
		{Name: "InvalidParamFormatError"},
		{Name: "TooManyValuesForParamError"},
		{Name: "UnmarshalingParamError"},
	}
}

// readBinding finds the error types of parameter binding and the options that
// take a handler for them.
func (p *Package) readBinding() {
	for _, e := range bindingErrors() {
		if decl, ok := p.types[e.Name]; ok && p.resolve(decl.spec.Type, decl.file).has("ParamName") {
			p.BindingErrors = append(p.BindingErrors, e)
		}
	}
	for _, name := range []string{"StdHTTPServerOptions", "ChiServerOptions", "GorillaServerOptions"} {
		if decl, ok := p.types[name]; ok && p.takesErrorHandler(decl) {
			p.ErrorHandlerOptions = name
			return
		}
	}
}

// takesErrorHandler reports whether the struct has
//
//	ErrorHandlerFunc func(w http.ResponseWriter, r *http.Request, err error)
func (p *Package) takesErrorHandler(decl typeDecl) bool {
	structure, ok := decl.spec.Type.(*ast.StructType)
	if !ok {
		return false
	}
	for _, field := range structure.Fields.List {
		signature, ok := field.Type.(*ast.FuncType)
		if !ok || len(field.Names) != 1 || field.Names[0].Name != "ErrorHandlerFunc" || signature.Params.NumFields() != 3 {
			continue
		}
		return p.resolve(signature.Params.List[0].Type, decl.file).Import.Path == "net/http"
	}
	return false
}
