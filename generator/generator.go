// Package generator turns the contracts of an OpenAPI document into Go code.
// It strings the stages together: each takes finished values and gives
// finished values to the next.
package generator

import (
	"errors"
	"fmt"
	"io/fs"

	"github.com/idemgen/idemgen/generator/diag"
	"github.com/idemgen/idemgen/generator/internal/contract"
	"github.com/idemgen/idemgen/generator/internal/gomodel"
	"github.com/idemgen/idemgen/generator/internal/output"
	"github.com/idemgen/idemgen/generator/internal/render"
	"github.com/idemgen/idemgen/generator/internal/server"
	"github.com/idemgen/idemgen/generator/internal/spec"
)

// Options say what to generate from and where to.
type Options struct {
	// Spec is the OpenAPI document.
	Spec string
	// Overlays are OpenAPI Overlay files, applied to the document in order.
	Overlays []string
	// Package is the folder of oapi-codegen's output. Default: that of Spec.
	Package string
	// Output is the file to write. Default: idempotency.gen.go in Package.
	Output string
	// PackageName puts the file into a package of this name, which imports
	// the one in Package; Output must then be in another folder. Default: the
	// package in Package.
	PackageName string
	// Server is a configuration file of oapi-codegen, which is run first.
	// Package is then the folder of its output by default, and an overlay
	// that it names is applied before Overlays. Default: the server has been
	// generated already.
	Server string
	// Folder is the one that paths in Server count from. Default: the
	// working directory.
	Folder string
	// Middleware generates a middleware of net/http from the document alone.
	// Package is then the folder of Output by default, and PackageName the
	// name of the package that is there.
	Middleware bool
	// Check writes nothing and gives a diff instead.
	Check bool
}

// A Result is what came of a run.
type Result struct {
	// Findings are sorted. Where one is an error, nothing was written.
	Findings diag.List
	// Changed are the files that were written. A file that had its content
	// already is not among them.
	Changed []string
	// Diff is what a run with Check would change, as a unified diff; empty
	// where everything is up to date.
	Diff []byte
	// ServerLog is what oapi-codegen printed, "" for nothing.
	ServerLog string
}

// Generate writes the Go code that keeps the contracts of a document. What is
// wrong with a contract is a finding; an error means that a file could not be
// read or written, that oapi-codegen failed, or that the options contradict each
// other.
func Generate(opts Options) (*Result, error) {
	if opts.Middleware {
		return generateMiddleware(opts)
	}
	run, err := opts.serverRun()
	if err != nil {
		return nil, err
	}
	opts = opts.after(run)
	where, err := opts.places()
	if err != nil {
		return nil, err
	}
	var packages <-chan packageRead
	if run == nil {
		packages = readPackage(where)
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
	var read packageRead
	if run != nil {
		read = run.generatePackage(opts.Spec, where)
	} else {
		read = <-packages
	}
	if read.err != nil {
		return nil, read.err
	}
	result, err := write(contracts, read, where, opts.Check)
	if err == nil {
		result.Findings = append(findings, result.Findings...).Sort()
	}
	return result, err
}

// write generates the code that keeps contracts and brings all files to disk,
// or shows what would change.
func write(contracts []contract.Contract, read packageRead, where places, check bool) (*Result, error) {
	file, findings := gomodel.Build(contracts, read.pkg, where.model)
	result := &Result{Findings: findings, ServerLog: read.log}
	if findings.HasErrors() {
		return result, nil
	}
	code, err := render.Server(file)
	if err != nil {
		return nil, err
	}
	files := append(read.files, output.File{Path: where.output, Content: code})
	if check {
		result.Diff, err = output.Diff(files...)
		return result, err
	}
	for _, file := range files {
		if err := makeFolder(file); err != nil {
			return nil, err
		}
	}
	result.Changed, err = output.Write(files...)
	return result, err
}

// A packageRead is what came of reading the generated package.
type packageRead struct {
	pkg   *server.Package
	files []output.File // of it, that are yet to be written
	log   string        // of the program that generated them
	err   error
}

// readPackage reads the generated package while the caller reads the document:
// neither needs the other, and both take their time.
func readPackage(where places) <-chan packageRead {
	done := make(chan packageRead, 1)
	go func() {
		pkg, err := server.Read(where.pkg, where.skip...)
		if errors.Is(err, fs.ErrNotExist) {
			err = fmt.Errorf("%w: run oapi-codegen first, or give the folder of its output with --package", err)
		}
		done <- packageRead{pkg: pkg, err: err}
	}()
	return done
}

// noContract is the finding that there is nothing to generate.
func noContract(document *spec.Document) diag.Diagnostic {
	return diag.Diagnostic{
		Rule: RuleNoContract, Range: document.Start(),
		Message: "no operation has a contract: there is nothing to generate",
		Hint:    "write x-idempotency: true on an operation that must not run twice",
	}
}
