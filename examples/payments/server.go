package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/idemgen/idemgen/examples/payments/api"
	idem "github.com/idemgen/idemgen/runtime"
)

//go:generate go tool oapi-codegen -config oapi-codegen.yaml openapi.yaml
//go:generate go run ../../cmd/idemgen generate --package api openapi.yaml

// newHandler serves the payments API: payments does the work, engine sees to it
// that it is done once for each key.
func newHandler(provider *providerClient, engine *idem.Engine) http.Handler {
	server := api.NewIdempotentServer(payments{provider: provider}, engine, principal)
	return authenticate(api.HandlerWithOptions(api.NewStrictHandler(server, nil), api.StdHTTPServerOptions{
		ErrorHandlerFunc: api.IdempotencyErrorHandler(nil),
	}))
}

// payments implements the operations. It knows nothing of keys, but that it may
// hand a derived one on to its provider.
type payments struct{ provider *providerClient }

func (p payments) CreatePayment(ctx context.Context, request api.CreatePaymentRequestObject) (api.CreatePaymentResponseObject, error) {
	id, err := p.provider.charge(ctx, request.Body.Amount)
	if err != nil {
		return api.CreatePayment502ApplicationProblemPlusJSONResponse(providerProblem(err)), nil
	}
	location := "/payments/" + id
	return api.CreatePayment201JSONResponse{
		Body:    api.Payment{Id: id, Amount: request.Body.Amount, Currency: string(request.Body.Currency)},
		Headers: api.CreatePayment201ResponseHeaders{Location: &location},
	}, nil
}

func (p payments) AuthorizePayment(ctx context.Context, request api.AuthorizePaymentRequestObject) (api.AuthorizePaymentResponseObject, error) {
	id, err := p.provider.charge(ctx, request.Body.Amount)
	if err != nil {
		return api.AuthorizePayment502ApplicationProblemPlusJSONResponse{
			ProblemApplicationProblemPlusJSONResponse: api.ProblemApplicationProblemPlusJSONResponse(providerProblem(err)),
		}, nil
	}
	return api.AuthorizePayment201JSONResponse{Id: id, Amount: request.Body.Amount, Currency: string(request.Body.Currency)}, nil
}

func (p payments) RefundPayment(ctx context.Context, request api.RefundPaymentRequestObject) (api.RefundPaymentResponseObject, error) {
	id, err := p.provider.charge(ctx, -request.Body.Amount)
	if err != nil {
		return api.RefundPayment502ApplicationProblemPlusJSONResponse{
			ProblemApplicationProblemPlusJSONResponse: api.ProblemApplicationProblemPlusJSONResponse(providerProblem(err)),
		}, nil
	}
	return api.RefundPayment201JSONResponse{Id: id, PaymentId: request.PaymentId, Amount: request.Body.Amount}, nil
}

func providerProblem(err error) api.Problem {
	detail := err.Error()
	return api.Problem{Title: "The card provider failed", Status: http.StatusBadGateway, Detail: &detail}
}

// callerKey is where authenticate leaves who is calling.
type callerKey struct{}

// authenticate takes the bearer token for the caller's name. A real service
// verifies it: the scope of a key is worth as much as this.
func authenticate(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		caller, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
		if !ok || caller == "" {
			http.Error(w, "a bearer token is needed", http.StatusUnauthorized)
			return
		}
		next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), callerKey{}, caller)))
	})
}

// principal tells the engine who is calling.
func principal(ctx context.Context) (string, error) {
	caller, ok := ctx.Value(callerKey{}).(string)
	if !ok {
		return "", errors.New("no caller in context")
	}
	return fmt.Sprint("user:", caller), nil
}
