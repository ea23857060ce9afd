package nethttp

import (
	"net/http"

	idem "github.com/idemgen/idemgen/runtime"
)

// Middleware returns a middleware that keeps the contracts of routes, for
// handlers of any origin. It must see paths as the document has them: where the
// API has a prefix, it belongs inside of [http.StripPrefix].
//
// A request is read as its schema describes it: integers exactly, other numbers
// by value, dates and UUIDs in any of their forms. What the document does not
// describe inside of a part that is compared as a whole counts as well, since it
// is not known whether the handler sees it. A body that is compared and is no
// JSON where it should be is refused with status 400.
func Middleware(routes []Route) func(next http.Handler) http.Handler {
	router := newRouter(routes)
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if route := router.find(r); route != nil {
				route.serve(w, r, next)
			} else {
				next.ServeHTTP(w, r)
			}
		})
	}
}

// serve keeps the contract for one request.
func (t *routeTemplate) serve(w http.ResponseWriter, r *http.Request, next http.Handler) {
	in := &incoming{route: t, request: r}
	// A request without a key needs no reading.
	if t.Key.In == "body" || in.key() != idem.NoKey() {
		if len(t.Bodies) > 0 {
			body, ok := ReceiveBody(w, r, t.Operation, in.decode)
			if !ok {
				return
			}
			defer body.Close()
		}
	}
	call := idem.Call{Key: in.key(), Principal: t.Principal, Fingerprint: in.fingerprint}
	for i := range t.Scope {
		call.Scope = append(call.Scope, in.text(&t.Scope[i]))
	}
	ServeHTTP(w, r, t.Operation, call, next.ServeHTTP, t.Reload)
}
