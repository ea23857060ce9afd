package spec

import "github.com/idemgen/idemgen/generator/diag"

// A Response is one answer that an operation lists.
type Response struct {
	Status  string     // as written: 201, 2XX or default
	Range   diag.Range // the status in the document
	Content []Content
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
		list = append(list, Response{p.key.Value, p.key.place(), o.document.contents(n)})
	}
	return list, problems
}
