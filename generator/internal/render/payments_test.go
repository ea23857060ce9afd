package render_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/idemgen/idemgen/testdata/cases/payments"
)

// paymentServer counts its effects. Calls come one after the other.
type paymentServer struct{ effects int }

func (s *paymentServer) CreatePayment(_ context.Context, request payments.CreatePaymentRequestObject) (payments.CreatePaymentResponseObject, error) {
	s.effects++
	if request.Body.Amount == 402 {
		return payments.CreatePayment402JSONResponse{Reason: fmt.Sprintf("declined %d", s.effects)}, nil
	}
	if request.Body.Amount == 500 {
		return nil, errors.New("provider fails")
	}
	return payments.CreatePayment201JSONResponse{
		Body:    payments.Payment{Id: fmt.Sprintf("pay_%d", s.effects), Amount: request.Body.Amount},
		Headers: payments.CreatePayment201ResponseHeaders{Location: new("/payments/1")},
	}, nil
}

func (s *paymentServer) RefundPayment(context.Context, payments.RefundPaymentRequestObject) (payments.RefundPaymentResponseObject, error) {
	s.effects++
	return payments.RefundPayment204Response{}, nil
}

func (s *paymentServer) SearchPayments(context.Context, payments.SearchPaymentsRequestObject) (payments.SearchPaymentsResponseObject, error) {
	s.effects++
	return payments.SearchPayments200JSONResponse{}, nil
}

type callerKey struct{}

// newPayments serves payments; the header X-Caller stands for an authentication.
func newPayments(t *testing.T) (client, *paymentServer) {
	t.Helper()
	next := &paymentServer{}
	principal := func(ctx context.Context) (string, error) {
		caller, _ := ctx.Value(callerKey{}).(string)
		return caller, nil
	}
	server := payments.NewIdempotentServer(next, newEngine(t), principal)
	api := payments.HandlerWithOptions(payments.NewStrictHandler(server, nil), payments.StdHTTPServerOptions{
		ErrorHandlerFunc: payments.IdempotencyErrorHandler(nil),
	})
	authenticated := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		api.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), callerKey{}, r.Header.Get("X-Caller"))))
	})
	return newClient(t, authenticated), next
}

const paymentBody = `{"order_id":"o1","amount":9007199254740992,"currency":"EUR","kind":"card",
"customer":{"id":"6ba7b810-9dad-11d1-80b4-00c04fd430c8","address":{"country":"DE"}},
"device":"6ba7b811-9dad-11d1-80b4-00c04fd430c8","due_at":"2026-01-31T12:00:00Z","due_on":"2026-01-31",
"rate":1.5,"discount":0.5,"urgent":false,"note":"none","tags":[],"items":[{"sku":"a","quantity":2}],
"metadata":{"a":"1","b":"2"},"trace":"t1"}`

func payment(key string) call {
	return call{method: "POST", path: "/payments", body: paymentBody, header: map[string]string{
		"Idempotency-Key": key, "X-Account-Id": "acc_1", "X-Caller": "alice",
	}}
}

func edit(body string, pairs ...string) string {
	edited := strings.NewReplacer(pairs...).Replace(body)
	if edited == body {
		panic("the edit changes nothing: " + pairs[0])
	}
	return edited
}

func TestPaymentsFingerprint(t *testing.T) {
	client, next := newPayments(t)
	first := payment("k1")
	same := func(pairs ...string) call { return first.withBody(edit(paymentBody, pairs...)) }
	client.run(scenario{
		first: first,
		same: []call{
			first.withHeader("Idempotency-Key", `"k1"`),
			same("\n", "  \n"),
			same(`"order_id":"o1","amount":9007199254740992`, `"amount":9007199254740992,"order_id":"\u006f1"`),
			same("12:00:00Z", "13:00:00+01:00"),
			same("6ba7b811-9dad", "6BA7B811-9DAD"),
			same(`"rate":1.5`, `"rate":1.50e0`),
			same(`"discount":0.5,"urgent":false,"note":"none","tags":[],`, ``),
			same(`"a":"1","b":"2"`, `"b":"2","a":"1"`),
			same(`"trace":"t1"`, `"trace":"t2"`),
			same(`"trace":"t1"`, `"unknown":1`),
		},
		different: map[string]call{
			"order_id":                 same(`"o1"`, `"o2"`),
			"amount":                   same("9007199254740992", "9007199254740993"),
			"currency":                 same("EUR", "USD"),
			"kind":                     same(`"card"`, `"transfer"`),
			"customer/id":              same("6ba7b810", "6ba7b819"),
			"customer/address/country": same(`"country":"DE"`, `"country":"FR"`),
			"device":                   same("6ba7b811", "6ba7b819"),
			"due_at":                   same("12:00:00Z", "12:00:01Z"),
			"due_on":                   same(`"2026-01-31",`, `"2026-02-01",`),
			"rate":                     same(`"rate":1.5,`, ``),
			"discount":                 same(`"discount":0.5`, `"discount":0.25`),
			"urgent":                   same(`"urgent":false`, `"urgent":true`),
			"note":                     same(`"none"`, `""`),
			"tags":                     same(`"tags":[]`, `"tags":["x"]`),
			"items":                    same(`"quantity":2`, `"quantity":3`),
			"metadata":                 same(`"b":"2"`, `"b":"3"`),
			"customer/id customer/address/country": same(
				`"customer":{"id":"6ba7b810-9dad-11d1-80b4-00c04fd430c8","address":{"country":"DE"}},`, ``),
		},
	}, &next.effects)
}

