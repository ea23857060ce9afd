package compat

import (
	"github.com/idemgen/idemgen/generator/diag"
	"github.com/idemgen/idemgen/generator/internal/contract"
)

// A Side is one of the two versions.
type Side struct {
	Title      string
	TitleRange diag.Range
	Start      diag.Range // of the document
	Operations []Operation
}

// An Operation is what a comparison has to know about one.
type Operation struct {
	ID     string // operationId, "" for none
	Method string
	Path   string
	Range  diag.Range

	Contract *contract.Contract // nil for none
	// Places has where the contract's fields are written, by their names in
	// the extension; a field that is not there has its default.
	Places map[string]diag.Range

	// Fields names the parts of a request that the document declares, as
	// [contract.Field] does: parameters, top-level properties of the body,
	// and the body.
	Fields []string
	// Requires are those parameters among Fields that the document requires.
	Requires []string
}

// name is the name under which keys are kept.
func (o *Operation) name() string {
	if o.ID != "" {
		return o.ID
	}
	return o.Method + " " + o.Path
}

// place is where a field of the contract is written, else the contract.
func (o *Operation) place(field string) diag.Range {
	if at, ok := o.Places[field]; ok {
		return at
	}
	return o.Contract.Range
}

// find returns the operation that was, or has become, the given one of the
// other side: by operationId, else by method and path.
func (s *Side) find(other *Operation) *Operation {
	var same *Operation
	for i := range s.Operations {
		o := &s.Operations[i]
		if other.ID != "" && o.ID == other.ID {
			return o
		}
		if o.Method == other.Method && o.Path == other.Path {
			same = o
		}
	}
	return same
}
