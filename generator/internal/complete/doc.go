// Package complete works out what the contracts of an OpenAPI document imply
// and the document does not say, and adds it: to the text, of which every byte
// stays, or as an OpenAPI Overlay.
//
// A document is read into a tree in which every node knows where its text
// stands. What is missing is planned as updates, mappings to merge into a place
// of the document, which is how an Overlay says it too.
package complete
