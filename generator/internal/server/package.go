package server

import (
	"fmt"
	"go/ast"
	"go/token"
	"slices"
)

// A Package is what a generated package has that a wrapper of its strict server
// needs. It is read once by [Read] and does not change.
type Package struct {
	// Name is the name in its package clause.
	Name string
	// Framework is what the server's answers are written to.
	Framework Framework
	// Operations are the methods of StrictServerInterface, in its order.
	Operations []Operation
	// BindingErrors names the error types of parameter binding that the
	// package declares, in the order of bindingErrors.
	BindingErrors []BindingError
	// ErrorHandlerOptions is the options struct of the generated server that
	// has a field ErrorHandlerFunc of the net/http form, "" for none.
	ErrorHandlerOptions string

	types    map[string]typeDecl
	names    map[string]token.Position
	decoders map[string]bool // types with a method UnmarshalJSON
}

// A typeDecl is a type declaration with the file it stands in, whose imports
// give its qualifiers their meaning.
type typeDecl struct {
	spec *ast.TypeSpec
	file *source
}

// strictInterface is the interface of every strict server of oapi-codegen.
const strictInterface = "StrictServerInterface"

// Read reads the package in dir, without its tests, files that build
// constraints leave out, the files named in skip, and what idemgen itself has
// written there before. An error says what to do about it.
func Read(dir string, skip ...string) (*Package, error) {
	sources, err := parseDir(dir, skip)
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(sources, func(s *source) bool { return s.declares(strictInterface) })
	if i < 0 {
		return nil, fmt.Errorf("no %s in %s: set strict-server: true under generate in oapi-codegen's configuration and run it again", strictInterface, dir)
	}
	p := &Package{
		Name:     sources[i].file.Name.Name,
		types:    make(map[string]typeDecl),
		names:    make(map[string]token.Position),
		decoders: make(map[string]bool),
	}
	for _, s := range sources {
		if s.file.Name.Name == p.Name {
			p.declare(s)
		}
	}
	if err := p.readOperations(); err != nil {
		return nil, err
	}
	p.readBinding()
	return p, nil
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
			} else if d.Name.Name == "UnmarshalJSON" {
				p.decoders[embeddedName(d.Recv.List[0].Type)] = true
			}
		case *ast.GenDecl:
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
