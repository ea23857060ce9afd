// Code generated from suite/handler.go.txt. DO NOT EDIT.

package iris

import (
	"bytes"
	"context"
	"errors"

	"github.com/idemgen/idemgen/testdata/servers/suite"
)

// handler is the server that the contracts are kept for: nothing in it knows of
// keys.
type handler struct{ desk *suite.Desk }

func (h handler) CreatePayment(ctx context.Context, request CreatePaymentRequestObject) (CreatePaymentResponseObject, error) {
	answer, err := h.charge(ctx, request.Body.Order, request.Body.Amount)
	if errors.Is(err, suite.ErrDeclined) {
		return CreatePayment402ApplicationProblemPlusJSONResponse{Title: "declined"}, nil
	}
	return CreatePayment201JSONResponse{answer}, err
}

func (h handler) RejectPayment(ctx context.Context, request RejectPaymentRequestObject) (RejectPaymentResponseObject, error) {
	answer, err := h.charge(ctx, request.Body.Order, request.Body.Amount)
	return RejectPayment201JSONResponse{answer}, err
}

func (h handler) RunPayment(ctx context.Context, request RunPaymentRequestObject) (RunPaymentResponseObject, error) {
	answer, err := h.charge(ctx, request.Body.Order, request.Body.Amount)
	return RunPayment201JSONResponse{answer}, err
}

func (h handler) OptionalPayment(ctx context.Context, request OptionalPaymentRequestObject) (OptionalPaymentResponseObject, error) {
	answer, err := h.charge(ctx, request.Body.Order, request.Body.Amount)
	return OptionalPayment201JSONResponse{answer}, err
}

// CancelPayment answers without a body.
func (h handler) CancelPayment(ctx context.Context, _ CancelPaymentRequestObject) (CancelPaymentResponseObject, error) {
	name, err := h.desk.Charge(ctx, "")
	return CancelPayment204Response{Headers: CancelPayment204ResponseHeaders{XRefund: &name}}, err
}

// AddNote answers with a type of its own, which writes what no generated type
// does: repeated header lines.
func (h handler) AddNote(ctx context.Context, request AddNoteRequestObject) (AddNoteResponseObject, error) {
	name, err := h.desk.Charge(ctx, request.Body.Order)
	return note(name + " of " + caller(ctx)), err
}

func (h handler) CreateReceipt(ctx context.Context, request CreateReceiptRequestObject) (CreateReceiptResponseObject, error) {
	document, err := h.desk.Receipt(ctx, request.PaymentId)
	return CreateReceipt200ApplicationpdfResponse{
		Body:          bytes.NewReader(document),
		ContentLength: int64(len(document)),
		Headers:       CreateReceipt200ResponseHeaders{ContentEncoding: "gzip"},
	}, err
}

func (h handler) charge(ctx context.Context, order string, amount int64) (CreatedJSONResponse, error) {
	name, err := h.desk.Charge(ctx, order)
	rest := 9
	return CreatedJSONResponse{
		Body:    Payment{Id: name, Amount: amount},
		Headers: CreatedResponseHeaders{Location: "/payments/1", XRateRemaining: &rest},
	}, err
}
