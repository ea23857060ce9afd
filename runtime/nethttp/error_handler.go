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
	keys := make([]keyRoute, len(params))
	for i, p := range params {
		keys[i] = keyRoute{KeyParameter: p, template: segments(p.Path)}
	}
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
		refusal := &idem.Error{Code: idem.CodeInvalidKey, Operation: key.Operation,
			Detail: "The parameter " + key.Name + " is not a well-formed idempotency key."}
		if missing {
			refusal.Code = idem.CodeMissingKey
			refusal.Detail = "This operation needs an idempotency key in the parameter " + key.Name + "."
		}
		// An error here is that of a client that is gone.
		_ = refusalReply(refusal, idem.ProblemType(refusal.Code, opts...)).Visit(w)
	}
}

// A keyRoute is a KeyParameter with its path's template split.
type keyRoute struct {
	KeyParameter
	template []string
}

// findKey returns the key that parameter is for the request's operation, nil if
// it is none.
func findKey(keys []keyRoute, r *http.Request, parameter string) *keyRoute {
	if parameter == "" {
		return nil
	}
	for i := range keys {
		k := &keys[i]
		if k.Method == r.Method && strings.EqualFold(k.Name, parameter) && k.serves(r) {
			return k
		}
	}
	return nil
}

// serves reports whether the request's path is that of the route. The pattern
// by which a router found the handler (http.ServeMux and chi tell it) separates
// /payments/{id} from /payments/search. Without one, or with that of a subtree,
// which an outer router may have left, the path itself must do.
func (k *keyRoute) serves(r *http.Request) bool {
	if _, pattern, ok := strings.Cut(r.Pattern, "/"); ok {
		pattern = strings.TrimSuffix(pattern, "{$}")
		subtree := strings.HasSuffix(r.Pattern, "/") || strings.HasSuffix(pattern, "...}") || strings.Contains(pattern, "*")
		if !subtree {
			return matchEnd(k.template, segments("/"+pattern), samePattern)
		}
	}
	return matchEnd(k.template, segments(r.URL.EscapedPath()), fits)
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

// samePattern compares segments of two templates. Names of parameters do not
// count: generated patterns have them as Go identifiers.
func samePattern(a, b string) bool {
	beforeA, afterA, wildA := cutParameter(a)
	beforeB, afterB, wildB := cutParameter(b)
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
