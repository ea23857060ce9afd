package contract

import (
	"fmt"
	"mime"
	"slices"
	"strings"

	"github.com/idemgen/idemgen/generator/diag"
	"github.com/idemgen/idemgen/generator/internal/spec"
)

// An Encoding is how a request body reaches the handler.
type Encoding int

const (
	JSON      Encoding = iota // decoded, from any JSON media type
	Form                      // decoded, from application/x-www-form-urlencoded
	Multipart                 // as a sequence of parts
	Text                      // as a text, from text/plain
	Binary                    // as a stream of bytes: everything else
)

// A Content is one media type of the request body.
type Content struct {
	// MediaType is in its normal form, names in lower case and parameters
	// sorted: application/json, or a range such as image/*.
	MediaType string
	Encoding  Encoding
	// Fingerprint are the fields of the contract's fingerprint that are in
	// the body, as this media type describes them.
	Fingerprint []Field
	// Range is the media type in the document.
	Range diag.Range
}

// IsRange reports whether the content is a range of media types.
func (c *Content) IsRange() bool { return strings.Contains(c.MediaType, "*") }

func normalMediaType(c *spec.Content) string {
	essence, parameters, err := mime.ParseMediaType(c.MediaType)
	if err != nil {
		return c.Essence()
	}
	return mime.FormatMediaType(essence, parameters)
}

// A content is a media type of the request body while its contract is built.
type content struct {
	Content
	schema *spec.Schema
}

// hasFields reports whether an expression can lead into the content.
func (c *content) hasFields() bool { return c.Encoding == JSON || c.Encoding == Form }

func encodingOf(c *spec.Content) Encoding {
	essence := c.Essence()
	switch {
	case c.JSON():
		return JSON
	case essence == "application/x-www-form-urlencoded":
		return Form
	case strings.HasPrefix(essence, "multipart/"):
		return Multipart
	case essence == "text/plain":
		return Text
	}
	return Binary
}

// readBody reads what the operation declares about its request body.
func (b *builder) readBody() {
	body, problem := b.operation.Body()
	if problem != nil {
		b.reportProblem(*problem)
		b.request.body = &spec.Body{} // there is one, of unknown form
		return
	}
	if body == nil || len(body.Content) == 0 {
		return
	}
	b.request.body = body
	b.contract.BodyRequired = body.Required
	readable := true
	for i := range body.Content {
		readable = b.readContent(&body.Content[i]) && readable
	}
	b.request.readable = readable
}

// readContent adds one media type of the body.
func (b *builder) readContent(c *spec.Content) bool {
	if isStream(c.Essence()) {
		b.report(RuleUnsupportedBody, c.Range,
			fmt.Sprintf("%s takes the stream %s: what has no end cannot be compared before the handler runs", b.name, c.MediaType),
			`leave the operation without a contract: {exempt: "takes a stream"}`)
		return false
	}
	schema, problem := c.Schema()
	if problem != nil {
		b.reportProblem(*problem)
		return false
	}
	b.request.contents = append(b.request.contents, &content{
		Content{MediaType: normalMediaType(c), Encoding: encodingOf(c), Range: c.Range}, schema})
	return true
}

// contentTypeName is the header that names a body's media type.
const contentTypeName = "Content-Type"

// variesInType reports whether two requests can have bodies of different media
// types, and the handler sees which.
func (r *request) variesInType() bool {
	return len(r.contents) > 1 || len(r.contents) == 1 && r.contents[0].IsRange()
}

// mediaField is the media type of the body as a field.
func (b *builder) mediaField(at diag.Range) Field {
	f := newField(Header, []string{contentTypeName}, at)
	f.Source, f.Type = MediaType, "string"
	f.Required = b.contract.BodyRequired
	return f
}

// wholeBody adds the body to a fingerprint: its media type where there are
// several, then what it holds.
func (b *builder) wholeBody(at diag.Range) {
	if !b.request.readable {
		return
	}
	if b.request.variesInType() {
		b.contract.Fingerprint = append(b.contract.Fingerprint, b.mediaField(at))
	}
	for _, c := range b.request.contents {
		for _, f := range b.fieldsOf(c, at) {
			if !b.isKey(f) {
				b.addBodyField(c, f)
			}
		}
	}
}

// fieldsOf lists what a content is compared by: its properties, or all of it
// where a list of the known ones would let others escape.
func (b *builder) fieldsOf(c *content, at diag.Range) []Field {
	var fields []Field
	if c.hasFields() && c.schema.Closed {
		for _, p := range c.schema.Properties {
			if f, ok := b.contentField(c, []string{p.Name}, at); ok {
				fields = append(fields, f)
			}
		}
	}
	if len(fields) == 0 {
		if f, ok := b.contentField(c, nil, at); ok {
			fields = append(fields, f)
		}
	}
	return fields
}

// addBodyField adds a field to the fingerprint of one content, and to that of
// the contract unless another content has brought it.
func (b *builder) addBodyField(c *content, f Field) {
	c.Fingerprint = append(c.Fingerprint, f)
	known := slices.ContainsFunc(b.contract.Fingerprint, func(other Field) bool {
		return other.Expression == f.Expression && other.Source == Body
	})
	if !known {
		b.contract.Fingerprint = append(b.contract.Fingerprint, f)
	}
}

// bodyField describes a field of the body: what all its media types agree on.
func (b *builder) bodyField(tokens []string, at diag.Range) (Field, bool) {
	f := newField(Body, tokens, at)
	if b.request.body == nil {
		b.report(RuleUnknownName, at, fmt.Sprintf("%s: %s has no request body", f.Expression, b.name), "name a parameter, or declare a requestBody")
		return f, false
	}
	if !b.request.readable {
		return f, false // reported with the body
	}
	for i, c := range b.request.contents {
		one, ok := b.contentField(c, tokens, at)
		if !ok {
			return f, false
		}
		if i == 0 {
			f = one
			continue
		}
		f.Required = f.Required && one.Required
		if f.Type != one.Type {
			f.Type = ""
		}
		if f.Format != one.Format {
			f.Format = ""
		}
	}
	return f, true
}

// contentField describes a field of one media type of the body.
func (b *builder) contentField(c *content, tokens []string, at diag.Range) (Field, bool) {
	f := newField(Body, tokens, at)
	if len(tokens) > 0 && !c.hasFields() {
		b.report(RuleUnknownName, at, fmt.Sprintf("%s: a body of %s has no fields", f.Expression, c.MediaType),
			"write $request.body, which is all of it")
		return f, false
	}
	schema, required, problem := b.walk(c, tokens)
	if problem != nil {
		if problem.Rule == RuleUnknownName {
			problem.Range = at
		}
		b.reportProblem(*problem)
		return f, false
	}
	f.describe(schema)
	f.Inside = b.defaults.inside(schema)
	f.Required = required && b.contract.BodyRequired
	return f, true
}
