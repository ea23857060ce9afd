// Package schema has descriptions of idemgen's inputs for other people's tools:
// JSON Schemas (draft-07, which editors understand) of the extension and of
// idemgen.yaml, and a ruleset for Spectral.
package schema

import _ "embed"

//go:embed extension.json
var extension string

//go:embed config.json
var config string

// Extension is the schema of an OpenAPI document as far as its contracts go.
// Its definition extension describes what x-idempotency holds.
func Extension() []byte { return []byte(extension) }

// Config is the schema of idemgen.yaml.
func Config() []byte { return []byte(config) }
