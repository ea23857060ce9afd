package spec

import (
	"path/filepath"

	"gopkg.in/yaml.v3"

	"github.com/idemgen/idemgen/generator/diag"
)

// Names of the extension.
const (
	Extension = "x-idempotency"          // of an operation
	Defaults  = "x-idempotency-defaults" // of the document
)

// A Document is an OpenAPI document. It is not safe for concurrent use: files
// that it refers to are read when they are first needed.
type Document struct {
	File  string // slash path, as given
	Title string // info.title

	// TitleRange is where a title is or should be.
	TitleRange diag.Range
	// Defaults is what x-idempotency-defaults says, nil without it.
	Defaults *Entry
	// Operations are those of paths, in the order of the text.
	Operations []Operation
	// Problems are references on the way to operations that lead nowhere, and
	// extensions where nobody looks for them.
	Problems diag.List

	root  node
	files *files
}

// Load reads the OpenAPI document in file and what overlay files, OpenAPI
// Overlay 1.0 or 1.1, change in it, in this order. An error means that a file
// cannot be read or parsed, or an overlay not applied.
func Load(file string, overlays ...string) (*Document, error) {
	src, err := readSource(disk, filepath.ToSlash(file))
	if err != nil {
		return nil, err
	}
	for _, overlay := range overlays {
		if err := src.applyOverlay(filepath.ToSlash(overlay)); err != nil {
			return nil, err
		}
	}
	return newDocument(src)
}

// LoadFrom is Load for a document that open reads, such as one of a commit. What
// it refers to is read in the same way, by slash paths relative to file's.
func LoadFrom(open Reader, file string) (*Document, error) {
	src, err := readSource(open, file)
	if err != nil {
		return nil, err
	}
	return newDocument(src)
}

func newDocument(src *source) (*Document, error) {
	d := &Document{File: src.file, root: node{src, src.root}, files: newFiles(src)}
	if err := checkVersion(d.root); err != nil {
		return nil, err
	}
	info, found := d.root.member("info")
	d.Title, d.TitleRange = info.value.text("title"), documentStart(src)
	if found {
		d.TitleRange = info.key.place()
	}
	if p, ok := d.root.member(Defaults); ok {
		d.Defaults = newEntry(p)
	}
	d.misplaced(d.root, Extension, "it belongs on an operation; defaults for all of them are "+Defaults)
	d.readPaths()
	return d, nil
}

func documentStart(src *source) diag.Range {
	at := diag.Position{Line: 1, Column: 1}
	return diag.Range{File: src.file, Start: at, End: at}
}

func newEntry(p pair) *Entry { return &Entry{p.key.Value, p.key.place(), newValue(p.value)} }

// misplaced reports an extension where it means nothing. Without a word its
// author would believe in a protection that is not there.
func (d *Document) misplaced(n node, name, hint string) {
	if p, ok := n.member(name); ok {
		d.Problems = append(d.Problems, diag.Diagnostic{
			Rule: RuleMisplaced, Range: p.key.place(), Message: name + " has no meaning here", Hint: hint,
		})
	}
}

// readPaths fills in the operations.
func (d *Document) readPaths() {
	for _, p := range d.root.get("paths").pairs() {
		d.misplaced(p.value, Extension, "it belongs on an operation, below the method")
		if len(p.key.Value) == 0 || p.key.Value[0] != '/' {
			continue // an extension of the paths object
		}
		item, problem := d.files.resolve(p.value)
		if problem != nil {
			d.Problems = append(d.Problems, *problem)
		}
		d.readPathItem(p.key.Value, p.value, item)
	}
}

// readPathItem adds the operations of a path item. OpenAPI 3.1 lets a path item
// have members of its own beside a $ref: they win.
func (d *Document) readPathItem(path string, own, referred node) {
	parts := []node{own}
	if referred.Node != own.Node && referred.present() {
		d.misplaced(referred, Extension, "it belongs on an operation, below the method")
		parts = append(parts, referred)
	}
	seen := map[string]bool{}
	for _, part := range parts {
		for _, p := range part.pairs() {
			method, ok := methodOf(p.key.Value)
			if !ok || seen[method] || !p.value.is(yaml.MappingNode) {
				continue
			}
			seen[method] = true
			d.misplaced(p.value, Defaults, "it belongs at the root of the document")
			d.Operations = append(d.Operations, newOperation(d, method, path, p, parts))
		}
	}
}

// Start is the place of findings about the document as a whole.
func (d *Document) Start() diag.Range { return documentStart(d.root.src) }
