// Code generated from suite/handler_plain.go.txt. DO NOT EDIT.

package plain

import (
	"net/http"

	"github.com/idemgen/idemgen/testdata/servers/suite"
)

// handler is a server that is not strict: it reads requests and writes answers
// itself, and knows nothing of keys.
type handler struct{ desk *suite.Desk }

func (h handler) CreatePayment(w http.ResponseWriter, r *http.Request, _ string, _ CreatePaymentParams) {
	h.desk.ServePayment(w, r)
}

func (h handler) RejectPayment(w http.ResponseWriter, r *http.Request, _ RejectPaymentParams) {
	h.desk.ServePayment(w, r)
}

func (h handler) RunPayment(w http.ResponseWriter, r *http.Request, _ RunPaymentParams) {
	h.desk.ServePayment(w, r)
}

func (h handler) OptionalPayment(w http.ResponseWriter, r *http.Request, _ OptionalPaymentParams) {
	h.desk.ServePayment(w, r)
}

func (h handler) CancelPayment(w http.ResponseWriter, r *http.Request, _ int64, _ CancelPaymentParams) {
	h.desk.ServeCancel(w, r)
}

func (h handler) AddNote(w http.ResponseWriter, r *http.Request, _ int64, _ AddNoteParams) {
	h.desk.ServeNote(w, r)
}

func (h handler) CreateReceipt(w http.ResponseWriter, r *http.Request, paymentId int64, _ CreateReceiptParams) {
	h.desk.ServeReceipt(w, r, paymentId)
}
