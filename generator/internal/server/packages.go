package server

import (
	"go/parser"
	"go/token"
	"path/filepath"

	"golang.org/x/tools/go/packages"
)

// Follow returns the type that a Foreign type is, from the source of its
// package, and every other type as it is. A type whose package is not found, or
// does not declare it, stays Foreign.
//
// Finding a package asks the go command, which takes a third of a second: so it
// is done only for types that an expression leads through.
func (t Type) Follow() Type {
	if t.Kind != Foreign || t.Import.Path == "" {
		return t
	}
	other := t.pkg.other(t.Import.Path)
	if other == nil {
		return t
	}
	decl, ok := other.types[t.Import.Name]
	if !ok {
		return t
	}
	followed := other.followName(t.Import.Name, decl.file, 0)
	if followed.Kind == Foreign {
		followed = followed.Follow()
	}
	followed.Text = t.Text
	return followed
}

// other returns the package with the given import path as it is seen from p,
// nil where there is none that can be read. Each is read once.
func (p *Package) other(importPath string) *Package {
	if other, ok := p.others[importPath]; ok {
		return other
	}
	p.others[importPath] = nil // ends a circle of types that stand for each other
	found, err := packages.Load(&packages.Config{Mode: packages.NeedName | packages.NeedFiles, Dir: p.dir}, importPath)
	if err != nil || len(found) != 1 || len(found[0].GoFiles) == 0 {
		return nil
	}
	other := newPackage(found[0].Name, filepath.Dir(found[0].GoFiles[0]))
	other.others = p.others
	fset := token.NewFileSet()
	for _, name := range found[0].GoFiles {
		file, err := parser.ParseFile(fset, name, nil, parser.SkipObjectResolution)
		if err != nil {
			return nil
		}
		other.declare(&source{fset: fset, file: file, imports: importsOf(file)})
	}
	p.others[importPath] = other
	return other
}
