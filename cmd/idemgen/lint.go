package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/spf13/cobra"

	"github.com/idemgen/idemgen/generator"
	"github.com/idemgen/idemgen/generator/diag"
)

// A lintCommand is the command line of lint.
type lintCommand struct {
	config   string
	overlays []string
	format   *choice
	failOn   *choice
}

func newLint() *cobra.Command {
	var c lintCommand
	cmd := &cobra.Command{
		Use:   "lint [flags] SPEC...",
		Short: "Look for mistakes in the contracts of documents",
		Long: `lint reads the contracts of OpenAPI documents and prints what is wrong with
them, what is probably not meant, and which decisions nobody took. It needs no
generated code. Rules are listed in docs/rules.md; idemgen explain RULE tells
more about one.

An error is what generate refuses too. A finding that is not one can be
accepted in idemgen.yaml, by rule and operation.`,
		Example: `  idemgen lint openapi.yaml

  # in CI, as annotations of a pull request
  idemgen lint --format github --fail-on warning api/*.yaml

  # for a code scanning service
  idemgen lint --format sarif --fail-on never openapi.yaml > idemgen.sarif`,
		Args:              someSpecs,
		ValidArgsFunction: specFiles,
		RunE:              func(cmd *cobra.Command, args []string) error { return c.run(cmd, args) },
	}
	cmd.Flags().StringVar(&c.config, "config", "", "configuration `file` (default: idemgen.yaml, if it is there)")
	cmd.Flags().StringArrayVar(&c.overlays, "overlay", nil, "OpenAPI Overlay `file` to apply to each document first; may be repeated")
	c.format = choose(cmd, "format", "how to print findings", findingFormats()...)
	c.failOn = choose(cmd, "fail-on", "exit 1 where there is a finding of this severity or above", "error", "warning", "never")
	return cmd
}

// someSpecs wants at least one argument.
func someSpecs(_ *cobra.Command, args []string) error {
	if len(args) == 0 {
		return errors.New("which OpenAPI documents? Give their files: idemgen lint openapi.yaml")
	}
	return nil
}

func (c *lintCommand) run(cmd *cobra.Command, specs []string) error {
	for i, file := range specs {
		specs[i] = relativeFile(file)
	}
	suppressions, err := c.suppressions()
	if err != nil {
		return err
	}
	findings, err := generator.Lint(generator.LintOptions{Specs: specs, Overlays: c.overlays, Suppressions: suppressions})
	if err != nil {
		return err
	}
	printer := findingPrinter{format: c.format.word, rules: reportRules(), lines: newSources().lines}
	if err := printer.print(cmd.OutOrStdout(), findings); err != nil {
		return err
	}
	if len(findings) > 0 && c.format.word == "text" {
		fmt.Fprintf(cmd.ErrOrStderr(), "idemgen: %s\n", summary(findings))
	}
	if c.fails(findings) {
		return errFindings
	}
	return nil
}

// suppressions are those of the configuration file, none where there is no
// file.
func (c *lintCommand) suppressions() ([]generator.Suppression, error) {
	file := c.config
	if file == "" {
		file = "idemgen.yaml"
		if _, err := os.Stat(file); errors.Is(err, fs.ErrNotExist) {
			return nil, nil
		}
	}
	return generator.ReadSuppressions(file)
}

func (c *lintCommand) fails(findings diag.List) bool {
	for _, d := range findings {
		if c.failOn.word != "never" && (d.Severity == diag.Error || d.Severity == diag.Warning && c.failOn.word == "warning") {
			return true
		}
	}
	return false
}

// summary counts findings by severity.
func summary(findings diag.List) string {
	counts := map[diag.Severity]int{}
	for _, d := range findings {
		counts[d.Severity]++
	}
	return fmt.Sprintf("%s, %s, %s", count(counts[diag.Error], "error"), count(counts[diag.Warning], "warning"),
		count(counts[diag.Advice], "piece of advice", "pieces of advice"))
}

// count writes a number with its noun. Without a plural, it is the noun with s.
func count(n int, noun string, plural ...string) string {
	switch {
	case n == 1:
	case len(plural) > 0:
		noun = plural[0]
	default:
		noun += "s"
	}
	return fmt.Sprintf("%d %s", n, noun)
}
