// Package render prints view models: the templates of the folder templates,
// then gofmt. It decides nothing; the same model gives the same bytes.
package render
