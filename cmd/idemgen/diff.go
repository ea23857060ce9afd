package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/idemgen/idemgen/cmd/idemgen/internal/report"
	"github.com/idemgen/idemgen/generator"
	"github.com/idemgen/idemgen/generator/diag"
)

func newDiff() *cobra.Command {
	var format *choice
	cmd := &cobra.Command{
		Use:   "diff [flags] BASE REVISION",
		Short: "Tell which changes of contracts hurt clients",
		Long: `diff compares the contracts of two versions of an OpenAPI document and tells,
for each change, who is hurt by it: breaking, risky or fine. It exits with 1
where a change is breaking.

BASE and REVISION are files, or files of a git commit: main:api/openapi.yaml, in
git's own notation, with the path from the repository's root (or ./ from here).`,
		Example: `  idemgen diff old.yaml new.yaml

  # in CI, for a pull request
  idemgen diff --format github origin/main:api/openapi.yaml api/openapi.yaml`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 2 {
				return errors.New("two versions are compared: idemgen diff main:openapi.yaml openapi.yaml")
			}
			return nil
		},
		ValidArgsFunction: specFiles,
		RunE:              func(cmd *cobra.Command, args []string) error { return runDiff(cmd, args[0], args[1], format.word) },
	}
	format = choose(cmd, "format", "how to print changes", findingFormats()...)
	return cmd
}

func runDiff(cmd *cobra.Command, base, revision, format string) error {
	before, err := openVersion(cmd.Context(), base)
	if err != nil {
		return err
	}
	after, err := openVersion(cmd.Context(), revision)
	if err != nil {
		return err
	}
	result, err := generator.Diff(before, after)
	if err != nil {
		return err
	}
	printer := findingPrinter{format: format, rules: reportRules(), lines: linesOf(after)}
	if result.Findings.HasErrors() {
		if err := printer.print(cmd.OutOrStdout(), result.Findings); err != nil {
			return err
		}
		fmt.Fprintf(cmd.ErrOrStderr(), "idemgen: %s in %s, nothing compared\n", countErrors(result.Findings), revision)
		return errFindings
	}
	printer.words, printer.rules = report.Changes(), changeRules()
	if err := printer.print(cmd.OutOrStdout(), result.Changes); err != nil {
		return err
	}
	if format == "text" {
		fmt.Fprintf(cmd.ErrOrStderr(), "idemgen: %s\n", summarizeChanges(result.Changes))
	}
	if result.Changes.HasErrors() {
		return errFindings
	}
	return nil
}

// linesOf returns the lines of a version's files.
func linesOf(v generator.Version) func(file string) []string {
	if v.Read == nil {
		return newSources().lines
	}
	return sourcesFrom(v.Read).lines
}

// changeRules is the catalogue of changes as a report shows it.
func changeRules() []report.Rule {
	var list []report.Rule
	for _, c := range generator.Changes() {
		list = append(list, report.Rule{ID: c.ID, Title: c.Title, Why: hurts(c), Fix: c.Fix, Severity: c.Severity})
	}
	return list
}

func hurts(c generator.Change) string {
	if c.Hurts == "" {
		return "Nobody is hurt."
	}
	return "Hurts " + c.Hurts + "."
}

func summarizeChanges(changes diag.List) string {
	if len(changes) == 0 {
		return "the contracts are the same"
	}
	counts := map[diag.Severity]int{}
	for _, d := range changes {
		counts[d.Severity]++
	}
	var parts []string
	for _, s := range []diag.Severity{diag.Error, diag.Warning, diag.Advice} {
		if counts[s] > 0 {
			parts = append(parts, count(counts[s], report.Changes().Of(s)+" change", report.Changes().Of(s)+" changes"))
		}
	}
	return strings.Join(parts, ", ")
}
