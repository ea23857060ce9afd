package chi_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	idem "github.com/idemgen/idemgen/runtime"
	"github.com/idemgen/idemgen/runtime/memstore"
	"github.com/idemgen/idemgen/testdata/cases/chi"
)

// server counts its effects. Calls come one after the other.
type server struct{ effects int }

func (s *server) ChangeOrder(context.Context, chi.ChangeOrderRequestObject) (chi.ChangeOrderResponseObject, error) {
	s.effects++
	return chi.ChangeOrder204Response{}, nil
}

func (s *server) CreateCustomer(context.Context, chi.CreateCustomerRequestObject) (chi.CreateCustomerResponseObject, error) {
	s.effects++
	return chi.CreateCustomer204Response{}, nil
}

func TestChi(t *testing.T) {
	engine := idem.New(memstore.New(memstore.Config{}), idem.WithLogger(nil))
	defer engine.Close(context.Background())
	next := &server{}
	handler := chi.HandlerWithOptions(chi.NewStrictHandler(chi.NewIdempotentServer(next, engine), nil), chi.ChiServerOptions{
		ErrorHandlerFunc: chi.IdempotencyErrorHandler(nil),
	})
	web := httptest.NewServer(handler)
	defer web.Close()

	for _, step := range []struct {
		method, path, key, body string
		status, effects         int
		contains                string
	}{
		{"PATCH", "/orders/1", "a", `{"amount":1,"note":null}`, 204, 1, ""},
		{"PATCH", "/orders/1", `"a"`, `{"note":null,"level":3,"amount":1}`, 204, 1, ""},
		{"PATCH", "/orders/1", "a", `{"amount":1}`, 422, 1, `["note"]`}, // null is not absent
		{"PATCH", "/orders/1", "a", `{"amount":1,"note":"x"}`, 422, 1, `["note"]`},
		{"PATCH", "/orders/1", "a", `{"amount":1,"note":null,"level":null}`, 422, 1, `["level"]`},
		{"PATCH", "/orders/2", "a", `{"amount":1,"note":null}`, 422, 1, `["path.order"]`},
		{"PATCH", "/orders/1", "", `{"amount":1}`, 400, 1, "missing-key"},
		{"POST", "/customers", "a", `{"address":null}`, 204, 2, ""},
		{"POST", "/customers", "a", `{}`, 204, 2, ""},
		{"POST", "/customers", "a", `{"address":{"city":"Bonn"}}`, 422, 2, `["address/city"]`},
		{"POST", "/customers", "b", `{"address":{"city":"Bonn"}}`, 204, 3, ""},
		{"POST", "/customers", "b", `{"address":{"city":"Bonn"}}`, 204, 3, ""},
	} {
		request, err := http.NewRequestWithContext(t.Context(), step.method, web.URL+step.path, strings.NewReader(step.body))
		if err != nil {
			t.Fatal(err)
		}
		request.Header.Set("Content-Type", "application/json")
		if step.key != "" {
			request.Header.Set("Idempotency-Key", step.key)
		}
		response, err := web.Client().Do(request)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(response.Body)
		response.Body.Close()
		if err != nil {
			t.Fatal(err)
		}
		if response.StatusCode != step.status || next.effects != step.effects || !strings.Contains(string(body), step.contains) {
			t.Errorf("%+v: status %d, %d effects: %s", step, response.StatusCode, next.effects, body)
		}
	}
}
