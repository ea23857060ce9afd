package main

import "github.com/spf13/cobra"

func newRoot() *cobra.Command {
	root := &cobra.Command{
		Use:   "idemgen",
		Short: "Idempotency contracts for OpenAPI servers in Go",
		Long: `idemgen reads idempotency contracts (x-idempotency) from an OpenAPI document
and generates Go code that keeps them, around a strict server that
oapi-codegen has generated: a request that is sent twice takes effect once,
and both get the same answer.

Exit codes: 0 clean; 1 findings, or files that are not up to date; 2 the job
could not be done (unreadable input, bad flags). Findings go to standard
output, everything else to standard error.`,
		SilenceUsage:  true,
		SilenceErrors: true,
	}
	root.AddCommand(newGenerate(), newLint(), newExplain(), newDiff(), newVersion())
	root.AddCommand(newComplete(), newDocs(), newInit(), newSchema())
	return root
}
