package nethttp

import (
	"encoding/json"
	"net/http"
	"strconv"
	"time"

	idem "github.com/idemgen/idemgen/runtime"
)

// A problem is the body of a refusal: problem details as of RFC 9457.
type problem struct {
	Type   string `json:"type"`
	Title  string `json:"title"`
	Status int    `json:"status"`
	Detail string `json:"detail,omitempty"`
	// Fields is an extension member of the problem key-reused: the names of
	// the fingerprint's fields that differ, never their values.
	Fields []string `json:"fields,omitempty"`
}

// describe returns the status and title of a code.
func describe(code idem.Code) (status int, title string) {
	switch code {
	case idem.CodeMissingKey:
		return http.StatusBadRequest, "Idempotency key missing"
	case idem.CodeInvalidKey:
		return http.StatusBadRequest, "Idempotency key malformed"
	case idem.CodeMissingScope:
		return http.StatusBadRequest, "Scope of the idempotency key missing"
	case idem.CodeNoPrincipal:
		return http.StatusUnauthorized, "Caller unknown"
	case idem.CodeInProgress:
		return http.StatusConflict, "Request with this idempotency key in progress"
	case idem.CodeOutcomeUnknown:
		return http.StatusConflict, "Outcome of the request unknown"
	case idem.CodeResponseNotRetained:
		return http.StatusConflict, "Request done, its response was not retained"
	case idem.CodeRequestTooLarge:
		return http.StatusRequestEntityTooLarge, "Request too large"
	case idem.CodeKeyReused:
		return http.StatusUnprocessableEntity, "Idempotency key used for a different request"
	case idem.CodeStoreUnavailable:
		return http.StatusServiceUnavailable, "Idempotency store unavailable"
	case idem.CodeRecordUnreadable:
		return http.StatusServiceUnavailable, "Idempotency record unreadable"
	}
	return http.StatusInternalServerError, "Request refused"
}

// refusalReply returns the reply to a request that the engine refused.
func refusalReply(e *idem.Error, problemType string) *Reply {
	p := problem{Type: problemType, Detail: e.Detail, Fields: e.Fields}
	p.Status, p.Title = describe(e.Code)
	body, _ := json.Marshal(p) // strings and a number always encode
	reply := &Reply{status: p.Status, body: body}
	reply.lines = []idem.HeaderLine{{Name: "Content-Type", Value: "application/problem+json"}}
	if seconds := retryAfter(e); seconds > 0 {
		reply.lines = append(reply.lines, idem.HeaderLine{Name: "Retry-After", Value: strconv.FormatInt(seconds, 10)})
	}
	return reply
}

// retryAfter returns the Retry-After of a refusal in whole seconds, rounded up,
// zero for none. The refusals that time alone resolves always have one.
func retryAfter(e *idem.Error) int64 {
	seconds := int64((e.RetryAfter + time.Second - 1) / time.Second)
	if e.Code == idem.CodeInProgress || e.Code == idem.CodeStoreUnavailable {
		return max(seconds, 1)
	}
	return max(seconds, 0)
}
