package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/idemgen/idemgen/cmd/idemgen/internal/report"
	"github.com/idemgen/idemgen/generator"
	"github.com/idemgen/idemgen/generator/diag"
)

func newGenerate() *cobra.Command {
	var opts generator.Options
	cmd := &cobra.Command{
		Use:   "generate [flags] SPEC",
		Short: "Generate the Go code that keeps the contracts of a document",
		Long: `generate reads the contracts of an OpenAPI document and the strict server that
oapi-codegen has generated from it, and writes idempotency.gen.go beside that
server. Where a contract is wrong it prints every mistake with its place and
writes nothing.`,
		Example: `  idemgen generate openapi.yaml

  # in a Go file of the API's package
  //go:generate go tool oapi-codegen -config oapi-codegen.yaml openapi.yaml
  //go:generate go tool idemgen generate openapi.yaml

  # in CI: is the committed file up to date?
  idemgen generate --check openapi.yaml`,
		Args: oneSpec,
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return []string{"yaml", "yml", "json"}, cobra.ShellCompDirectiveFilterFileExt
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			opts.Spec = args[0]
			return runGenerate(cmd, opts)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&opts.Package, "package", "", "`folder` of oapi-codegen's output (default: the document's folder)")
	flags.StringVar(&opts.Output, "output", "", "`file` to write (default: idempotency.gen.go in the package's folder)")
	flags.StringVar(&opts.PackageName, "package-name", "", "put the file into a package of its own with this `name`; needs --output")
	flags.StringArrayVar(&opts.Overlays, "overlay", nil, "OpenAPI Overlay `file` to apply to the document first; may be repeated")
	flags.BoolVar(&opts.Check, "check", false, "write nothing; print a diff and exit 1 where the file would change")
	return cmd
}

// oneSpec wants one argument.
func oneSpec(_ *cobra.Command, args []string) error {
	switch {
	case len(args) == 0:
		return errors.New("which OpenAPI document? Give its file: idemgen generate openapi.yaml")
	case len(args) > 1:
		return fmt.Errorf("one OpenAPI document at a time, not %d", len(args))
	}
	return nil
}

func runGenerate(cmd *cobra.Command, opts generator.Options) error {
	result, err := generator.Generate(opts)
	if err != nil {
		return err
	}
	if err := report.Text(cmd.OutOrStdout(), result.Findings, newSources().lines); err != nil {
		return err
	}
	if result.Findings.HasErrors() {
		fmt.Fprintf(cmd.ErrOrStderr(), "idemgen: %s, nothing written\n", countErrors(result.Findings))
		return errFindings
	}
	if len(result.Diff) > 0 {
		if _, err := cmd.OutOrStdout().Write(result.Diff); err != nil {
			return err
		}
		return errFindings
	}
	return nil
}

func countErrors(findings diag.List) string {
	n := 0
	for _, d := range findings {
		if d.Severity == diag.Error {
			n++
		}
	}
	if n == 1 {
		return "1 error"
	}
	return fmt.Sprintf("%d errors", n)
}
