package generator

import (
	"path/filepath"

	"github.com/idemgen/idemgen/generator/diag"
	"github.com/idemgen/idemgen/generator/internal/compat"
	"github.com/idemgen/idemgen/generator/internal/contract"
	"github.com/idemgen/idemgen/generator/internal/spec"
)

// A Version is an OpenAPI document at some time.
type Version struct {
	// File is the document's path.
	File string
	// Read reads the document and what it refers to, by slash paths. Its error
	// wraps [io/fs.ErrNotExist] where there is no such file. Nil reads the
	// file system.
	Read func(file string) ([]byte, error)
}

// A DiffResult is what came of a comparison.
type DiffResult struct {
	// Findings are errors in the revision's contracts. Where there is one,
	// nothing was compared.
	Findings diag.List
	// Changes are sorted by their place in the revision. Their rule is the id
	// of a [Change]. Severity Error means breaking, Warning risky, and Advice
	// fine.
	Changes diag.List
}

// Diff compares the contracts of two versions of a document. An operation whose
// contract is wrong in the base counts as one without: no code was generated
// from it. An error means that a file could not be read.
func Diff(base, revision Version) (*DiffResult, error) {
	before, findings, err := base.read()
	if err != nil {
		return nil, err
	}
	before.drop(findings)
	after, findings, err := revision.read()
	if err != nil {
		return nil, err
	}
	if findings.HasErrors() {
		return &DiffResult{Findings: findings}, nil
	}
	return &DiffResult{Changes: compat.Compare(before.side(), after.side())}, nil
}

// A versionRead is a document with its contracts.
type versionRead struct {
	document  *spec.Document
	contracts []contract.Contract
}

func (v Version) read() (*versionRead, diag.List, error) {
	var document *spec.Document
	var err error
	if v.Read == nil {
		document, err = spec.Load(v.File)
	} else {
		document, err = spec.LoadFrom(v.Read, filepath.ToSlash(v.File))
	}
	if err != nil {
		return nil, nil, err
	}
	contracts, findings := contract.Read(document)
	return &versionRead{document, contracts}, findings, nil
}

// drop takes out the contracts that are wrong.
func (v *versionRead) drop(findings diag.List) {
	wrong := map[string]bool{}
	for _, d := range findings {
		if d.Severity == diag.Error {
			wrong[d.Operation] = true
		}
	}
	var good []contract.Contract
	for _, c := range v.contracts {
		if !wrong[c.Operation] {
			good = append(good, c)
		}
	}
	v.contracts = good
}

// side is the version as a comparison sees it.
func (v *versionRead) side() *compat.Side {
	side := &compat.Side{Title: v.document.Title, TitleRange: v.document.TitleRange, Start: v.document.Start()}
	for i := range v.document.Operations {
		o := &v.document.Operations[i]
		operation := compat.Operation{ID: o.ID, Method: o.Method, Path: o.Path, Range: o.Range}
		for j := range v.contracts {
			if c := &v.contracts[j]; c.Method == o.Method && c.Path == o.Path {
				operation.Contract = c
				operation.Places = statedFields(v.document.Defaults, o.Contract)
			}
		}
		operation.Fields, operation.Requires = requestFields(o)
		side.Operations = append(side.Operations, operation)
	}
	return side
}

// statedFields has the places of the fields that extensions state; the last one
// wins.
func statedFields(extensions ...*spec.Entry) map[string]diag.Range {
	places := map[string]diag.Range{}
	for _, extension := range extensions {
		if extension == nil {
			continue
		}
		for _, e := range extension.Value.Entries {
			places[e.Name] = e.Value.Range
		}
	}
	return places
}

// requestFields names the parts of a request as contracts do, and those among
// them that are parameters and required. What cannot be read is left out: where
// it matters it was reported with the contracts.
func requestFields(o *spec.Operation) (fields, required []string) {
	parameters, _ := o.Parameters()
	for _, p := range parameters {
		name := p.In + "." + p.Name
		fields = append(fields, name)
		if p.Required {
			required = append(required, name)
		}
	}
	body, problem := o.Body()
	if body == nil || problem != nil {
		return fields, required
	}
	fields = append(fields, "$request.body", "header.Content-Type")
	for i := range body.Content {
		schema, problem := body.Content[i].Schema()
		if problem != nil {
			continue
		}
		for _, p := range schema.Properties {
			fields = append(fields, p.Name)
		}
	}
	return fields, required
}

// A Change is a kind of change between two versions of a contract.
type Change struct {
	ID       string
	Severity diag.Severity // Error: breaking, Warning: risky, Advice: fine
	Title    string
	Hurts    string // who is worse off and how, "" for nobody
	Fix      string // what to do about it, "" where Hurts is
}

// Changes returns the catalogue of changes that [Diff] tells apart.
func Changes() []Change {
	kinds := compat.Kinds()
	changes := make([]Change, len(kinds))
	for i, k := range kinds {
		changes[i] = Change(k)
	}
	return changes
}
