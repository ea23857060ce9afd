package nethttp

import (
	"context"
	"errors"
	"net/http"

	idem "github.com/idemgen/idemgen/runtime"
)

// ServeHTTP keeps the operation's contract for a handler that writes its answer
// itself. Handle, if it is to run, gets a ResponseWriter that records and the
// request with the context of a protected handler, on the calling goroutine.
// Its answer counts as an answer, whatever the status; which ones are kept, the
// contract says. A panic gives the key back.
//
// Reload writes the answer of a replay from the reference that the first handler
// left, where the contract says so; else it may be nil.
//
// A request without a key, where the contract allows that, goes to handle with w
// itself, so that its answer can be a stream.
func ServeHTTP(w http.ResponseWriter, r *http.Request, op *idem.Operation, call idem.Call,
	handle func(w http.ResponseWriter, r *http.Request),
	reload func(w http.ResponseWriter, r *http.Request, reference string),
) {
	if call.Key == idem.NoKey() && op.Contract().OptionalKey {
		_, _ = op.Run(r.Context(), call, func(ctx context.Context) (idem.WriteFunc, error) {
			w.Header().Set(unprotectedHeader, "true")
			handle(w, r.WithContext(ctx))
			return nil, nil
		})
		return
	}
	e := &exchange{limit: op.Contract().MaxResponseBytes}
	result, err := op.Run(r.Context(), call, func(ctx context.Context) (idem.WriteFunc, error) {
		e.startRecording()
		done := false
		defer func() {
			if !done { // a panic
				e.recorder.discard()
			}
		}()
		handle(e.recorder, r.WithContext(ctx))
		done = true
		return e.finish, nil
	})
	if err == nil {
		reply := e.reply(result)
		if reference, ok := reply.Reference(); ok {
			reply.Reload(func(w http.ResponseWriter) error {
				reload(w, r, reference)
				return nil
			})
		}
		_ = reply.Visit(w) // an error is that of a client that is gone
		return
	}
	e.recorder.discard()
	refuse(w, op, err)
}

// refuse answers with an error of the engine, or one of the request.
func refuse(w http.ResponseWriter, op *idem.Operation, err error) {
	if refusal, ok := errors.AsType[*idem.Error](err); ok {
		_ = refusalReply(refusal, op.ProblemType(refusal.Code)).Visit(w)
		return
	}
	// The answer could not be written, or the request ended while it waited.
	http.Error(w, http.StatusText(http.StatusInternalServerError), http.StatusInternalServerError)
}
