// Package lint looks at contracts that could be kept as they stand, and tells
// what their authors probably did not mean. What cannot be kept at all is an
// error of the contract stage.
package lint
