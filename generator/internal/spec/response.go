package spec

import "github.com/idemgen/idemgen/generator/diag"

// A Response is one answer that an operation lists.
type Response struct {
	Status  string     // as written: 201, 2XX or default
	Range   diag.Range // the status in the document
	Content []Content
	Headers []string // names, in the order of the text
}

// Responses are the answers that the operation lists, in the order of the text.
func (o *Operation) Responses() ([]Response, diag.List) {
	var list []Response
	var problems diag.List
	for _, p := range o.node.get("responses").pairs() {
		n, problem := o.document.files.resolve(p.value)
		if problem != nil {
			problems = append(problems, *problem)
			continue
		}
		list = append(list, Response{p.key.Value, p.key.place(), o.document.contents(n), names(n.get("headers"))})
	}
	return list, problems
}

// ResponsesRange is where the operation lists its answers: the word responses,
// or the operation where it lists none.
func (o *Operation) ResponsesRange() diag.Range {
	if p, ok := o.node.member("responses"); ok {
		return p.key.place()
	}
	return o.Range
}

// names lists the names of a mapping's members.
func names(n node) []string {
	var list []string
	for _, p := range n.pairs() {
		list = append(list, p.key.Value)
	}
	return list
}
