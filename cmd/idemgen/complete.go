package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/idemgen/idemgen/generator"
	"github.com/idemgen/idemgen/generator/diag"
)

func newComplete() *cobra.Command {
	var opts generator.CompleteOptions
	cmd := &cobra.Command{
		Use:   "complete [flags] SPEC",
		Short: "Add to a document what its contracts imply",
		Long: `complete adds what a contract implies and the document does not say: the key
parameter, the answers that refuse a request (400, 409, 422, 503, and 401 where
the key belongs to the caller) with their problem schema, and the reply headers
Idempotent-Replayed and Retry-After. Everything else stays, byte for byte:
comments, order, quotes. A second run changes nothing.

Where the document is not yours to edit, --as-overlay writes an OpenAPI Overlay
1.0 that adds the same.

What stands in another file is named on standard error; the exit code is 1 then.`,
		Example: `  idemgen complete -o openapi.yaml openapi.yaml

  # for output-options: {overlay: {path: idempotency.overlay.yaml}} of oapi-codegen
  idemgen complete --as-overlay -o idempotency.overlay.yaml openapi.yaml`,
		Args:              thisSpec,
		ValidArgsFunction: specFiles,
		RunE: func(cmd *cobra.Command, args []string) error {
			opts.Spec = relativeFile(args[0])
			return runComplete(cmd, opts)
		},
	}
	flags := cmd.Flags()
	flags.BoolVar(&opts.AsOverlay, "as-overlay", false, "write an OpenAPI Overlay instead of the document")
	flags.StringVarP(&opts.Output, "output", "o", "", "`file` to write, which may be SPEC (default: standard output)")
	return cmd
}

// thisSpec wants one argument.
func thisSpec(cmd *cobra.Command, args []string) error {
	if len(args) != 1 {
		return fmt.Errorf("which OpenAPI document? Give one file: %s openapi.yaml", cmd.CommandPath())
	}
	return nil
}

// specFiles completes the names of OpenAPI documents in a shell.
func specFiles(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return []string{"yaml", "yml", "json"}, cobra.ShellCompDirectiveFilterFileExt
}

func runComplete(cmd *cobra.Command, opts generator.CompleteOptions) error {
	result, err := generator.Complete(opts)
	if err != nil {
		return err
	}
	if result.Findings.HasErrors() {
		return refuse(cmd, result.Findings)
	}
	if opts.Output == "" {
		if _, err := cmd.OutOrStdout().Write(result.Text); err != nil {
			return err
		}
	}
	for _, left := range result.Left {
		fmt.Fprintf(cmd.ErrOrStderr(), "idemgen: not added: %s\n", left)
	}
	if len(result.Left) > 0 {
		return errFindings
	}
	return nil
}

// refuse prints what is wrong with the contracts and ends a command that could
// write nothing because of it.
func refuse(cmd *cobra.Command, findings diag.List) error {
	printer := findingPrinter{format: "text", lines: newSources().lines}
	if err := printer.print(cmd.OutOrStdout(), findings); err != nil {
		return err
	}
	fmt.Fprintf(cmd.ErrOrStderr(), "idemgen: %s, nothing written\n", countErrors(findings))
	return errFindings
}
