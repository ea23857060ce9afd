package nethttp

import (
	"context"
	"errors"
	"net/http"

	idem "github.com/idemgen/idemgen/runtime"
)

// A VisitFunc writes an answer: the Visit method of a generated response type.
type VisitFunc = func(w http.ResponseWriter) error

// Serve keeps the operation's contract for one request. It calls handle, if
// that is to run, with the context the handler gets, on the calling goroutine;
// a nil VisitFunc stands for an empty answer of status 200.
//
// A refusal of the engine comes back as a reply with problem details (RFC 9457).
// An error is the handler's own, or that of its VisitFunc, as it is, or that of
// ctx while the request waited for another one.
func Serve(ctx context.Context, op *idem.Operation, call idem.Call, handle func(ctx context.Context) (VisitFunc, error)) (*Reply, error) {
	e := &exchange{handle: handle, limit: op.Contract().MaxResponseBytes}
	result, err := op.Run(ctx, call, e.run)
	if err == nil {
		return e.reply(result), nil
	}
	e.recorder.discard()
	if refusal, ok := errors.AsType[*idem.Error](err); ok && !errors.Is(e.failed, refusal) {
		return refusalReply(refusal, op.ProblemType(refusal.Code)), nil
	}
	return nil, err
}

// An exchange is one request's run of its handler, if it comes to that.
type exchange struct {
	handle func(ctx context.Context) (VisitFunc, error)
	limit  int64 // of a kept body

	visit    VisitFunc    // what the handler returned
	recorder *recorder    // what visit wrote, nil if it was not called
	answer   *idem.Answer // what is kept of that
	failed   error        // of the handler or of visit

	// Memory of what a request may need, in one piece.
	recording recorder
	replying  Reply
}

// startRecording makes the recorder, which is done once.
func (e *exchange) startRecording() {
	e.recording.start(e.limit)
	e.recorder = &e.recording
}

// run implements idem.Handler.
func (e *exchange) run(ctx context.Context) (idem.WriteFunc, error) {
	e.visit, e.failed = e.handle(ctx)
	if e.failed != nil || e.visit == nil {
		return nil, e.failed
	}
	return e.record, nil
}

// record implements idem.WriteFunc.
func (e *exchange) record() (*idem.Answer, error) {
	e.startRecording()
	done := false
	defer func() {
		if !done { // a panic, an error
			e.recorder.discard()
		}
	}()
	if e.failed = e.visit(e.recorder); e.failed != nil {
		return nil, e.failed
	}
	answer, err := e.finish()
	done = true
	return answer, err
}

// finish implements idem.WriteFunc for an answer that is in the recorder.
func (e *exchange) finish() (*idem.Answer, error) {
	if e.answer, e.failed = e.recorder.answer(); e.failed != nil {
		e.recorder.discard()
	}
	return e.answer, e.failed
}

// reply returns what a result is answered with.
func (e *exchange) reply(result idem.Result) *Reply {
	reply := &e.replying
	switch {
	case result.Answer == nil:
		reply.visit = e.visit
	case result.Answer == e.answer && !result.Replayed:
		// The client of the first answer gets what is not kept of it, too.
		*reply = Reply{status: e.recorder.status, lines: e.recorder.lines, body: e.recorder.body, overflow: e.recorder.overflow}
	default:
		e.recorder.discard()
		*reply = *replyOf(result.Answer)
	}
	switch {
	case result.Replayed:
		reply.mark = replayedHeader
	case result.Unprotected:
		reply.mark = unprotectedHeader
	}
	return reply
}
