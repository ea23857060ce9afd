package nethttp

import (
	"net/http"
	"net/url"
	"strings"

	idem "github.com/idemgen/idemgen/runtime"
)

// A KeyParameter is the parameter that a protected operation's key is in.
type KeyParameter struct {
	Method string // such as POST
	Path   string // the path's template in the document, such as /payments/{id}
	Name   string // of the parameter
	// Operation is the operation's name in its contract.
	Operation string

	// What follows is for [KeyBinding] alone.

	// In says where the parameter is: header (also if empty), query or path.
	In string
	// Type is uuid or a Go type of integers, such as int64, where the
	// parameter is one; empty for a string.
	Type string
	// Optional says that a request may lack it.
	Optional bool
}

// KeyErrorHandler returns an error handler for the parameter binding of a
// generated server, which refuses a missing or malformed key before any wrapper
// runs: those errors become the problems missing-key and invalid-key.
//
// Classify returns the parameter that a binding error is about, and whether it
// is missing rather than malformed; "" for another error. All errors that are
// not about the key of a protected operation go to next. Nil answers them as
// the generated server does by itself: the error's text with status 400. Of the
// options, [idem.WithProblemBase] matters.
//
// A request's operation is found by its method and path; what stands before
// the template in the path is taken for the server's base URL.
func KeyErrorHandler(params []KeyParameter, classify func(err error) (parameter string, missing bool),
	next func(w http.ResponseWriter, r *http.Request, err error), opts ...idem.Option,
) func(w http.ResponseWriter, r *http.Request, err error) {
	keys := keyRoutes(params)
	if next == nil {
		next = func(w http.ResponseWriter, _ *http.Request, err error) {
			http.Error(w, err.Error(), http.StatusBadRequest)
		}
	}
	return func(w http.ResponseWriter, r *http.Request, err error) {
		parameter, missing := classify(err)
		key := findKey(keys, r, parameter)
		if key == nil {
			next(w, r, err)
			return
		}
		code := idem.CodeInvalidKey
		if missing {
			code = idem.CodeMissingKey
		}
		// An error here is that of a client that is gone.
		_ = key.refusal(code, opts).Visit(w)
	}
}

// A keyRoute is a KeyParameter with its path's template split.
type keyRoute struct {
	KeyParameter
	template []string
}

func keyRoutes(params []KeyParameter) []keyRoute {
	keys := make([]keyRoute, len(params))
	for i, p := range params {
		keys[i] = keyRoute{KeyParameter: p, template: segments(p.Path)}
	}
	return keys
}

// refusal returns the problem of a missing or malformed key.
func (k *keyRoute) refusal(code idem.Code, opts []idem.Option) *Reply {
	e := &idem.Error{Code: code, Operation: k.Operation}
	if code == idem.CodeMissingKey {
		e.Detail = "This operation needs an idempotency key in the parameter " + k.Name + "."
	} else {
		e.Detail = "The parameter " + k.Name + " is not a well-formed idempotency key."
	}
	return refusalReply(e, idem.ProblemType(code, opts...))
}

// findKey returns the key that parameter is for the request's operation, nil if
// it is none.
func findKey(keys []keyRoute, r *http.Request, parameter string) *keyRoute {
	if parameter == "" {
		return nil
	}
	for i := range keys {
		k := &keys[i]
		if k.Method == r.Method && strings.EqualFold(k.Name, parameter) && k.serves(r.Pattern, r.URL) {
			return k
		}
	}
	return nil
}

// serves reports whether the request's path is that of the route. The pattern
// by which a router found the handler (http.ServeMux and chi tell it) separates
// /payments/{id} from /payments/search. Without one, or with that of a subtree,
// which an outer router may have left, the path itself must do.
func (k *keyRoute) serves(pattern string, u *url.URL) bool {
	if _, path, ok := strings.Cut(pattern, "/"); ok {
		path = strings.TrimSuffix(path, "{$}")
		subtree := strings.HasSuffix(pattern, "/") || strings.HasSuffix(path, "...}") || strings.Contains(path, "*")
		if !subtree {
			return matchEnd(k.template, segments("/"+path), samePattern)
		}
	}
	return matchEnd(k.template, segments(u.EscapedPath()), fits)
}

func segments(path string) []string { return strings.Split(strings.TrimPrefix(path, "/"), "/") }

// matchEnd reports whether the last segments of a path are those of template.
func matchEnd(template, path []string, match func(template, segment string) bool) bool {
	if len(path) < len(template) {
		return false
	}
	path = path[len(path)-len(template):]
	for i, t := range template {
		if !match(t, path[i]) {
			return false
		}
	}
	return true
}

// samePattern compares a segment of a template with one of a router's pattern.
// Names of parameters do not count: generated patterns have them as Go
// identifiers. Echo, gin, Fiber and iris write :id for {id}.
func samePattern(template, segment string) bool {
	if name, ok := strings.CutPrefix(segment, ":"); ok && template != segment {
		segment = "{" + name + "}"
	}
	beforeA, afterA, wildA := cutParameter(template)
	beforeB, afterB, wildB := cutParameter(segment)
	return wildA == wildB && beforeA == beforeB && afterA == afterB
}

// fits reports whether an escaped segment of a path fits one of a template.
func fits(template, segment string) bool {
	if plain, err := url.PathUnescape(segment); err == nil {
		segment = plain
	}
	before, after, wild := cutParameter(template)
	if !wild {
		return segment == template
	}
	return len(segment) > len(before)+len(after) && strings.HasPrefix(segment, before) && strings.HasSuffix(segment, after)
}

// cutParameter returns what is before and after the parameters of a template's
// segment.
func cutParameter(segment string) (before, after string, ok bool) {
	start, end := strings.IndexByte(segment, '{'), strings.LastIndexByte(segment, '}')
	if start < 0 || end < start {
		return segment, "", false
	}
	return segment[:start], segment[end+1:], true
}
