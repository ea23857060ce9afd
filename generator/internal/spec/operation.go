package spec

import (
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/idemgen/idemgen/generator/diag"
)

// An Operation is an operation of a document.
type Operation struct {
	ID     string // operationId, "" for none
	Method string // upper case
	Path   string

	// Range is the method's name in the document.
	Range diag.Range
	// Contract is what x-idempotency says, nil without it.
	Contract *Entry

	document *Document
	node     node
	items    []node // the path item: its own members, then those it refers to
}

func newOperation(d *Document, method, path string, p pair, items []node) Operation {
	op := Operation{
		ID:       p.value.text("operationId"),
		Method:   method,
		Path:     path,
		Range:    p.key.place(),
		document: d,
		node:     p.value,
		items:    items,
	}
	if extension, ok := p.value.member(Extension); ok {
		op.Contract = newEntry(extension)
	}
	return op
}

// Name is the operationId, else the method and the path.
func (o *Operation) Name() string {
	if o.ID != "" {
		return o.ID
	}
	return o.Method + " " + o.Path
}

// methodOf reports whether a member of a path item is an operation.
func methodOf(member string) (string, bool) {
	switch member {
	case "get", "put", "post", "delete", "options", "head", "patch", "trace", "query":
		return strings.ToUpper(member), true
	}
	return "", false
}

// Safe reports whether the method promises to have no effect (RFC 9110,
// section 9.2.1; QUERY by its own specification).
func (o *Operation) Safe() bool {
	switch o.Method {
	case "GET", "HEAD", "OPTIONS", "TRACE", "QUERY":
		return true
	}
	return false
}

// Secured reports whether some caller has to say who it is. The document's
// requirement counts where the operation has none of its own. A requirement
// beside an empty one is optional, and then callers still differ.
func (o *Operation) Secured() bool {
	security, ok := o.node.member("security")
	if !ok {
		security, _ = o.document.root.member("security")
	}
	for _, requirement := range security.value.items() {
		if requirement.is(yaml.MappingNode) && len(requirement.Content) > 0 {
			return true
		}
	}
	return false
}
