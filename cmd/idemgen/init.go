package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/idemgen/idemgen/generator"
)

func newInit() *cobra.Command {
	return &cobra.Command{
		Use:   "init [DIR]",
		Short: "Write idemgen.yaml beside an OpenAPI document",
		Long: `init looks for OpenAPI documents and configurations of oapi-codegen in a folder,
the current one by default, and writes an idemgen.yaml with comments into it. It
prints the go:generate lines to paste and the operations that want a contract.
It never overwrites a file.`,
		Example: `  idemgen init

  idemgen init internal/api`,
		Args: cobra.MaximumNArgs(1),
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return nil, cobra.ShellCompDirectiveFilterDirs
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			folder := "."
			if len(args) == 1 {
				folder = args[0]
			}
			start, err := generator.Init(folder)
			if err != nil {
				return err
			}
			return printStart(cmd.OutOrStdout(), folder, start)
		},
	}
}

// printStart tells what to do next.
func printStart(w io.Writer, folder string, start *generator.Start) error {
	var b strings.Builder
	fmt.Fprintf(&b, "wrote %s for %s\n", start.Config, strings.Join(start.Specs, ", "))
	for _, note := range start.Notes {
		fmt.Fprintf(&b, "note: %s\n", note)
	}
	where := "of this folder"
	if folder != "." {
		where = "in " + folder
	}
	fmt.Fprintf(&b, "\nPaste into a Go file %s:\n\n%s\n", where, strings.Join(start.Generate, "\n"))
	if len(start.Wanted) > 0 {
		fmt.Fprintf(&b, "\nThese operations want a contract (x-idempotency: true) or the reason why not ({exempt: \"why\"}):\n\n")
		for _, operation := range start.Wanted {
			fmt.Fprintf(&b, "  %s\n", operation)
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}
