package gomodel

// A File is the generated file.
type File struct {
	Source  string // the document, as a relative slash path
	Package string
	// Imports are grouped as gofmt would have them, sorted within a group.
	Imports [][]Import

	// API qualifies the names of the generated server: empty in its own
	// package, else the name of its import and a dot.
	API string
	// Principal says that some scope has the principal in it.
	Principal bool
	// Operations are in the order of the contracts.
	Operations []Operation
	// ErrorHandler is nil where the server has no hook for binding errors.
	ErrorHandler *ErrorHandler
}

// An Import is an import declaration; Name is empty where none is written.
type Import struct{ Name, Path string }

// An Operation is one protected operation.
type Operation struct {
	Method, Path string // as in the document

	Name     string // the Go method
	Field    string // the field of the wrapper that holds the operation
	Contract string // the variable of its contract
	Request  string // qualified
	Response string // qualified
	Visit    string

	Doc   string // of the contract's variable
	Terms []Term // the contract's fields, in order

	KeyValue   Part
	ScopeParts []Part
	Principal  bool

	Fingerprint []Value
	// Body says that the fingerprint reads the variable body.
	Body bool
}

// A Term is a field of a struct literal.
type Term struct{ Name, Value string }

// A Part is an expression of the key or of the scope.
type Part struct {
	// Guard is the condition under which Expr can be evaluated, "" for
	// always. Otherwise Var is the variable that holds the value.
	Guard, Var string
	Expr       string
}

// A Value is one field of a fingerprint.
type Value struct {
	Name string // quoted
	// Guard is the condition under which there is a value, "" for always.
	Guard string
	// Write is the statement that writes the value, Absent the one for an
	// absent one.
	Write, Absent string
}

// An ErrorHandler is the handler of binding errors.
type ErrorHandler struct {
	Options    string // the struct of options that takes it
	Parameters []KeyParameter
	Errors     []BindingError
}

// A KeyParameter is a parameter that holds a key, all strings quoted.
type KeyParameter struct{ Method, Path, Name, Operation string }

// A BindingError is an error type of the generated server.
type BindingError struct {
	Type    string // qualified
	Missing bool
}
