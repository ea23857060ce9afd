package generator

import (
	"errors"
	"fmt"
	"go/token"
	"path/filepath"

	"github.com/idemgen/idemgen/generator/internal/contract"
	"github.com/idemgen/idemgen/generator/internal/gomodel"
	"github.com/idemgen/idemgen/generator/internal/output"
	"github.com/idemgen/idemgen/generator/internal/render"
	"github.com/idemgen/idemgen/generator/internal/server"
	"github.com/idemgen/idemgen/generator/internal/spec"
)

// generateMiddleware is Generate for a middleware, which needs no generated
// server.
func generateMiddleware(opts Options) (*Result, error) {
	where, err := opts.middlewarePlaces()
	if err != nil {
		return nil, err
	}
	document, err := spec.Load(opts.Spec, opts.Overlays...)
	if err != nil {
		return nil, err
	}
	contracts, findings := contract.Read(document)
	if len(contracts) == 0 && !findings.HasErrors() {
		findings = append(findings, noContract(document))
	}
	if findings.HasErrors() {
		return &Result{Findings: findings}, nil
	}
	all := make([]gomodel.Path, len(document.Operations))
	for i := range document.Operations {
		all[i] = gomodel.Path{Method: document.Operations[i].Method, Path: document.Operations[i].Path}
	}
	file, found := gomodel.BuildMiddleware(contracts, all, where.model)
	result := &Result{Findings: append(findings, found...).Sort()}
	if result.Findings.HasErrors() {
		return result, nil
	}
	code, err := render.Middleware(file)
	if err != nil {
		return nil, err
	}
	made := output.File{Path: where.output, Content: code}
	if opts.Check {
		result.Diff, err = output.Diff(made)
		return result, err
	}
	if err := makeFolder(made); err != nil {
		return nil, err
	}
	result.Changed, err = output.Write(made)
	return result, err
}

// middlewarePlaces fills in the defaults: the file stands beside the document,
// in the package that is there.
func (o Options) middlewarePlaces() (places, error) {
	if o.Server != "" {
		return places{}, errors.New("--middleware needs no generated server: leave --server away")
	}
	p := places{pkg: o.Package, output: o.Output}
	if p.pkg == "" {
		p.pkg = filepath.Dir(o.Spec)
	}
	if p.output == "" {
		p.output = filepath.Join(p.pkg, defaultOutput)
	}
	folder := filepath.Dir(p.output)
	p.model = gomodel.Options{Source: relative(folder, o.Spec), PackageName: o.PackageName}
	if o.PackageName != "" {
		if !token.IsIdentifier(o.PackageName) {
			return p, fmt.Errorf("%q is no name for a Go package", o.PackageName)
		}
		return p, nil
	}
	name, err := server.PackageName(folder, filepath.Base(p.output))
	if err != nil {
		return p, err
	}
	if name == "" {
		return p, fmt.Errorf("%s has no Go files that name its package: give a name with --package-name", folder)
	}
	p.model.PackageName = name
	return p, nil
}
