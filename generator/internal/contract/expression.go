package contract

import (
	"fmt"
	"strings"

	"github.com/idemgen/idemgen/generator/diag"
	"github.com/idemgen/idemgen/generator/internal/spec"
)

// An expression names a part of a request. It is read but not yet compared
// with an operation.
type expression struct {
	text   string // as written
	at     diag.Range
	bare   bool // a name alone: text
	source Source
	tokens []string // as in Field
}

const expressionForms = "write a name alone, $request.body#/name, $request.path.name, $request.query.name or $request.header.Name"

// readExpression reads an expression.
func (r *reader) readExpression(field string, v spec.Value) (expression, bool) {
	e := expression{text: v.Text, at: v.Range}
	if v.Kind != spec.String || v.Text == "" {
		r.wants(v, field, "an expression", expressionForms)
		return e, false
	}
	if problem, hint := e.parse(); problem != "" {
		r.report(RuleBadExpression, v.Range, fmt.Sprintf("%s: %s", v.Text, problem), hint)
		return e, false
	}
	return e, true
}

// parse takes the text apart. It returns what is wrong with it and what to do.
func (e *expression) parse() (problem, hint string) {
	if inner, ok := strings.CutPrefix(e.text, "{$"); ok {
		return "an expression has no braces here", "write $" + strings.TrimSuffix(inner, "}")
	}
	if e.bare = !strings.HasPrefix(e.text, "$"); e.bare {
		if strings.HasPrefix(e.text, "request.") {
			return "an expression begins with $", "write $" + e.text
		}
		return "", ""
	}
	rest, ok := strings.CutPrefix(e.text, "$request.")
	if !ok {
		return "only parts of the request can be named here", expressionForms
	}
	part, name, dotted := strings.Cut(rest, ".")
	switch part {
	case "path":
		e.source = Path
	case "query":
		e.source = Query
	case "header":
		e.source = Header
	default:
		return e.parseBody(rest)
	}
	if !dotted || name == "" {
		return "the name is missing", fmt.Sprintf("write $request.%s.name", part)
	}
	e.tokens = []string{name}
	return "", ""
}

// parseBody reads what follows $request. of an expression about the body.
func (e *expression) parseBody(rest string) (problem, hint string) {
	pointer, ok := strings.CutPrefix(rest, "body")
	if !ok {
		return "there is no such part of a request", expressionForms
	}
	e.source = Body
	if name, ok := strings.CutPrefix(pointer, "."); ok {
		return "a body field is named by a JSON Pointer", "write $request.body#/" + strings.ReplaceAll(name, ".", "/")
	}
	if pointer == "" {
		return "", ""
	}
	pointer, ok = strings.CutPrefix(pointer, "#")
	if !ok {
		return "there is no such part of a request", expressionForms
	}
	if e.tokens, ok = spec.PointerTokens(pointer); !ok {
		if !strings.HasPrefix(pointer, "/") {
			return "a JSON Pointer begins with a slash", "write $request.body#/" + pointer
		}
		return "a ~ in a JSON Pointer is written ~0, a slash in a name ~1", expressionForms
	}
	return "", ""
}

// pointer writes tokens as a JSON Pointer.
func pointer(tokens []string) string {
	var b strings.Builder
	for _, token := range tokens {
		b.WriteByte('/')
		b.WriteString(strings.NewReplacer("~", "~0", "/", "~1").Replace(token))
	}
	return b.String()
}

// newField names a part of a request in full.
func newField(source Source, tokens []string, at diag.Range) Field {
	f := Field{Source: source, Tokens: tokens, Range: at}
	if source != Body {
		f.Name = source.String() + "." + tokens[0]
		f.Expression = "$request." + f.Name
		return f
	}
	f.Expression = "$request.body"
	f.Name = f.Expression
	if len(tokens) > 0 {
		f.Expression += "#" + pointer(tokens)
		f.Name = pointer(tokens)[1:]
	}
	return f
}

// String names the source as an expression does.
func (s Source) String() string {
	switch s {
	case Path:
		return "path"
	case Query:
		return "query"
	case Header, MediaType:
		return "header"
	}
	return "body"
}
