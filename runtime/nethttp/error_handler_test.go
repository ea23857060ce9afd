package nethttp

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	idem "github.com/idemgen/idemgen/runtime"
)

// A bindingError is an error as a generated server makes them.
type bindingError struct {
	parameter string
	missing   bool
}

func (e *bindingError) Error() string { return "binding of " + e.parameter }

func classify(err error) (parameter string, missing bool) {
	if e, ok := errors.AsType[*bindingError](err); ok {
		return e.parameter, e.missing
	}
	return "", false
}

var testParameters = []KeyParameter{
	{Method: "POST", Path: "/payments", Name: "Idempotency-Key", Operation: "createPayment"},
	{Method: "POST", Path: "/payments/{payment-id}/refunds", Name: "X-Key", Operation: "refund"},
	{Method: "POST", Path: "/files/{name}.json", Name: "X-Key", Operation: "upload"},
	{Method: "PUT", Path: "/orders/{id}", Name: "X-Key", Operation: "putOrder"},
	{Method: "POST", Path: "/", Name: "X-Key", Operation: "root"},
}

func TestKeyErrorHandlerRoutes(t *testing.T) {
	for _, c := range []struct {
		method, path, pattern, parameter string
		ours                             bool
	}{
		{"POST", "/payments", "", "Idempotency-Key", true},
		{"POST", "/payments", "", "idempotency-key", true},
		{"POST", "/api/v1/payments", "", "Idempotency-Key", true},
		{"POST", "/payments", "", "X-Other", false},
		{"PUT", "/payments", "", "Idempotency-Key", false},
		{"POST", "/payments/", "", "Idempotency-Key", false},
		{"POST", "/my-payments", "", "Idempotency-Key", false},
		{"POST", "/payments/1/refunds", "", "X-Key", true},
		{"POST", "/api/payments/a%2Fb/refunds", "", "X-Key", true},
		{"POST", "/payments//refunds", "", "X-Key", false},
		{"POST", "/refunds", "", "X-Key", false},
		{"POST", "/p%61yments", "", "Idempotency-Key", true},
		{"POST", "/files/a.json", "", "X-Key", true},
		{"POST", "/files/.json", "", "X-Key", false},
		{"POST", "/files/a.xml", "", "X-Key", false},
		{"POST", "/", "", "X-Key", true},
		{"POST", "/other", "", "X-Key", false},
		// A pattern tells a template from a literal in the same place.
		{"PUT", "/orders/search", "PUT /orders/search", "X-Key", false},
		{"PUT", "/orders/search", "PUT /orders/{id}", "X-Key", true},
		{"PUT", "/orders/", "PUT /orders/{$}", "X-Key", false},
		{"POST", "/api/payments/1/refunds", "POST /api/payments/{payment_id}/refunds", "X-Key", true},
		{"POST", "/payments/1/refunds", "POST example.com/payments/{payment_id}/refunds", "X-Key", true},
		{"POST", "/", "POST /{$}", "X-Key", true},
		// Patterns of outer routers say nothing.
		{"POST", "/api/payments", "/api/", "Idempotency-Key", true},
		{"POST", "/api/payments", "/api/{rest...}", "Idempotency-Key", true},
		{"POST", "/api/payments", "/api/*", "Idempotency-Key", true},
	} {
		passed := false
		handler := KeyErrorHandler(testParameters, classify, func(http.ResponseWriter, *http.Request, error) { passed = true })
		r := httptest.NewRequest(c.method, c.path, nil)
		r.Pattern = c.pattern
		w := httptest.NewRecorder()
		handler(w, r, &bindingError{c.parameter, true})
		if passed == c.ours || (w.Code == http.StatusBadRequest) != c.ours {
			t.Errorf("%s %s (pattern %q), %s: passed on %v, status %d", c.method, c.path, c.pattern, c.parameter, passed, w.Code)
		}
	}
}

func TestKeyErrorHandlerProblems(t *testing.T) {
	handler := KeyErrorHandler(testParameters, classify, nil, idem.WithProblemBase("https://docs.example.com/"))
	answer := func(err error) *httptest.ResponseRecorder {
		w := httptest.NewRecorder()
		handler(w, httptest.NewRequest("POST", "/payments", nil), err)
		return w
	}
	for name, missing := range map[string]bool{"missing-key": true, "invalid-key": false} {
		w := answer(&bindingError{"Idempotency-Key", missing})
		if w.Code != http.StatusBadRequest || w.Header().Get("Content-Type") != "application/problem+json" ||
			!strings.Contains(w.Body.String(), `"type":"https://docs.example.com/`+name+`"`) {
			t.Errorf("%s: status %d, header %v: %s", name, w.Code, w.Header(), w.Body)
		}
	}
	w := answer(errors.New("another error"))
	if w.Code != http.StatusBadRequest || w.Body.String() != "another error\n" {
		t.Errorf("without next: status %d: %q", w.Code, w.Body)
	}
}
