package report

import (
	"encoding/json"
	"io"

	"github.com/idemgen/idemgen/generator/diag"
)

// finding is the JSON form of a finding.
type finding struct {
	Rule      string `json:"rule"`
	Severity  string `json:"severity"`
	File      string `json:"file"`
	Line      int    `json:"line"` // from 1
	Column    int    `json:"column"`
	EndLine   int    `json:"endLine"`
	EndColumn int    `json:"endColumn"`
	Operation string `json:"operation"`
	Message   string `json:"message"`
	Hint      string `json:"hint"`
	Hurts     string `json:"hurts,omitempty"`
}

// JSON prints findings as an array, which is empty where there is none.
func JSON(w io.Writer, findings diag.List, words Words) error {
	list := make([]finding, 0, len(findings))
	for _, d := range findings {
		list = append(list, finding{
			Rule: d.Rule, Severity: words.Of(d.Severity), File: d.Range.File,
			Line: d.Range.Start.Line, Column: d.Range.Start.Column, EndLine: d.Range.End.Line, EndColumn: d.Range.End.Column,
			Operation: d.Operation, Message: d.Message, Hint: d.Hint, Hurts: d.Hurts,
		})
	}
	return Value(w, list)
}

// Value prints a value as JSON, indented.
func Value(w io.Writer, value any) error {
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	return encoder.Encode(value)
}
