package main

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"io"
	mathrand "math/rand/v2"
	"net/http"
	"strconv"
)

// An order is what a client of the payments API sends, again and again if it
// has to.
type order struct {
	path   string
	body   map[string]any
	key    string
	caller string
	charge int64 // what the provider is asked to charge: drawn at random, so that an order can be told by it
}

// newPayment, newRefund and newAuthorization are orders that nobody sent yet.
func newPayment() order       { return newOrder("/payments") }
func newAuthorization() order { return newOrder("/authorizations") }

func newRefund() order {
	o := newOrder("/payments/ch_0/refunds")
	o.body = map[string]any{"amount": o.charge}
	o.charge = -o.charge
	return o
}

func newOrder(path string) order {
	amount := 1 + mathrand.Int64N(1<<40)
	return order{
		path:   path,
		body:   map[string]any{"order_id": rand.Text(), "amount": amount, "currency": "EUR"},
		key:    rand.Text(),
		caller: "alice",
		charge: amount,
	}
}

// with returns the order with one member of its body changed.
func (o order) with(member string, value any) order {
	body := map[string]any{}
	for k, v := range o.body {
		body[k] = v
	}
	body[member] = value
	o.body = body
	return o
}

// by returns the order as another caller sends it.
func (o order) by(caller string) order {
	o.caller = caller
	return o
}

// A response is what the client saw; its status is 0 where it saw none.
type response struct {
	status int
	header http.Header
	body   []byte
}

func (r response) String() string {
	if r.status == 0 {
		return "-"
	}
	return strconv.Itoa(r.status)
}

// send sends the order to a node and reads the whole answer. Whatever goes
// wrong on the way is no answer.
func (o order) send(ctx context.Context, client *http.Client, to *node) response {
	body, err := json.Marshal(o.body)
	if err != nil {
		return response{}
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, to.url+o.path, bytes.NewReader(body))
	if err != nil {
		return response{}
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Authorization", "Bearer "+o.caller)
	request.Header.Set("X-Account-Id", "main")
	request.Header.Set("Idempotency-Key", o.key)
	got, err := client.Do(request)
	if err != nil {
		return response{}
	}
	defer got.Body.Close()
	text, err := io.ReadAll(got.Body)
	if err != nil {
		return response{}
	}
	return response{status: got.StatusCode, header: got.Header, body: text}
}
