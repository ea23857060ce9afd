package spec

import (
	"slices"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/idemgen/idemgen/generator/diag"
)

// A Parameter is a parameter of an operation.
type Parameter struct {
	Name     string
	In       string // path, query, header or cookie
	Required bool
	Range    diag.Range // its name in the document

	schema schemaNode
}

// Schema is the parameter's schema, or that of its only content type.
func (p *Parameter) Schema() (*Schema, *diag.Diagnostic) { return p.schema.read() }

// Parameters are those of the path item and of the operation, which replace
// those of the same name and place, in the order of the text. The list of
// findings has the references that lead nowhere.
func (o *Operation) Parameters() ([]Parameter, diag.List) {
	var list []Parameter
	var problems diag.List
	owners := slices.Concat([]node{o.node}, o.items) // from the strongest
	for _, owner := range slices.Backward(owners) {
		for _, item := range owner.get("parameters").items() {
			n, problem := o.document.files.resolve(item)
			if problem != nil {
				problems = append(problems, *problem)
				continue
			}
			list = addParameter(list, o.newParameter(n))
		}
	}
	return list, problems
}

// addParameter appends p or puts it in the place of the parameter it replaces.
func addParameter(list []Parameter, p Parameter) []Parameter {
	for i := range list {
		if list[i].In == p.In && sameName(p.In, list[i].Name, p.Name) {
			list[i] = p
			return list
		}
	}
	return append(list, p)
}

// sameName compares names of parameters: those of headers without case.
func sameName(in, a, b string) bool {
	return a == b || in == "header" && strings.EqualFold(a, b)
}

func (o *Operation) newParameter(n node) Parameter {
	p := Parameter{Name: n.text("name"), In: n.text("in"), Range: n.place()}
	if name := n.get("name"); name.present() {
		p.Range = name.place()
	}
	p.Required = p.In == "path" || n.flag("required")
	p.schema = schemaNode{o.document, n.get("schema")}
	if content := n.get("content"); !p.schema.node.present() && content.is(yaml.MappingNode) {
		for _, media := range content.pairs() {
			p.schema.node = media.value.get("schema")
		}
	}
	return p
}
