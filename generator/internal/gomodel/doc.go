// Package gomodel joins contracts with the Go package they are to be kept in.
// The result is a view model of the file to generate: strings, bools and
// ordered slices, so that templates have nothing left to decide. Every part of
// a request that a contract names becomes a Go expression here, with the
// conditions under which it may be evaluated.
package gomodel
