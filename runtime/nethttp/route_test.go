package nethttp

import (
	"net/http/httptest"
	"testing"

	idem "github.com/idemgen/idemgen/runtime"
)

func TestRouterFind(t *testing.T) {
	op := newTestEngine(t).MustOperation(testContract())
	routes := []Route{
		{Method: "POST", Path: "/", Operation: op},
		{Method: "POST", Path: "/a/{x}", Operation: op},
		{Method: "POST", Path: "/a/search"},
		{Method: "POST", Path: "/a/{x}.json", Operation: op},
		{Method: "POST", Path: "/{x}/b", Operation: op},
		{Method: "POST", Path: "/c/{x}/d", Operation: op},
		{Method: "POST", Path: "/c/{x}/{y}", Operation: op},
		{Method: "PUT", Path: "/a/search", Operation: op},
	}
	router := newRouter(routes)
	for _, c := range []struct{ method, path, want string }{
		{"POST", "/", "/"},
		{"POST", "/a/1", "/a/{x}"},
		{"POST", "/a/1%2F2", "/a/{x}"},
		{"POST", "/a/search", ""},
		{"PUT", "/a/search", "/a/search"},
		{"GET", "/a/1", ""},
		{"POST", "/a/1.json", "/a/{x}.json"},
		{"POST", "/a/b", "/a/{x}"}, // the earlier segment decides
		{"POST", "/z/b", "/{x}/b"},
		{"POST", "/c/1/d", "/c/{x}/d"},
		{"POST", "/c/1/e", "/c/{x}/{y}"},
		{"POST", "/a/1/", ""},
		{"POST", "/a/", ""},
		{"POST", "/v1/a/1", ""},
	} {
		got := ""
		if route := router.find(httptest.NewRequest(c.method, c.path, nil)); route != nil {
			got = route.Path
		}
		if got != c.want {
			t.Errorf("%s %s: route %q, want %q", c.method, c.path, got, c.want)
		}
	}
}

// The order of routes does not matter.
func TestRouterOrder(t *testing.T) {
	op := &idem.Operation{}
	a, b := Route{Method: "POST", Path: "/a/{x}", Operation: op}, Route{Method: "POST", Path: "/a/b"}
	for _, routes := range [][]Route{{a, b}, {b, a}} {
		if newRouter(routes).find(httptest.NewRequest("POST", "/a/b", nil)) != nil {
			t.Error("an operation without a contract is taken for another one")
		}
	}
}
