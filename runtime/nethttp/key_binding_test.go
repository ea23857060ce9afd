package nethttp

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	idem "github.com/idemgen/idemgen/runtime"
)

func bindingKeys() *KeyBinding {
	return NewKeyBinding([]KeyParameter{
		{Method: "POST", Path: "/payments", Name: "Idempotency-Key", Operation: "pay", In: "header"},
		{Method: "POST", Path: "/optional", Name: "Idempotency-Key", Operation: "optional", In: "header", Optional: true},
		{Method: "POST", Path: "/payments/{id}", Name: "key", Operation: "change", In: "query"},
		{Method: "POST", Path: "/uuids", Name: "X-Key", Operation: "uuid", In: "header", Type: "uuid"},
		{Method: "POST", Path: "/small", Name: "X-Key", Operation: "small", In: "header", Type: "int8"},
		{Method: "POST", Path: "/natural", Name: "X-Key", Operation: "natural", In: "header", Type: "uint"},
		{Method: "PUT", Path: "/orders/{order-id}.json/lines", Name: "order-id", Operation: "put", In: "path", Type: "int64"},
	}, idem.WithProblemBase("https://example.com/"))
}

func TestKeyBindingRefusal(t *testing.T) {
	lines := func(name string, values ...string) http.Header { return http.Header{name: values} }
	const uuid = "6ba7b810-9dad-11d1-80b4-00c04fd430c8"
	for _, c := range []struct {
		method, uri, pattern string
		header               http.Header
		want                 string
	}{
		{"POST", "/payments", "", nil, "missing-key"},
		{"POST", "/v1/payments", "/v1/payments", nil, "missing-key"},
		{"GET", "/payments", "", nil, ""},
		{"POST", "/payments", "", lines("Idempotency-Key", "k"), ""},
		{"POST", "/payments", "", lines("Idempotency-Key", ""), "invalid-key"},
		{"POST", "/payments", "", lines("Idempotency-Key", "a", "b"), "invalid-key"},
		{"POST", "/optional", "", nil, ""},
		{"POST", "/optional", "", lines("Idempotency-Key", ""), "invalid-key"},
		{"POST", "/optional", "", lines("Idempotency-Key", "a", "a"), "invalid-key"},

		{"POST", "/payments/1", "/payments/:id", nil, "missing-key"},
		{"POST", "/payments/1", "/payments/{id}", nil, "missing-key"},
		{"POST", "/payments/search", "/payments/search", nil, ""}, // another operation
		{"POST", "/payments/1?key=k", "/payments/:id", nil, ""},
		{"POST", "/payments/1?key=", "/payments/:id", nil, "invalid-key"},
		{"POST", "/payments/1?key=a&key=b", "/payments/:id", nil, "invalid-key"},

		{"POST", "/uuids", "", lines("X-Key", uuid), ""},
		{"POST", "/uuids", "", lines("X-Key", strings.ToUpper(uuid)), ""},
		{"POST", "/uuids", "", lines("X-Key", "urn:uuid:"+uuid), ""},
		{"POST", "/uuids", "", lines("X-Key", "{"+uuid+"}"), ""},
		{"POST", "/uuids", "", lines("X-Key", strings.ReplaceAll(uuid, "-", "")), ""},
		{"POST", "/uuids", "", lines("X-Key", "urn:UUIX:"+uuid), "invalid-key"},
		{"POST", "/uuids", "", lines("X-Key", uuid+"0"), "invalid-key"},
		{"POST", "/uuids", "", lines("X-Key", "g"+uuid[1:]), "invalid-key"},
		{"POST", "/uuids", "", lines("X-Key", strings.Replace(uuid, "-", "0", 1)), "invalid-key"},
		{"POST", "/small", "", lines("X-Key", "-128"), ""},
		{"POST", "/small", "", lines("X-Key", "128"), "invalid-key"},
		{"POST", "/natural", "", lines("X-Key", "18446744073709551615"), ""},
		{"POST", "/natural", "", lines("X-Key", "-1"), "invalid-key"},

		{"PUT", "/orders/7.json/lines", "", nil, ""},
		{"PUT", "/api/orders/%37.json/lines", "", nil, ""},
		{"PUT", "/orders/x.json/lines", "", nil, "invalid-key"},
	} {
		r := httptest.NewRequest(c.method, c.uri, nil)
		r.Header = c.header
		for kind, reply := range map[string]*Reply{
			"net/http": bindingKeys().Refusal(r, c.pattern),
			"fasthttp": bindingKeys().FastRefusal(c.method, c.uri, c.header, c.pattern),
		} {
			got := ""
			if reply != nil {
				w := httptest.NewRecorder()
				if err := reply.Visit(w); err != nil || w.Code != http.StatusBadRequest {
					t.Errorf("status %d, error %v", w.Code, err)
				}
				_, rest, _ := strings.Cut(w.Body.String(), `"type":"https://example.com/`)
				got, _, _ = strings.Cut(rest, `"`)
			}
			if got != c.want {
				t.Errorf("%s: %s %s %v: %q, want %q", kind, c.method, c.uri, c.header, got, c.want)
			}
		}
	}
	if bindingKeys().FastRefusal("POST", "no path", nil, "") != nil {
		t.Error("a request without a path is refused for its key")
	}
}
