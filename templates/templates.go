// Package templates has the texts of generated files, for text/template. They
// loop over a finished view model and print it; they decide nothing.
package templates

import "embed"

// FS has every template of this folder.
//
//go:embed *.tmpl
var FS embed.FS
