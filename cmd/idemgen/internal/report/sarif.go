package report

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"net/url"
	"slices"
	"strings"

	"github.com/idemgen/idemgen/generator/diag"
)

// A Tool is what SARIF says about the program that found something.
type Tool struct {
	Version string // "" for unknown
	Rules   []Rule // all rules that findings can be of
}

// A Rule is what SARIF says about a rule.
type Rule struct {
	ID, Title, Why, Fix string
	Severity            diag.Severity
}

// SARIF prints findings in the Static Analysis Results Interchange Format
// 2.1.0. Files keep the relative paths that they are given with. A finding's
// fingerprint stays the same when lines are added above it.
func SARIF(w io.Writer, tool Tool, findings diag.List, lines func(file string) []string) error {
	run := sarifRun{ColumnKind: "unicodeCodePoints", Results: []sarifResult{}}
	run.Tool.Driver = sarifDriver{Name: "idemgen", Version: tool.Version, Rules: []sarifRule{}}
	for _, rule := range tool.Rules {
		run.Tool.Driver.Rules = append(run.Tool.Driver.Rules, newSarifRule(rule))
	}
	prints := fingerprints{lines: lines, seen: map[string]int{}}
	for _, d := range findings {
		result := newSarifResult(d, prints.of(d))
		if i := slices.IndexFunc(tool.Rules, func(r Rule) bool { return r.ID == d.Rule }); i >= 0 {
			result.RuleIndex = &i
		}
		run.Results = append(run.Results, result)
	}
	return Value(w, sarifLog{
		Schema:  "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json",
		Version: "2.1.0",
		Runs:    []sarifRun{run},
	})
}

// The parts of the format that findings need, named as in its specification.
type (
	sarifLog struct {
		Schema  string     `json:"$schema"`
		Version string     `json:"version"`
		Runs    []sarifRun `json:"runs"`
	}
	sarifRun struct {
		Tool struct {
			Driver sarifDriver `json:"driver"`
		} `json:"tool"`
		ColumnKind string        `json:"columnKind"`
		Results    []sarifResult `json:"results"`
	}
	sarifDriver struct {
		Name    string      `json:"name"`
		Version string      `json:"version,omitempty"`
		Rules   []sarifRule `json:"rules"`
	}
	sarifRule struct {
		ID      string    `json:"id"`
		Short   sarifText `json:"shortDescription"`
		Full    sarifText `json:"fullDescription"`
		Help    sarifText `json:"help"`
		Default struct {
			Level string `json:"level"`
		} `json:"defaultConfiguration"`
	}
	sarifText struct {
		Text string `json:"text"`
	}
	sarifResult struct {
		RuleID       string            `json:"ruleId"`
		RuleIndex    *int              `json:"ruleIndex,omitempty"`
		Level        string            `json:"level"`
		Message      sarifText         `json:"message"`
		Locations    []sarifLocation   `json:"locations"`
		Fingerprints map[string]string `json:"partialFingerprints"`
	}
	sarifLocation struct {
		Physical struct {
			Artifact struct {
				URI string `json:"uri"`
			} `json:"artifactLocation"`
			Region sarifRegion `json:"region"`
		} `json:"physicalLocation"`
		Logical []sarifLogical `json:"logicalLocations,omitempty"`
	}
	sarifRegion struct {
		StartLine   int `json:"startLine"`
		StartColumn int `json:"startColumn"`
		EndLine     int `json:"endLine"`
		EndColumn   int `json:"endColumn"`
	}
	sarifLogical struct {
		Name string `json:"name"`
	}
)

func newSarifRule(rule Rule) sarifRule {
	r := sarifRule{ID: rule.ID, Short: sarifText{rule.Title}, Full: sarifText{rule.Why}, Help: sarifText{rule.Fix}}
	r.Default.Level = sarifLevel(rule.Severity)
	return r
}

func newSarifResult(d diag.Diagnostic, fingerprint string) sarifResult {
	result := sarifResult{
		RuleID: d.Rule, Level: sarifLevel(d.Severity), Message: sarifText{message(d)},
		Fingerprints: map[string]string{"idemgen/v1": fingerprint},
	}
	var at sarifLocation
	at.Physical.Artifact.URI = fileURI(d.Range.File)
	at.Physical.Region = sarifRegion{d.Range.Start.Line, d.Range.Start.Column, d.Range.End.Line, d.Range.End.Column}
	if d.Operation != "" {
		at.Logical = []sarifLogical{{d.Operation}}
	}
	result.Locations = []sarifLocation{at}
	return result
}

func sarifLevel(s diag.Severity) string {
	switch s {
	case diag.Error:
		return "error"
	case diag.Warning:
		return "warning"
	}
	return "note"
}

// fileURI is a slash path as a URI reference (RFC 3986): relative where the
// path is.
func fileURI(file string) string {
	if strings.HasPrefix(file, "/") {
		return (&url.URL{Scheme: "file", Path: file}).String()
	}
	return (&url.URL{Path: file}).String()
}

// fingerprints tells findings apart without their line numbers: by rule, file,
// operation and the text that is marked, and by a count where those are equal.
type fingerprints struct {
	lines func(file string) []string
	seen  map[string]int
}

func (f *fingerprints) of(d diag.Diagnostic) string {
	identity := strings.Join([]string{d.Rule, d.Range.File, d.Operation, f.text(d.Range)}, "\x00")
	n := f.seen[identity]
	f.seen[identity]++
	sum := sha256.Sum256(fmt.Appendf(nil, "%s\x00%d", identity, n))
	return hex.EncodeToString(sum[:16])
}

// text is what a range marks in its first line.
func (f *fingerprints) text(r diag.Range) string {
	lines := f.lines(r.File)
	if r.Start.Line < 1 || r.Start.Line > len(lines) {
		return ""
	}
	line := []rune(lines[r.Start.Line-1])
	from, to := min(r.Start.Column-1, len(line)), len(line)
	if r.End.Line == r.Start.Line {
		to = min(max(r.End.Column-1, from), len(line))
	}
	return strings.TrimSpace(string(line[max(from, 0):to]))
}
