package contract

import (
	"fmt"
	"slices"
	"strings"

	"github.com/idemgen/idemgen/generator/diag"
	"github.com/idemgen/idemgen/generator/internal/spec"
)

// A request is what an operation declares about its requests.
type request struct {
	parameters []spec.Parameter
	incomplete bool       // a parameter could not be read, and was reported
	body       *spec.Body // nil for none
	readable   bool       // every media type of the body could be read
	contents   []*content
}

// readRequest reads what the operation declares, and reports what cannot be
// generated.
func (b *builder) readRequest() {
	parameters, problems := b.operation.Parameters()
	for _, problem := range problems {
		b.reportProblem(problem)
	}
	b.request.parameters, b.request.incomplete = parameters, len(problems) > 0
	b.readBody()
}

// readResponses returns the answers that the operation lists, and reports
// those that cannot be kept.
func (b *builder) readResponses() []spec.Response {
	responses, problems := b.operation.Responses()
	for _, problem := range problems {
		b.reportProblem(problem)
	}
	for _, response := range responses {
		for i := range response.Content {
			content := &response.Content[i]
			if isStream(content.Essence()) {
				b.report(RuleUnsupportedStream, content.Range,
					fmt.Sprintf("%s answers with the stream %s: a stream has no end that could be kept and replayed", b.name, content.MediaType),
					`leave the operation without a contract: {exempt: "streams its answer"}`)
			}
		}
	}
	return responses
}

// isStream reports whether a media type is sent piece by piece.
func isStream(essence string) bool {
	switch essence {
	case "text/event-stream", "application/jsonl", "application/x-jsonl", "application/ndjson", "application/x-ndjson",
		"application/json-seq", "application/geo+json-seq", "application/stream+json", "application/jsonlines",
		"application/x-jsonlines", "multipart/x-mixed-replace":
		return true
	}
	return false
}

// parameter finds a declared parameter: that of a header without case.
func (r *request) parameter(source Source, name string) *spec.Parameter {
	for i := range r.parameters {
		p := &r.parameters[i]
		if p.In == source.String() && (p.Name == name || source == Header && strings.EqualFold(p.Name, name)) {
			return p
		}
	}
	return nil
}

// names lists the declared names of one source.
func (b *builder) names(source Source) []string {
	var names []string
	for _, c := range b.request.contents {
		if source == Body && c.hasFields() {
			for _, p := range c.schema.Properties {
				if !slices.Contains(names, p.Name) {
					names = append(names, p.Name)
				}
			}
		}
	}
	for _, p := range b.request.parameters {
		if p.In == source.String() {
			names = append(names, p.Name)
		}
	}
	return names
}

// sourceOf is the source of a parameter. It reports false for cookies, which no
// expression names.
func sourceOf(p *spec.Parameter) (Source, bool) {
	for _, source := range []Source{Path, Query, Header} {
		if p.In == source.String() {
			return source, true
		}
	}
	return 0, false
}

// parameterField describes a declared parameter.
func (b *builder) parameterField(p *spec.Parameter, at diag.Range) (Field, bool) {
	source, ok := sourceOf(p)
	if !ok {
		return Field{}, false
	}
	f := newField(source, []string{p.Name}, at)
	schema, problem := p.Schema()
	if problem != nil {
		b.reportProblem(*problem)
		return f, false
	}
	f.describe(schema)
	f.Required = p.Required
	return f, true
}

// describe takes over what a schema says.
func (f *Field) describe(schema *spec.Schema) {
	switch schema.Type {
	case "string", "integer", "number", "boolean", "array", "object":
		f.Type = schema.Type
	}
	f.Format, f.Default = schema.Format, schema.Default
}