func TestPaymentsScope(t *testing.T) {
	client, next := newPayments(t)
	for i, c := range []call{
		payment("k"),
		payment("k").withHeader("X-Account-Id", "acc_2"),
		payment("k").withHeader("X-Caller", "bob"),
	} {
		if a := client.do(c); a.status != 201 || a.replayed || next.effects != i+1 {
			t.Errorf("call %d: status %d, replayed %t, %d effects", i, a.status, a.replayed, next.effects)
		}
	}
	if a := client.do(payment("k").withHeader("X-Caller", "")); a.problem != "no-principal" {
		t.Errorf("without a principal: %d %s", a.status, a.body)
	}
}

func TestPaymentsRemember(t *testing.T) {
	client, next := newPayments(t)
	declined := payment("k1").withBody(edit(paymentBody, "9007199254740992", "402"))
	first, second := client.do(declined), client.do(declined)
	if first.status != 402 || !second.replayed || first.body != second.body || next.effects != 1 {
		t.Errorf("402 is to be kept: %d %s, then %d %s", first.status, first.body, second.status, second.body)
	}
	failed := payment("k2").withBody(edit(paymentBody, "9007199254740992", "500"))
	next.effects = 0
	for range 2 {
		if a := client.do(failed); a.status != 500 || a.replayed {
			t.Errorf("failure: %d %s", a.status, a.body)
		}
	}
	if next.effects != 2 {
		t.Errorf("a failure is not to be kept: %d effects", next.effects)
	}
}

func TestPaymentsReplayIsEqual(t *testing.T) {
	client, _ := newPayments(t)
	first, second := client.do(payment("k")), client.do(payment("k"))
	for _, name := range []string{"Content-Type", "Location", "Content-Length"} {
		if a, b := first.header.Get(name), second.header.Get(name); a != b || a == "" {
			t.Errorf("%s: %q, then %q", name, a, b)
		}
	}
	if first.body != second.body {
		t.Errorf("%q, then %q", first.body, second.body)
	}
}

func TestPaymentsBindingErrors(t *testing.T) {
	client, next := newPayments(t)
	missing := payment("k")
	delete(missing.header, "Idempotency-Key")
	if a := client.do(missing); a.status != 400 || a.problem != "missing-key" {
		t.Errorf("no key: %d %s", a.status, a.body)
	}
	if a := client.do(payment("")); a.status != 400 || a.problem != "invalid-key" {
		t.Errorf("empty key: %d %s", a.status, a.body)
	}
	other := payment("k")
	delete(other.header, "X-Account-Id")
	if a := client.do(other); a.status != 400 || a.problem != "" || !strings.Contains(a.body, "X-Account-Id") {
		t.Errorf("no account: %d %s", a.status, a.body)
	}
	if next.effects != 0 {
		t.Errorf("%d effects", next.effects)
	}
}

func TestPaymentsOtherOperations(t *testing.T) {
	client, next := newPayments(t)
	refund := payment("k").withPath("/payments/p1/refunds").withBody("")
	client.run(scenario{first: refund, different: map[string]call{"path.payment_id": refund.withPath("/payments/p2/refunds")}}, &next.effects)

	next.effects = 0
	for range 2 { // exempt
		client.do(call{method: "POST", path: "/payments/search"})
	}
	if next.effects != 2 {
		t.Errorf("an exempt operation ran %d times of 2", next.effects)
	}
}
