package templates

import "embed"

// Docs has the templates of the page for client developers, and its style.
//
//go:embed docs/*
var Docs embed.FS
