// Package spec reads OpenAPI documents, 3.0 and 3.1, YAML and JSON, as far as
// contracts need them: operations in the document's order, what stands in
// their x-idempotency extension, and the parts of requests and responses that
// a contract can name. Everything carries its place in the text.
//
// It walks the parsed text itself and resolves a $ref when somebody asks for
// what is behind it. So a document is parsed once and decoded never, positions
// are those of the text, and a mistake in a part that no contract touches
// hinders nobody. The types of the YAML library stay in this package.
package spec
