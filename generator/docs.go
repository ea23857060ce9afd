package generator

import (
	"fmt"
	"net/url"
	"path/filepath"
	"slices"
	"strings"

	"github.com/idemgen/idemgen/generator/diag"
	"github.com/idemgen/idemgen/generator/internal/complete"
	"github.com/idemgen/idemgen/generator/internal/contract"
	"github.com/idemgen/idemgen/generator/internal/output"
	"github.com/idemgen/idemgen/generator/internal/render"
	"github.com/idemgen/idemgen/generator/internal/spec"
)

// DocsOptions say what to document and how.
type DocsOptions struct {
	// Spec is the OpenAPI document.
	Spec string
	// Format is markdown or html.
	Format string
	// Output is the file to write. Default: none, the text is only returned.
	Output string
}

// A DocsPage is what came of documenting a document.
type DocsPage struct {
	// Findings are what is wrong with the contracts. Where one is an error
	// there is no text.
	Findings diag.List
	// Text is the page.
	Text []byte
}

// Docs writes the page that tells client developers how to send requests again.
// An error means that a file could not be read or written, or that the format
// is unknown.
func Docs(opts DocsOptions) (*DocsPage, error) {
	document, err := spec.Load(opts.Spec)
	if err != nil {
		return nil, err
	}
	contracts, findings := contract.Read(document)
	findings = slices.DeleteFunc(findings, noMatterForReaders)
	if findings.HasErrors() {
		return &DocsPage{Findings: findings}, nil
	}
	docs := describeDocument(document, contracts)
	var text []byte
	switch opts.Format {
	case "markdown":
		text, err = render.DocsMarkdown(docs)
	case "html":
		text, err = render.DocsHTML(docs)
	default:
		err = fmt.Errorf("no such format: %q; there are markdown and html", opts.Format)
	}
	if err == nil && opts.Output != "" {
		_, err = output.Write(output.File{Path: filepath.Clean(opts.Output), Content: text})
	}
	if err != nil {
		return nil, err
	}
	return &DocsPage{findings, text}, nil
}

// describeDocument gathers what the page is written from.
func describeDocument(document *spec.Document, contracts []contract.Contract) render.Docs {
	docs := render.Docs{Title: document.Title, Version: document.Version()}
	if docs.Title == "" {
		docs.Title = filepath.Base(document.File)
	}
	byRoute := map[string]*contract.Contract{}
	for i := range contracts {
		byRoute[contracts[i].Method+" "+contracts[i].Path] = &contracts[i]
	}
	for i := range document.Operations {
		o := &document.Operations[i]
		described := render.DocsOperation{
			Method: o.Method, Path: o.Path, Name: o.Name(), Summary: strings.TrimSpace(o.Summary()), Safe: o.Safe(), Exempt: exemption(o),
		}
		if c := byRoute[o.Method+" "+o.Path]; c != nil {
			if key := undeclaredKey(document, o, c); key != nil {
				c.Key = keyField(key)
			}
			described.Contract = c
			described.Request = exampleRequest(o, c)
			described.Answers = exampleAnswers(o, spec.Example(described.Request.Body))
		}
		docs.Operations = append(docs.Operations, described)
	}
	return docs
}

// exampleRequest is a request as a client could send it: what is required, and
// what the contract compares.
func exampleRequest(o *spec.Operation, c *contract.Contract) render.DocsRequest {
	parameters, _ := o.Parameters()
	request := render.DocsRequest{Target: o.Path}
	var query []string
	for i := range parameters {
		p := &parameters[i]
		named := namesParameter(c, p)
		switch {
		case isParameter(c.Key, p):
		case p.In == "path":
			request.Target = strings.ReplaceAll(request.Target, "{"+p.Name+"}", url.PathEscape(p.Example()))
		case p.In == "query" && (p.Required || named && len(c.Fingerprint) < 8):
			query = append(query, url.QueryEscape(p.Name)+"="+url.QueryEscape(p.Example()))
		case p.In == "header" && (p.Required || named):
			request.Headers = append(request.Headers, render.DocsHeader{Name: p.Name, Value: p.Example()})
		}
	}
	if len(query) > 0 {
		request.Target += "?" + strings.Join(query, "&")
	}
	example := o.RequestExample(comparedMembers(c)...)
	request.Body = render.DocsBody(example)
	return request
}

// comparedMembers are the members of the body that an example should show: those
// of the contract, unless it compares all there are.
func comparedMembers(c *contract.Contract) []string {
	const most = 8
	var members []string
	for _, f := range append(slices.Clone(c.Fingerprint), c.Scope...) {
		if f.Source == contract.Body && len(f.Tokens) > 0 {
			members = append(members, f.Tokens[0])
		}
	}
	if len(members) > most {
		return nil
	}
	return members
}

func namesParameter(c *contract.Contract, p *spec.Parameter) bool {
	named := func(f contract.Field) bool { return isParameter(f, p) }
	return slices.ContainsFunc(c.Fingerprint, named) || slices.ContainsFunc(c.Scope, named)
}

func isParameter(f contract.Field, p *spec.Parameter) bool {
	in := map[contract.Source]string{contract.Path: "path", contract.Query: "query", contract.Header: "header"}[f.Source]
	return in == p.In && len(f.Tokens) == 1 && (f.Tokens[0] == p.Name || in == "header" && strings.EqualFold(f.Tokens[0], p.Name))
}

func exampleAnswers(o *spec.Operation, request spec.Example) []render.DocsAnswer {
	listed, _ := o.Responses()
	answers := make([]render.DocsAnswer, 0, len(listed))
	for _, response := range listed {
		if strings.HasPrefix(response.Status, "x-") || response.Status == "" {
			continue
		}
		example := o.ResponseExample(response.Status, request)
		answers = append(answers, render.DocsAnswer{Status: response.Status, Body: render.DocsBody(example)})
	}
	return answers
}

// keyField is a key that the document does not declare, as a field.
func keyField(key *complete.Key) contract.Field {
	f := contract.Field{
		Expression: "$request." + key.In + "." + key.Name, Name: key.In + "." + key.Name, Tokens: []string{key.Name},
		Source: contract.Header, Type: "string", Required: key.Required,
	}
	if key.In == "query" {
		f.Source = contract.Query
	}
	return f
}
