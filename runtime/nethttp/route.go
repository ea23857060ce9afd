package nethttp

import (
	"net/http"
	"net/url"
	"strings"

	idem "github.com/idemgen/idemgen/runtime"
)

// A Route is an operation as a middleware knows it: where its requests go, and
// which parts of them its contract names.
type Route struct {
	Method string // such as POST
	Path   string // the template in the document, such as /payments/{id}
	// Operation keeps the contract. Nil stands for an operation without one:
	// its requests pass, also where another route would take them.
	Operation *idem.Operation
	// Principal tells who is calling, where the contract's scope has that.
	Principal idem.PrincipalFunc
	// Key is where the key is.
	Key Part
	// Scope are the parts of the scope, without the principal.
	Scope []Part
	// Fingerprint are the parameters, and the media type, to be compared.
	Fingerprint []Part
	// Bodies are the media types of the body and what is compared of each.
	// The body is read only if there are any.
	Bodies []BodyParts
	// Reload writes the answer of a replay from its reference, where the
	// contract says so; else it is nil.
	Reload func(w http.ResponseWriter, r *http.Request, reference string)
	// BodyRequired says that a request without a body is refused.
	BodyRequired bool
}

// BodyParts are the parts of a body of one media type.
type BodyParts struct {
	MediaType string // such as application/json, or a range such as image/*
	// Encoding says how the body is read: json, form, multipart, text or
	// binary. Parts lead into the first two; the others are compared whole.
	Encoding string
	Parts    []Part
}

// A Part is a part of a request that a contract names.
type Part struct {
	// Name is what a mismatch calls it. The key and the scope need none.
	Name string
	// In is header, query, path, body or media type.
	In string
	// Field is the name of the parameter; for a body its JSON Pointer, such
	// as /customer/id, empty for all of it.
	Field string
	// Type and Format are the schema's, "" for none.
	Type, Format string
	// Default is the schema's default as JSON, "" for none. An absent part
	// equals it.
	Default string
}

// A router finds the route of a request.
type router struct{ routes []routeTemplate }

type routeTemplate struct {
	Route
	template []string
}

func newRouter(routes []Route) *router {
	t := &router{routes: make([]routeTemplate, len(routes))}
	for i, r := range routes {
		t.routes[i] = routeTemplate{Route: r, template: segments(r.Path)}
	}
	return t
}

// find returns the route of a request, nil for none. Of several that fit, the
// one that is more literal wins, the first segment that differs counting, as
// http.ServeMux has it where it would not refuse such patterns.
func (t *router) find(r *http.Request) *routeTemplate {
	path := segments(r.URL.EscapedPath())
	var best *routeTemplate
	for i := range t.routes {
		route := &t.routes[i]
		if route.Method != r.Method || len(route.template) != len(path) || !matchEnd(route.template, path, fits) {
			continue
		}
		if best == nil || moreLiteral(route.template, best.template) {
			best = route
		}
	}
	if best == nil || best.Operation == nil {
		return nil
	}
	return best
}

// moreLiteral compares two templates that both fit one path.
func moreLiteral(a, b []string) bool {
	for i := range a {
		if x, y := literals(a[i]), literals(b[i]); x != y {
			return x > y
		}
	}
	return false
}

// literals counts what is fixed in a segment; one without a parameter counts
// most.
func literals(segment string) int {
	before, after, wild := cutParameter(segment)
	if !wild {
		return 1 << 30
	}
	return len(before) + len(after)
}

// pathValue returns the value of a path parameter.
func (t *routeTemplate) pathValue(name string, u *url.URL) (string, bool) {
	path := segments(u.EscapedPath())
	for i, template := range t.template {
		before, after, ok := cutParameter(template)
		if !ok || i >= len(path) || template != before+"{"+name+"}"+after {
			continue
		}
		segment, err := url.PathUnescape(path[i])
		if err != nil {
			segment = path[i]
		}
		return strings.TrimSuffix(strings.TrimPrefix(segment, before), after), true
	}
	return "", false
}
