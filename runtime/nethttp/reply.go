package nethttp

import (
	"cmp"
	"net/http"

	idem "github.com/idemgen/idemgen/runtime"
)

// A Reply is what to answer a request of a protected operation with: the
// handler's own answer, a replay, or a problem.
type Reply struct {
	status   int
	lines    []idem.HeaderLine
	body     []byte
	overflow *spill    // the body, where it is too large to be kept
	mark     string    // header set to true, "" for none
	visit    VisitFunc // writes an answer that was not recorded, nil for none

	reference string // from which the answer is yet to be built, "" for none
}

// Visit writes the reply to w. Call it once.
//
// Header lines are sent in order and repeated as in the first answer. Lines
// that w has already, of middleware around the server, stay unless the answer
// has lines of that name.
func (r *Reply) Visit(w http.ResponseWriter) error {
	if r.overflow != nil {
		defer r.overflow.Close()
	}
	header := w.Header()
	if r.mark != "" {
		header.Set(r.mark, "true")
	}
	if r.visit != nil {
		return r.visit(w)
	}
	addLines(header, r.lines)
	status := cmp.Or(r.status, http.StatusOK)
	w.WriteHeader(status)
	switch {
	case r.overflow != nil:
		return r.overflow.writeTo(w)
	case len(r.body) > 0 && bodyAllowed(status):
		_, err := w.Write(r.body)
		return err
	}
	return nil
}

// replyOf returns the reply that an answer is: as it was kept.
func replyOf(answer *idem.Answer) *Reply {
	return &Reply{status: answer.Status, lines: answer.Header, body: answer.Body, reference: answer.Reference}
}

// Reference returns what an earlier handler left with [idem.SetReference], where
// this reply is a replay whose answer is yet to be built from it: then
// [Reply.Reload] must be called before [Reply.Visit].
func (r *Reply) Reference() (reference string, ok bool) { return r.reference, r.reference != "" }

// Reload makes visit write the answer of a replay. A nil visit stands for an
// empty answer of status 200.
func (r *Reply) Reload(visit VisitFunc) { r.visit, r.status, r.reference = visit, 0, "" }
