package main

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	idem "github.com/idemgen/idemgen/runtime"
	"github.com/idemgen/idemgen/runtime/memstore"
)

func TestAnOrderIsMadeOnce(t *testing.T) {
	engine := idem.New(memstore.New(memstore.Config{}), idem.WithLogger(nil))
	defer engine.Close(t.Context())
	server := httptest.NewServer(newHandler(engine))
	defer server.Close()
	send := func(key, body string) string {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, server.URL+"/orders", strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		request.Header.Set("Idempotency-Key", key)
		response, err := server.Client().Do(request)
		if err != nil {
			t.Fatal(err)
		}
		defer response.Body.Close()
		text, err := io.ReadAll(response.Body)
		if err != nil {
			t.Fatal(err)
		}
		return response.Status + " " + strings.TrimSpace(string(text))
	}
	for _, step := range []struct{ key, body, want string }{
		{"1", `{"article":"tea","quantity":2}`, `201 Created {"number":1}`},
		{"1", `{"quantity": 2, "article": "tea"}`, `201 Created {"number":1}`},
		{"2", `{"article":"tea","quantity":2}`, `201 Created {"number":2}`},
	} {
		if got := send(step.key, step.body); got != step.want {
			t.Errorf("key %s, %s: %s, want %s", step.key, step.body, got, step.want)
		}
	}
	if got := send("1", `{"article":"tea","quantity":3}`); !strings.HasPrefix(got, "422 ") || !strings.Contains(got, `"quantity"`) {
		t.Errorf("another quantity: %s, want a 422 that names it", got)
	}
}
