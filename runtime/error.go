package runtime

import (
	"errors"
	"fmt"
	"time"
)

// A Code says why a request was refused. Its text is the name of the problem
// type that the HTTP edge answers with.
type Code string

// The codes, with the HTTP status that the edge gives them.
const (
	CodeMissingKey          Code = "missing-key"           // 400
	CodeInvalidKey          Code = "invalid-key"           // 400
	CodeMissingScope        Code = "missing-scope"         // 400
	CodeNoPrincipal         Code = "no-principal"          // 401
	CodeInProgress          Code = "in-progress"           // 409
	CodeOutcomeUnknown      Code = "outcome-unknown"       // 409
	CodeResponseNotRetained Code = "response-not-retained" // 409
	CodeRequestTooLarge     Code = "request-too-large"     // 413
	CodeKeyReused           Code = "key-reused"            // 422
	CodeStoreUnavailable    Code = "store-unavailable"     // 503
	CodeRecordUnreadable    Code = "record-unreadable"     // 503
)

// An Error is a refusal by the engine. Handlers' own errors are passed on as
// they are and never wrapped in one. Neither its text nor its fields hold a key
// or a value of a request.
type Error struct {
	Code Code
	// Operation is the operation's name in its contract.
	Operation string
	// Detail is a sentence for the client, "" for none.
	Detail string
	// RetryAfter is when a retry may be worth it, zero for unknown.
	RetryAfter time.Duration
	// Fields names the fields that differ, where Code is CodeKeyReused. It
	// is empty where only a field list or the digest over all of them tells.
	Fields []string
	// Sent and Stored are the two fingerprints, where Code is CodeKeyReused.
	Sent, Stored Fingerprint
	// Err is the cause, nil for none. It is for logs, not for clients.
	Err error
}

// Error implements error.
func (e *Error) Error() string {
	text := fmt.Sprintf("idem: %s: %s", e.Operation, e.Code)
	if e.Detail != "" {
		text += ": " + e.Detail
	}
	if e.Err != nil {
		text += ": " + e.Err.Error()
	}
	return text
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// CodeOf returns the code of the [Error] in err's chain, "" if there is none.
func CodeOf(err error) Code {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Code
	}
	return ""
}

// Errors with which the engine cancels a handler's context, as its cause, and
// which it reports.
var (
	// ErrLeaseLost: another attempt may have taken the key.
	ErrLeaseLost = errors.New("idem: lease lost")
	// ErrMaxRun: the handler ran longer than its contract's MaxRun.
	ErrMaxRun = errors.New("idem: handler ran longer than maxRun")
	// ErrClosed: the engine is closing and takes no new requests.
	ErrClosed = errors.New("idem: engine closed")
)
