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
	// Strict says that the server is; Interface is what it is wrapped as.
	Strict    bool
	Interface string
	// App is the application that a server of some frameworks runs in, nil
	// where the wrapper needs none.
	App *App
	// Principal says that some scope has the principal in it.
	Principal bool
	// Operations are in the order of the contracts.
	Operations []Operation
	// Reloads says that some operation has its answers built again from a
	// reference.
	Reloads bool
	// Routes are those of a middleware.
	Routes []Route
	// Support is what the framework needs besides, nil for nothing.
	Support *Support
	// ErrorHandler is nil where the server has no hook for binding errors, or
	// no key is a parameter.
	ErrorHandler *ErrorHandler
}

// An App is a parameter of the constructor.
type App struct {
	Type string
	Doc  string // what it is
}

// Support is what the wrapper of some frameworks has besides.
type Support struct {
	Template string
	// Parameter is the parameter of a Visit method.
	Parameter string
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

	Serve     string // the call that keeps the contract, up to its context
	Record    string // the function that writes the handler's answer
	Parameter string // of the Visit method
	Writer    string // what the reply is written to there

	// Handler is nil for a strict server.
	Handler *Handler

	Doc   string // of the contract's variable
	Terms []Term // the contract's fields, in order

	KeyValue   Part
	ScopeParts []Part
	Principal  bool

	Fingerprint []Value
	// Body says that the fingerprint reads the variable body.
	Body bool
	// BodyCases are what is compared of a body that can be of several media
	// types, NoBody what stands for one that is not there.
	BodyCases []BodyCase
	NoBody    []Value
	// Uploads are bodies to be read before the handler runs.
	Uploads []Upload
	// Defaults are those inside composite fields of the fingerprint, in the
	// variable DefaultsVar.
	Defaults    []NamedDefault
	DefaultsVar string
	// Reload is the method that builds an answer from its reference, "" for
	// an operation whose answers are kept.
	Reload string
}

// A Term is a field of a struct literal.
type Term struct{ Name, Value string }

// A Part is an expression of the key or of the scope.
type Part struct {
	// Guard is the condition under which Expr can be evaluated, "" for
	// always. Otherwise Var is the variable that holds the value.
	Guard, Var string
	Expr       string
	// Otherwise are further places of the value, each with its own guard.
	Otherwise []Part
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
	Template   string
	API        string // as in File
	Options    string // the struct of options that takes it
	Context    string // the type of the framework's context
	Parameters []KeyParameter
	Errors     []BindingError
}

// A KeyParameter is a parameter that holds a key.
type KeyParameter struct{ Terms []Term }

// A BindingError is an error type of the generated server.
type BindingError struct {
	Type    string // qualified
	Missing bool
}
