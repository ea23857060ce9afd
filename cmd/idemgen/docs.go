package main

import (
	"github.com/spf13/cobra"

	"github.com/idemgen/idemgen/generator"
)

func newDocs() *cobra.Command {
	var opts generator.DocsOptions
	var format *choice
	cmd := &cobra.Command{
		Use:   "docs [flags] SPEC",
		Short: "Write the page that tells client developers how to send requests again",
		Long: `docs writes a page for client developers from the contracts of a document: how
to send a key, and for each operation what must stay the same, for how long an
answer is kept, what each status means and what to do then, with examples.

The HTML page is one file. It needs no network, and works on a phone, in dark
mode and on paper.`,
		Example: `  idemgen docs openapi.yaml > idempotency.md

  idemgen docs --format html -o public/idempotency.html openapi.yaml`,
		Args:              thisSpec,
		ValidArgsFunction: specFiles,
		RunE: func(cmd *cobra.Command, args []string) error {
			opts.Spec, opts.Format = relativeFile(args[0]), format.word
			return runDocs(cmd, opts)
		},
	}
	format = choose(cmd, "format", "form of the page", "markdown", "html")
	cmd.Flags().StringVarP(&opts.Output, "output", "o", "", "`file` to write (default: standard output)")
	return cmd
}

func runDocs(cmd *cobra.Command, opts generator.DocsOptions) error {
	page, err := generator.Docs(opts)
	if err != nil {
		return err
	}
	if page.Findings.HasErrors() {
		return refuse(cmd, page.Findings)
	}
	if opts.Output != "" {
		return nil
	}
	_, err = cmd.OutOrStdout().Write(page.Text)
	return err
}
