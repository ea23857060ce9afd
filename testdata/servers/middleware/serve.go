// Package middleware is the same API without any generated server: handlers on
// an http.ServeMux, and the middleware around them.
package middleware

import (
	"net/http"
	"strconv"

	idem "github.com/idemgen/idemgen/runtime"
	"github.com/idemgen/idemgen/testdata/servers/suite"
)

// New returns the server with its contracts kept by engine.
func New(engine *idem.Engine, desk *suite.Desk) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("POST /accounts/{account}/payments", desk.ServePayment)
	mux.HandleFunc("POST /payments/reject", desk.ServePayment)
	mux.HandleFunc("POST /payments/run", desk.ServePayment)
	mux.HandleFunc("POST /payments/optional", desk.ServePayment)
	mux.HandleFunc("DELETE /payments/{id}", numbered(func(w http.ResponseWriter, r *http.Request, _ int64) {
		desk.ServeCancel(w, r)
	}))
	mux.HandleFunc("POST /payments/{id}/note", numbered(func(w http.ResponseWriter, r *http.Request, _ int64) {
		desk.ServeNote(w, r)
	}))
	mux.HandleFunc("POST /payments/{id}/receipt", numbered(desk.ServeReceipt))
	keep := NewIdempotencyMiddleware(engine, desk.Principal)
	return suite.Middleware(keep(mux))
}

// numbered refuses requests whose id is no number.
func numbered(next func(w http.ResponseWriter, r *http.Request, id int64)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		id, err := strconv.ParseInt(r.PathValue("id"), 10, 64)
		if err != nil {
			http.Error(w, "the id is no number", http.StatusBadRequest)
			return
		}
		next(w, r, id)
	}
}
