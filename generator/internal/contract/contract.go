// Package contract turns x-idempotency extensions into contracts: validated,
// defaults filled in, every expression resolved against the operation's
// schemas, and free of any target language.
package contract

import (
	"time"

	"github.com/idemgen/idemgen/generator/diag"
)

// A Contract is the contract of one operation.
type Contract struct {
	API         string // info.title
	Operation   string // operationId, else "METHOD /path": the name under which keys are kept
	OperationID string // as in the document, "" for none
	Method      string // upper case
	Path        string // as in the document

	// Range is where x-idempotency stands, its key.
	Range diag.Range

	Key       Field
	Required  bool
	KeyFormat string // any, uuid or a regular expression

	Principal bool    // the scope has principal
	Scope     []Field // the other parts of the scope, in order; empty with no Principal: shared by all

	// Fingerprint is never empty for an operation that has any request
	// field. The word request is expanded: path and query parameters in the
	// document's order, then the media type of the body where it can be one
	// of several, then the body's top-level properties in its order, or the
	// whole body where it has no fixed properties. The key's own field is
	// left out. A field that several media types of the body have is there
	// once, as the first of them describes it.
	Fingerprint []Field

	// BodyRequired says that the document requires a request body.
	BodyRequired bool
	// Contents are the media types of the request body in the document's
	// order, nil without a body.
	Contents []Content

	TTL, WaitTimeout, Lease, MaxRun time.Duration

	InFlight     string // wait, reject, run
	OnStoreError string // run, reject
	OnCrash      string // rerun, hold
	OnDisconnect string // finish, cancel
	Replay       string // stored, reload

	// Remember is sorted, without overlap; default is resolved to the
	// statuses from 100 to 599 that the operation does not list.
	Remember         []StatusRange
	MaxResponseBytes int64
}

// A StatusRange is a range of statuses, both ends included.
type StatusRange struct{ From, To int }

// A Source is the part of a request that a field is in.
type Source int

const (
	Body Source = iota
	Path
	Query
	Header
	// MediaType is the media type of the body. It is no part of the body and
	// is compared in its normal form.
	MediaType
)

// A Field is a part of the request that a contract names.
type Field struct {
	// Expression is the full runtime expression, $request.body#/amount.
	Expression string
	// Name is what a mismatch calls the field, and its identity between
	// versions of a contract: for a body field its JSON Pointer without the
	// first slash (amount, customer/id), "$request.body" for all of it, else
	// path.NAME, query.NAME or header.NAME.
	Name   string
	Source Source
	// Tokens is the JSON Pointer of a body field, unescaped, empty for the
	// whole body; for a parameter its name alone.
	Tokens []string
	// Type and Format are the schema's, "" for none. Type is one of string,
	// integer, number, boolean, array, object.
	Type, Format string
	// Required says that the field is in every request: it and all objects
	// around it are required, and so is the body.
	Required bool
	// Default is the schema's default as compact JSON, nil for none.
	Default []byte
	// Inside are the defaults inside an object or an array, nil for none.
	Inside *Defaults
	// Range is where the contract names the field; for an expanded request
	// the place of the fingerprint, or of x-idempotency.
	Range diag.Range
}
