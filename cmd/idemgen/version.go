package main

import (
	"fmt"
	"io"
	"runtime/debug"

	"github.com/spf13/cobra"
)

func newVersion() *cobra.Command {
	return &cobra.Command{
		Use:     "version",
		Short:   "Print the version of idemgen and of the Go that built it",
		Example: "  idemgen version",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			info, ok := debug.ReadBuildInfo()
			if !ok {
				return fmt.Errorf("this binary was built without build information")
			}
			return printVersion(cmd.OutOrStdout(), info)
		},
	}
}

// printVersion prints the module's version, the commit where it is known, and
// Go's version.
func printVersion(w io.Writer, info *debug.BuildInfo) error {
	version := info.Main.Version
	if version == "" {
		version = "(devel)"
	}
	commit := ""
	for _, setting := range info.Settings {
		switch {
		case setting.Key == "vcs.revision":
			commit = " " + setting.Value[:min(12, len(setting.Value))] + commit
		case setting.Key == "vcs.modified" && setting.Value == "true":
			commit += " modified"
		}
	}
	_, err := fmt.Fprintf(w, "idemgen %s%s %s\n", version, commit, info.GoVersion)
	return err
}
