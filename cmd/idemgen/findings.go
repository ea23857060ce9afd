package main

import (
	"io"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"

	"github.com/idemgen/idemgen/cmd/idemgen/internal/report"
	"github.com/idemgen/idemgen/generator"
	"github.com/idemgen/idemgen/generator/diag"
)

// findingFormats are the formats in which findings are printed; the first one is
// the default.
func findingFormats() []string { return []string{"text", "json", "sarif", "github"} }

// A findingPrinter prints findings in a format.
type findingPrinter struct {
	format string
	words  report.Words
	rules  []report.Rule
	lines  func(file string) []string
}

func (p findingPrinter) print(w io.Writer, findings diag.List) error {
	switch p.format {
	case "json":
		return report.JSON(w, findings, p.words)
	case "sarif":
		return report.SARIF(w, report.Tool{Version: moduleVersion(), Rules: p.rules}, findings, p.lines)
	case "github":
		return report.GitHub(w, findings)
	}
	return report.Style{Color: colored(w), Words: p.words}.Text(w, findings, p.lines)
}

// reportRules is the catalogue as a report shows it.
func reportRules() []report.Rule {
	var list []report.Rule
	for _, r := range generator.Rules() {
		list = append(list, report.Rule{ID: r.ID, Title: r.Title, Why: r.Why, Fix: r.Fix, Severity: r.Severity})
	}
	return list
}

// moduleVersion is the version that the program was built from, "" for unknown.
func moduleVersion() string {
	info, ok := debug.ReadBuildInfo()
	if !ok || info.Main.Version == "(devel)" {
		return ""
	}
	return info.Main.Version
}

// relativeFile is the slash path of a file from the working directory, so that
// reports do not depend on where a project lies. What is outside of it stays.
func relativeFile(file string) string {
	if !filepath.IsAbs(file) {
		return filepath.ToSlash(filepath.Clean(file))
	}
	wd, err := os.Getwd()
	if err != nil {
		return file
	}
	rel, err := filepath.Rel(wd, file)
	if err != nil || rel == ".." || strings.HasPrefix(filepath.ToSlash(rel), "../") {
		return file
	}
	return filepath.ToSlash(rel)
}
