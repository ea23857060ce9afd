// Package server reads the Go package that oapi-codegen generated. It looks at
// the syntax alone: names are taken from where the generator put them, never
// derived again, so that every version and naming option works; and no type
// checker runs, so that the package need not compile yet.
package server
