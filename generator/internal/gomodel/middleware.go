package gomodel

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/idemgen/idemgen/generator/diag"
	"github.com/idemgen/idemgen/generator/internal/contract"
	"github.com/idemgen/idemgen/generator/internal/server"
)

// A Path is an operation of the document by its method and path.
type Path struct{ Method, Path string }

// A Route is a route of a middleware.
type Route struct {
	Method, Path string // quoted
	// Contract is the variable of its contract, "" for an operation that has
	// none and must not be taken for another one.
	Contract     string
	Principal    bool
	Key          []Term
	Scope        [][]Term
	Fingerprint  [][]Term
	Bodies       []RouteBody
	BodyRequired bool
	Reload       string // as in Operation
}

// A RouteBody is a media type of a route's body.
type RouteBody struct {
	MediaType, Encoding string // quoted
	Parts               [][]Term
}

// BuildMiddleware returns the file with a middleware that keeps contracts, of
// which there is at least one. All are the operations of the document. Of opts
// PackageName is needed.
func BuildMiddleware(contracts []contract.Contract, all []Path, opts Options) (*File, diag.List) {
	b := &builder{pkg: &server.Package{Framework: server.NetHTTP}, opts: opts, imports: make(map[string]string)}
	file := &File{Source: opts.Source, Package: opts.PackageName}
	for i := range contracts {
		c := &contracts[i]
		name := goName(c.Operation)
		if !b.register(c, name) {
			continue
		}
		file.Operations = append(file.Operations, middlewareOperation(c, name))
		file.Routes = append(file.Routes, route(c, name))
		file.Principal = file.Principal || c.Principal
		file.Reloads = file.Reloads || c.Replay == "reload"
	}
	file.Routes = append(file.Routes, unprotected(contracts, all)...)
	file.Imports = b.importGroups(file)
	if b.diags.HasErrors() {
		return nil, b.diags.Sort()
	}
	return file, b.diags.Sort()
}

// middlewareOperation is what a route shares with the operation of a wrapper.
func middlewareOperation(c *contract.Contract, name string) Operation {
	op := server.Operation{Name: name}
	view := Operation{
		Method: c.Method, Path: c.Path, Name: name, Contract: name + "Contract",
		Doc: doc(c, op), Terms: terms(c), Handler: &Handler{},
	}
	if c.Replay == "reload" {
		view.Reload = "Reload" + name
	}
	return view
}

func route(c *contract.Contract, name string) Route {
	r := Route{
		Method: quote(c.Method), Path: quote(c.Path), Contract: name + "Contract",
		Principal: c.Principal, Key: place(c.Key),
	}
	if c.Replay == "reload" {
		r.Reload = "Reload" + name
	}
	readsBody := c.Key.Source == contract.Body
	for _, f := range c.Scope {
		r.Scope = append(r.Scope, scopeTerms(f))
		readsBody = readsBody || f.Source == contract.Body
	}
	for _, f := range c.Fingerprint {
		if f.Source == contract.Body {
			readsBody = true
		} else {
			r.Fingerprint = append(r.Fingerprint, comparedTerms(f))
		}
	}
	if readsBody {
		r.BodyRequired = c.BodyRequired
		for i := range c.Contents {
			r.Bodies = append(r.Bodies, routeBody(&c.Contents[i]))
		}
	}
	return r
}

func routeBody(content *contract.Content) RouteBody {
	body := RouteBody{MediaType: quote(content.MediaType)}
	switch content.Encoding {
	case contract.JSON:
		body.Encoding = quote("json")
	case contract.Form:
		body.Encoding = quote("form")
	case contract.Multipart:
		body.Encoding = quote("multipart")
	case contract.Text:
		body.Encoding = quote("text")
	default:
		body.Encoding = quote("binary")
	}
	for _, f := range content.Fingerprint {
		body.Parts = append(body.Parts, comparedTerms(f))
	}
	return body
}

// comparedTerms writes a part of the fingerprint for the runtime.
func comparedTerms(f contract.Field) []Term {
	list := append([]Term{{"Name", quote(f.Name)}}, scopeTerms(f)...)
	if f.Default != nil {
		list = append(list, Term{"Default", quote(string(f.Default))})
	}
	return list
}

// scopeTerms writes a part of the scope: its place and what its text stands for.
func scopeTerms(f contract.Field) []Term {
	list := place(f)
	if f.Source == contract.MediaType {
		return list
	}
	if f.Type != "" {
		list = append(list, Term{"Type", quote(f.Type)})
	}
	if f.Format != "" {
		list = append(list, Term{"Format", quote(f.Format)})
	}
	return list
}

// place writes where a part is.
func place(f contract.Field) []Term {
	in := map[contract.Source]string{
		contract.Path: "path", contract.Query: "query", contract.Header: "header", contract.MediaType: "media type", contract.Body: "body",
	}[f.Source]
	list := []Term{{"In", quote(in)}}
	switch {
	case f.Source == contract.MediaType:
	case f.Source != contract.Body:
		list = append(list, Term{"Field", quote(f.Tokens[0])})
	case len(f.Tokens) > 0:
		pointer := ""
		for _, token := range f.Tokens {
			pointer += "/" + strings.NewReplacer("~", "~0", "/", "~1").Replace(token)
		}
		list = append(list, Term{"Field", quote(pointer)})
	}
	return list
}

// unprotected returns the operations without a contract whose paths also fit
// the template of one that has a contract, and would be taken for it.
func unprotected(contracts []contract.Contract, all []Path) []Route {
	var routes []Route
	for _, p := range all {
		own := func(c contract.Contract) bool { return c.Method == p.Method && c.Path == p.Path }
		fits := func(c contract.Contract) bool { return c.Method == p.Method && overlap(c.Path, p.Path) }
		if !slices.ContainsFunc(contracts, own) && slices.ContainsFunc(contracts, fits) {
			routes = append(routes, Route{Method: quote(p.Method), Path: quote(p.Path)})
		}
	}
	return routes
}

// overlap reports whether there may be a path that fits both templates.
func overlap(a, b string) bool {
	as, bs := strings.Split(a, "/"), strings.Split(b, "/")
	if len(as) != len(bs) {
		return false
	}
	for i := range as {
		if as[i] != bs[i] && !strings.Contains(as[i], "{") && !strings.Contains(bs[i], "{") {
			return false
		}
	}
	return true
}

// goName makes an exported Go name of the name of an operation.
func goName(operation string) string {
	words := strings.FieldsFunc(operation, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	if method, _, ok := strings.Cut(operation, " "); ok && len(words) > 0 && words[0] == method {
		words[0] = strings.ToLower(method)
	}
	var name strings.Builder
	for _, word := range words {
		first, size := utf8.DecodeRuneInString(word)
		name.WriteRune(unicode.ToUpper(first))
		name.WriteString(word[size:])
	}
	if first, _ := utf8.DecodeRuneInString(name.String()); !unicode.IsUpper(first) {
		return "Operation" + name.String()
	}
	return name.String()
}
