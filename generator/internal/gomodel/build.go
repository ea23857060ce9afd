package gomodel

import (
	"slices"
	"strconv"
	"strings"

	"github.com/idemgen/idemgen/generator/diag"
	"github.com/idemgen/idemgen/generator/internal/contract"
	"github.com/idemgen/idemgen/generator/internal/server"
)

// Options say where the file will stand.
type Options struct {
	// Source is the document as the file's header names it.
	Source string
	// PackageName is the name of a package of the file's own; "" puts it
	// into the generated server's package.
	PackageName string
	// ImportPath is that of the generated server's package. It is needed
	// with PackageName only.
	ImportPath string
}

// Build returns the file that keeps contracts, of which there is at least one,
// in pkg. With an error among its findings there is no file.
func Build(contracts []contract.Contract, pkg *server.Package, opts Options) (*File, diag.List) {
	b := &builder{pkg: pkg, opts: opts, backend: backendOf(pkg.Framework), imports: make(map[string]string)}
	file := &File{Source: opts.Source, Package: pkg.Name}
	if opts.PackageName != "" {
		file.Package = opts.PackageName
		file.API = b.importAPI() + "."
	}
	b.api = file.API
	file.Strict, file.Interface = pkg.Strict, "StrictServerInterface"
	if !pkg.Strict {
		file.Interface = "ServerInterface"
		if !b.supported(&contracts[0]) {
			return nil, b.diags
		}
	}
	for i := range contracts {
		c := &contracts[i]
		if op, ok := b.find(c); ok {
			file.Operations = append(file.Operations, b.operation(c, op))
			file.Principal = file.Principal || c.Principal
			file.Reloads = file.Reloads || c.Replay == "reload"
		}
	}
	b.addBackend(file)
	file.Imports = b.importGroups(file)
	b.checkNames(file, contracts)
	if b.diags.HasErrors() {
		return nil, b.diags.Sort()
	}
	return file, b.diags.Sort()
}

// A builder carries what one Build gathers besides its file.
type builder struct {
	pkg        *server.Package
	opts       Options
	api        string
	backend    backend
	imports    map[string]string // path to name, "" for the usual one
	parameters []KeyParameter
	methods    map[string]*contract.Contract
	diags      diag.List
}

// addBackend adds what the server's framework needs.
func (b *builder) addBackend(file *File) {
	if b.backend.app != "" {
		file.App = &App{Type: b.backend.app, Doc: b.backend.appDoc}
	}
	if b.backend.support != "" {
		file.Support = &Support{Template: b.backend.support, Parameter: b.backend.parameter}
	}
	file.ErrorHandler = b.errorHandler()
}

// find returns the generated operation of a contract.
func (b *builder) find(c *contract.Contract) (server.Operation, bool) {
	op, ok := b.pkg.Operation(c.Method, c.Path)
	if !ok {
		b.report(RuleNotGenerated, c.Range, c.Operation,
			"run oapi-codegen first; if it leaves the operation out on purpose (include-tags, exclude-operation-ids …), take the contract away with an overlay",
			"the generated package has no %s %s: its code is older than the document", c.Method, c.Path)
		return op, false
	}
	return op, b.register(c, op.Name)
}

// register enters the Go name of a contract's operation.
func (b *builder) register(c *contract.Contract, name string) bool {
	if other, ok := b.methods[name]; ok {
		b.report(RuleMethodClash, c.Range, c.Operation, "give one of them another operationId",
			"%s and %s (%s) are both the Go method %s", c.Operation, other.Operation, other.Range, name)
		return false
	}
	if b.methods == nil {
		b.methods = make(map[string]*contract.Contract)
	}
	b.methods[name] = c
	return true
}

// errorHandler returns the handler of binding errors, where the server has a
// hook for one and some key is a parameter. That of net/http goes by the types of the errors, the others by
// the request.
func (b *builder) errorHandler() *ErrorHandler {
	if len(b.parameters) == 0 {
		return nil
	}
	handler := &ErrorHandler{
		Template:   b.backend.errorHandler,
		API:        b.api,
		Options:    b.pkg.ErrorHandlerOptions,
		Context:    strings.TrimPrefix(b.backend.parameter, "ctx "),
		Parameters: b.parameters,
	}
	if b.pkg.Framework != server.NetHTTP {
		return handler
	}
	if len(b.pkg.BindingErrors) == 0 || b.pkg.ErrorHandlerOptions == "" {
		return nil
	}
	for _, e := range b.pkg.BindingErrors {
		handler.Errors = append(handler.Errors, BindingError{Type: b.api + e.Name, Missing: e.Missing})
	}
	return handler
}

// checkNames reports names of the file that its package has already.
func (b *builder) checkNames(file *File, contracts []contract.Contract) {
	if file.API != "" {
		return
	}
	check := func(name string, c contract.Contract) {
		if at, ok := b.pkg.Declared(name); ok {
			b.report(RuleNameClash, c.Range, c.Operation,
				"rename it there, or put the generated code into a package of its own with --package-name",
				"the generated code needs the name %s, which %s has declared", name, at)
		}
	}
	for _, name := range fixedNames(file) {
		check(name, contracts[0])
	}
	for _, op := range file.Operations {
		check(op.Contract, *b.methods[op.Name])
		if op.DefaultsVar != "" {
			check(op.DefaultsVar, *b.methods[op.Name])
		}
	}
}

// fixedNames returns the names that every file declares, and those of its
// imports, which Go does not let a package declare besides.
func fixedNames(file *File) []string {
	names := []string{"NewIdempotentServer", "idempotentServer"}
	if file.Strict {
		names = append(names, "idempotentReply")
	}
	if file.ErrorHandler != nil {
		names = append(names, "IdempotencyErrorHandler")
		if len(file.ErrorHandler.Errors) > 0 {
			names = append(names, "keyBindingError")
		}
	}
	if file.Reloads {
		names = append(names, "IdempotencyReloader")
	}
	for _, group := range file.Imports {
		for _, i := range group {
			names = append(names, importName(i))
		}
	}
	slices.Sort(names)
	return names
}

func quote(s string) string { return strconv.Quote(s) }
