package render

import (
	"bytes"
	htmltemplate "html/template"
	"strings"
	"text/template"

	"github.com/idemgen/idemgen/generator/internal/contract"
	"github.com/idemgen/idemgen/templates"
)

// Docs is what the page for client developers is written from.
type Docs struct {
	Title   string // of the API
	Version string // of the API, "" for none
	// Operations are all operations of the document, in its order.
	Operations []DocsOperation
}

// A DocsOperation is an operation as the page needs it.
type DocsOperation struct {
	Method, Path string // as in the document
	Name         string
	Summary      string // "" for none
	Safe         bool   // the method promises to have no effect
	// Contract is nil for an operation without one.
	Contract *contract.Contract
	// Exempt is why there is deliberately none, "" where it does not say.
	Exempt string
	// Request is an example. Its key's field is left to the page.
	Request DocsRequest
	// Answers are those that the document lists, in its order.
	Answers []DocsAnswer
}

// A DocsRequest is an example of a request.
type DocsRequest struct {
	Target  string       // path and query
	Headers []DocsHeader // without the key and the media type
	Body    DocsBody
}

// A DocsHeader is a header line.
type DocsHeader struct{ Name, Value string }

// A DocsBody is an example of a body.
type DocsBody struct {
	MediaType string // "" for none
	JSON      []byte // compact; nil where there is no example
}

// A DocsAnswer is an answer that the document lists, with an example.
type DocsAnswer struct {
	Status string // as listed: 201, 2XX or default
	Body   DocsBody
}

// DocsHTML writes the page as one HTML file that needs nothing else.
func DocsHTML(docs Docs) ([]byte, error) {
	set, err := htmltemplate.New("").ParseFS(templates.Docs, "docs/*.html.tmpl", "docs/style.css")
	if err != nil {
		return nil, err
	}
	style, err := templates.Docs.ReadFile("docs/style.css")
	if err != nil {
		return nil, err
	}
	view := struct {
		docsPage
		Style htmltemplate.CSS
	}{newDocsPage(docs), htmltemplate.CSS(style)} // our own file: nothing in it is a user's
	var b bytes.Buffer
	if err := set.ExecuteTemplate(&b, "page", view); err != nil {
		return nil, err
	}
	return tidy(b.String()), nil
}

// DocsMarkdown writes the page as Markdown.
func DocsMarkdown(docs Docs) ([]byte, error) {
	functions := template.FuncMap{"md": markdown, "cell": markdownCell, "anchor": anchor}
	set, err := template.New("").Funcs(functions).ParseFS(templates.Docs, "docs/*.md.tmpl")
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	if err := set.ExecuteTemplate(&b, "page", newDocsPage(docs)); err != nil {
		return nil, err
	}
	return tidy(b.String()), nil
}

// tidy removes white space at line ends and repeated blank lines, which loops
// of templates leave.
func tidy(text string) []byte {
	var b bytes.Buffer
	blank := true
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, " \t\r\n")
		if line == "" && blank {
			continue
		}
		blank = line == ""
		b.WriteString(line + "\n")
	}
	return append(bytes.TrimRight(b.Bytes(), "\n"), '\n')
}

// markdown keeps a text from being read as Markdown.
func markdown(text string) string {
	var b strings.Builder
	for _, r := range text {
		if strings.ContainsRune("\\`*_[]<>#|", r) {
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	return b.String()
}

// markdownCell writes a text as code in a cell of a table.
func markdownCell(text string) string {
	return "`" + strings.ReplaceAll(strings.ReplaceAll(text, "`", "'"), "|", `\|`) + "`"
}

// anchor is the name of an operation in links within the page.
func anchor(name string) string {
	var b strings.Builder
	for _, r := range strings.ToLower(name) {
		switch {
		case r >= 'a' && r <= 'z' || r >= '0' && r <= '9':
			b.WriteRune(r)
		case !strings.HasSuffix(b.String(), "-"):
			b.WriteByte('-')
		}
	}
	return "op-" + strings.Trim(b.String(), "-")
}
