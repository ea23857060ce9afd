package runtime

import (
	"context"
	"regexp"
	"strings"
	"sync/atomic"
	"time"
)

// An Operation is a contract at work in an engine. Get it from
// [Engine.Operation], once; its methods may be called concurrently.
type Operation struct {
	engine   *Engine
	contract Contract
	source   Contract // as given, where operationOf keeps it
	name     string   // readable part of store keys
	frame    []byte   // what the digests of its keys begin with
	pattern  *regexp.Regexp
	digest   ContractDigest
	counters *counters
	fields   atomic.Pointer[fieldList] // of the fingerprint made last
	pulse    pulse
}

// Contract returns the operation's contract, defaults filled in.
func (o *Operation) Contract() Contract { return o.contract }

// Run keeps the contract for one call: it runs handle, or answers with what an
// earlier run answered, or refuses. A refusal is an [*Error]; any other error is
// the handler's own, or that of ctx while the call waited for another one.
//
// The handler runs on the calling goroutine. Its panics and runtime.Goexit pass
// through after the key is settled.
func (o *Operation) Run(ctx context.Context, call Call, handle Handler) (Result, error) {
	r := &request{op: o, ctx: ctx, began: time.Now(), handle: handle}
	if !o.engine.work.begin(false) {
		return r.refuse(StoreError, &Error{Code: CodeStoreUnavailable, Detail: "The server is shutting down.", Err: ErrClosed})
	}
	defer o.engine.work.done()

	key := call.Key
	if !key.present {
		return r.withoutKey()
	}
	if problem := o.checkKey(key); problem != "" {
		return r.refuse(KeyInvalid, &Error{Code: CodeInvalidKey, Detail: sentence(problem)})
	}
	scope, refusal := o.scopeOf(ctx, call, r.scope[:0])
	if refusal != nil {
		return r.refuse(ScopeMissing, refusal)
	}
	if err := r.identify(scope, key.value, call.Fingerprint); err != nil {
		return r.unread(err)
	}
	if o.contract.InFlight == RunAlso {
		return r.runAlso()
	}
	return r.claim()
}

// checkKey returns what is wrong with a present key, "" for nothing.
func (o *Operation) checkKey(key Key) string {
	if problem := key.check(); problem != "" {
		return problem
	}
	if o.pattern == nil || o.pattern.MatchString(key.value) {
		return ""
	}
	if o.contract.KeyFormat == "uuid" {
		return "the key is not a UUID"
	}
	return "the key does not match the pattern " + o.contract.KeyFormat
}

// identityOf is the identity of a valid key. UUIDs compare without case.
func (o *Operation) identityOf(scope []string, key string) identity {
	if o.contract.KeyFormat == "uuid" {
		key = strings.ToLower(key)
	}
	return newIdentity(o, scope, key)
}

// scopeOf returns the values of the scope, in memory if they fit. Nobody's key is
// nobody's: an empty value refuses the call, since all calls without one would
// share their keys.
func (o *Operation) scopeOf(ctx context.Context, call Call, memory []string) ([]string, *Error) {
	names := o.contract.Scope
	if len(names) == 0 {
		return nil, nil
	}
	scope := memory
	if names[0] == ScopePrincipal {
		principal, err := "", error(nil)
		if call.Principal != nil {
			principal, err = call.Principal(ctx)
		}
		if err != nil || principal == "" {
			return nil, &Error{Code: CodeNoPrincipal, Detail: "It is not known who is calling.", Err: err}
		}
		scope = append(scope, principal)
	}
	scope = append(scope, call.Scope...)
	for i, name := range names {
		if i >= len(scope) || scope[i] == "" {
			return nil, &Error{Code: CodeMissingScope, Detail: "The scope value " + name + " is empty."}
		}
	}
	if len(scope) > len(names) {
		return nil, &Error{Code: CodeMissingScope, Detail: "The call has more scope values than its contract."}
	}
	return scope, nil
}

// sentence makes a problem text a sentence.
func sentence(s string) string {
	if s == "" {
		return ""
	}
	return strings.ToUpper(s[:1]) + s[1:] + "."
}
