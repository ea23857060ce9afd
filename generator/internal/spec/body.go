package spec

import (
	"mime"
	"strings"

	"github.com/idemgen/idemgen/generator/diag"
)

// A Body is the body of a request.
type Body struct {
	Required bool
	Range    diag.Range // requestBody
	Content  []Content  // in the order of the text
}

// A Content is one media type of a body or of a response.
type Content struct {
	MediaType string     // as written, with parameters
	Range     diag.Range // the media type in the document

	schema schemaNode
}

// Schema is the schema of this content.
func (c *Content) Schema() (*Schema, *diag.Diagnostic) { return c.schema.read() }

// Essence is the media type in lower case and without parameters.
func (c *Content) Essence() string {
	essence, _, err := mime.ParseMediaType(c.MediaType)
	if err != nil {
		essence, _, _ = strings.Cut(c.MediaType, ";")
		return strings.ToLower(strings.TrimSpace(essence))
	}
	return essence
}

// JSON reports whether the content is JSON (RFC 6839 for the suffix).
func (c *Content) JSON() bool {
	essence := c.Essence()
	return essence == "application/json" || strings.HasSuffix(essence, "+json")
}

// Body is the request body, nil for none.
func (o *Operation) Body() (*Body, *diag.Diagnostic) {
	p, ok := o.node.member("requestBody")
	if !ok {
		return nil, nil
	}
	n, problem := o.document.files.resolve(p.value)
	if problem != nil {
		return nil, problem
	}
	return &Body{n.flag("required"), p.key.place(), o.document.contents(n)}, nil
}

func (d *Document) contents(n node) []Content {
	var list []Content
	for _, p := range n.get("content").pairs() {
		media, problem := d.files.resolve(p.value) // a reference since OpenAPI 3.2
		if problem != nil {
			media = p.value
		}
		list = append(list, Content{p.key.Value, p.key.place(), schemaNode{d, media.get("schema")}})
	}
	return list
}
