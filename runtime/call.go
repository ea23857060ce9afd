package runtime

import "context"

// A Call is what one request brings: its key, who it is from, and what makes it
// the same request.
type Call struct {
	// Key is the client's key.
	Key Key
	// Principal tells who is calling, where the contract's scope has
	// ScopePrincipal. Its value is the first part of the scope.
	Principal PrincipalFunc
	// Scope has the other parts of the scope, in the contract's order.
	Scope []string
	// Fingerprint writes the fields that make it the same request. Nil
	// writes none: then any two calls with the same key are the same.
	Fingerprint func(*Hasher)
}

// A PrincipalFunc returns who is calling: a value that the client cannot
// choose, such as the account of a verified token. An empty string or an error
// refuses the request.
type PrincipalFunc func(ctx context.Context) (string, error)

// A Handler runs a protected operation. Its context is the request's, without
// the client's cancellation where the contract lets a handler finish. What it
// returns writes the answer in a form that can be kept; nil stands for an empty
// answer of status 200.
//
// An error, a panic or runtime.Goexit of the handler gives the key back (or
// holds it). One of the returned function settles the key as not retained,
// since the effect has happened by then.
type Handler func(ctx context.Context) (WriteFunc, error)

// A WriteFunc writes a handler's answer. Nil stands for an empty answer of
// status 200.
type WriteFunc func() (*Answer, error)

// A Result is what became of a call.
type Result struct {
	// Answer is what to answer with, never nil unless Unrecorded is set.
	Answer *Answer
	// Replayed says that Answer is that of another request with this key.
	// Otherwise it is what this call's own WriteFunc returned.
	Replayed bool
	// Unprotected says that the handler ran without protection.
	Unprotected bool
	// Unrecorded is what the handler returned, where the call carries no key
	// and its contract allows that: the engine has not called it. Nil in
	// every other case, or if the handler returned nil.
	Unrecorded WriteFunc
	// Attempt is the number of the attempt whose answer it is, zero without
	// a key.
	Attempt uint32
}
