package server

import (
	"fmt"
	"go/ast"
	"go/token"
	"slices"
)

// A Package is what a generated package has that a wrapper of its server needs. [Read] reads it; packages that its types lead to are read when somebody
// asks for them, so it is not safe for concurrent use.
type Package struct {
	// Name is the name in its package clause.
	Name string
	// Framework is what the server is generated for.
	Framework Framework
	// FrameworkPath is the import path of the framework's package.
	FrameworkPath string
	// Strict says that the package has a StrictServerInterface.
	Strict bool
	// Operations are the methods of StrictServerInterface, in its order; those
	// of ServerInterface where it is not strict and of NetHTTP, else none.
	Operations []Operation
	// BindingErrors names the error types of parameter binding that the
	// package declares, in the order of bindingErrors.
	BindingErrors []BindingError
	// ErrorHandlerOptions is the options struct of the generated server that
	// has a field ErrorHandlerFunc of the net/http form, "" for none.
	ErrorHandlerOptions string

	types    map[string]typeDecl
	names    map[string]token.Position
	decoders map[string]bool             // types with a method UnmarshalJSON
	decoding map[string]*ast.FuncDecl    // methods of the strict handler, by name
	fields   map[*ast.StructType][]Field // of structs that were asked for
	others   map[string]*Package         // that types lead to, by import path; shared with them
	bodies   map[[2]string]string        // names of types, by method and media type
	dir      string
}

// A typeDecl is a type declaration with the file it stands in, whose imports
// give its qualifiers their meaning.
type typeDecl struct {
	spec *ast.TypeSpec
	file *source
}

// The interfaces of every server of oapi-codegen: of all, and of strict ones.
const (
	serverInterface = "ServerInterface"
	strictInterface = "StrictServerInterface"
)

// Read reads the package in dir, without its tests, files that build
// constraints leave out, the files named in skip, and what idemgen itself has
// written there before. An error says what to do about it.
func Read(dir string, skip ...string) (*Package, error) { return ReadFresh(dir, nil, skip...) }

// ReadFresh is Read with files that have, or are to have, another content than
// on disk: fresh holds it by their names.
func ReadFresh(dir string, fresh map[string][]byte, skip ...string) (*Package, error) {
	sources, err := parseDir(dir, fresh, skip)
	if err != nil {
		return nil, err
	}
	declares := func(name string) int {
		return slices.IndexFunc(sources, func(s *source) bool { return s.declares(name) })
	}
	i, strict := declares(strictInterface), true
	if i < 0 {
		i, strict = declares(serverInterface), false
	}
	if i < 0 {
		return nil, fmt.Errorf("neither %s nor %s is in %s: set a server and strict-server: true under generate in oapi-codegen's configuration and run it again",
			strictInterface, serverInterface, dir)
	}
	p := newPackage(sources[i].file.Name.Name, dir)
	p.Strict = strict
	for _, s := range sources {
		if s.file.Name.Name == p.Name {
			p.declare(s)
		}
	}
	read := p.readOperations
	if !strict {
		read = p.readHandlers
	}
	if err := read(); err != nil {
		return nil, err
	}
	p.readBinding()
	return p, nil
}

func newPackage(name, dir string) *Package {
	return &Package{
		Name:     name,
		dir:      dir,
		types:    make(map[string]typeDecl),
		names:    make(map[string]token.Position),
		decoders: make(map[string]bool),
		decoding: make(map[string]*ast.FuncDecl),
		fields:   make(map[*ast.StructType][]Field),
		others:   make(map[string]*Package),
		bodies:   make(map[[2]string]string),
	}
}

// Operation returns the operation with the given method and path, both as the
// document has them.
func (p *Package) Operation(method, path string) (Operation, bool) {
	for _, op := range p.Operations {
		if op.Method == method && op.Path == path {
			return op, true
		}
	}
	return Operation{}, false
}

// Declared returns where the package declares name at its top level.
func (p *Package) Declared(name string) (token.Position, bool) {
	at, ok := p.names[name]
	return at, ok
}

// declare enters the top-level names of one file.
func (p *Package) declare(s *source) {
	for _, d := range s.file.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if d.Recv == nil {
				p.names[d.Name.Name] = s.position(d.Name)
			} else if embeddedName(d.Recv.List[0].Type) == strictHandler {
				p.decoding[d.Name.Name] = d
			} else if d.Name.Name == "UnmarshalJSON" {
				p.decoders[embeddedName(d.Recv.List[0].Type)] = true
			}
		case *ast.GenDecl:
			p.readBodyType(d)
			for _, spec := range d.Specs {
				p.declareSpec(s, spec)
			}
		}
	}
}

func (p *Package) declareSpec(s *source, spec ast.Spec) {
	switch spec := spec.(type) {
	case *ast.TypeSpec:
		p.names[spec.Name.Name] = s.position(spec.Name)
		p.types[spec.Name.Name] = typeDecl{spec: spec, file: s}
	case *ast.ValueSpec:
		for _, name := range spec.Names {
			p.names[name.Name] = s.position(name)
		}
	}
}
