package suite

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
)

// Middleware finds out the caller and adds header lines, as middleware of a real
// server would.
func Middleware(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set(MiddlewareHeader, MiddlewareValue)
		w.Header().Add("Vary", MiddlewareVary)
		next.ServeHTTP(w, r.WithContext(WithCaller(r.Context(), r.Header.Get(CallerHeader))))
	})
}

// WriteNote writes an answer of text with links.
func WriteNote(w http.ResponseWriter, text string) error {
	for _, link := range Links() {
		w.Header().Add("Link", link)
	}
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Add("Vary", "Accept")
	_, err := io.WriteString(w, text)
	return err
}

// ServePayment is the handler of payments for servers that are not strict.
func (d *Desk) ServePayment(w http.ResponseWriter, r *http.Request) {
	var order struct {
		Order  string `json:"order"`
		Amount int64  `json:"amount"`
	}
	if err := json.NewDecoder(r.Body).Decode(&order); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	name, err := d.Charge(r.Context(), order.Order)
	switch {
	case errors.Is(err, ErrDeclined):
		w.Header().Set("Content-Type", "application/problem+json")
		w.WriteHeader(http.StatusPaymentRequired)
		_, _ = io.WriteString(w, `{"title":"declined"}`)
		return
	case err != nil:
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Location", "/payments/1")
	w.Header().Set("X-Rate-Remaining", "9")
	w.WriteHeader(http.StatusCreated)
	_ = json.NewEncoder(w).Encode(map[string]any{"id": name, "amount": order.Amount})
}

// ServeCancel answers without a body.
func (d *Desk) ServeCancel(w http.ResponseWriter, r *http.Request) {
	name, _ := d.Charge(r.Context(), "")
	w.Header().Set("X-Refund", name)
	w.WriteHeader(http.StatusNoContent)
}

// ServeNote answers with a text.
func (d *Desk) ServeNote(w http.ResponseWriter, r *http.Request) {
	name, _ := d.Charge(r.Context(), "")
	_ = WriteNote(w, name+" of "+Caller(r.Context()))
}

// ServeReceipt answers with a document in gzip.
func (d *Desk) ServeReceipt(w http.ResponseWriter, r *http.Request, number int64) {
	document, err := d.Receipt(r.Context(), number)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/pdf")
	w.Header().Set("Content-Encoding", "gzip")
	_, _ = w.Write(document)
}
