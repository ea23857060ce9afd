package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/spf13/cobra"

	"github.com/idemgen/idemgen/cmd/idemgen/internal/report"
	"github.com/idemgen/idemgen/generator"
	"github.com/idemgen/idemgen/generator/diag"
)

// A generateCommand has the flags of generate.
type generateCommand struct {
	opts   generator.Options
	config string
}

func newGenerate() *cobra.Command {
	var c generateCommand
	cmd := &cobra.Command{
		Use:   "generate [flags] [SPEC]",
		Short: "Generate the Go code that keeps the contracts of a document",
		Long: `generate reads the contracts of an OpenAPI document and the strict server that
oapi-codegen has generated from it, and writes idempotency.gen.go beside that
server. Where a contract is wrong it prints every mistake with its place and
writes nothing.

With --server it runs oapi-codegen first, in the version that the module has: as
a tool (go get -tool), as a dependency, or from PATH. Either both files are
written or none.

Without SPEC it goes by the section specs of idemgen.yaml, which gives the flags
of each document. Paths in there count from its folder.`,
		Example: `  idemgen generate openapi.yaml

  # in a Go file of the API's package
  //go:generate go tool oapi-codegen -config oapi-codegen.yaml openapi.yaml
  //go:generate go tool idemgen generate openapi.yaml

  # or both in one
  //go:generate go tool idemgen generate --server oapi-codegen.yaml openapi.yaml

  # for a server that oapi-codegen has not generated
  idemgen generate --middleware --package-name api --output api/idempotency.gen.go openapi.yaml

  # in CI: are the committed files up to date?
  idemgen generate --check openapi.yaml`,
		Args: oneSpec,
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return []string{"yaml", "yml", "json"}, cobra.ShellCompDirectiveFilterFileExt
		},
		RunE: c.run,
	}
	flags := cmd.Flags()
	flags.StringVar(&c.opts.Package, "package", "", "`folder` of oapi-codegen's output (default: the document's folder)")
	flags.StringVar(&c.opts.Output, "output", "", "`file` to write (default: idempotency.gen.go in the package's folder)")
	flags.StringVar(&c.opts.PackageName, "package-name", "", "put the file into a package of its own with this `name`; needs --output")
	flags.StringArrayVar(&c.opts.Overlays, "overlay", nil, "OpenAPI Overlay `file` to apply to the document first; may be repeated")
	flags.StringVar(&c.opts.Server, "server", "", "run oapi-codegen first, with this configuration `file`")
	flags.BoolVar(&c.opts.Middleware, "middleware", false, "generate a net/http middleware instead, for any server: it needs no generated code")
	flags.BoolVar(&c.opts.Check, "check", false, "write nothing; print a diff and exit 1 where files would change")
	flags.StringVar(&c.config, "config", "", "configuration `file` (default: idemgen.yaml, if it is there); for a run without SPEC")
	return cmd
}

// oneSpec wants one argument at most.
func oneSpec(_ *cobra.Command, args []string) error {
	if len(args) > 1 {
		return fmt.Errorf("one OpenAPI document at a time, not %d: several go into idemgen.yaml", len(args))
	}
	return nil
}

func (c *generateCommand) run(cmd *cobra.Command, args []string) error {
	all, err := c.options(cmd, args)
	if err != nil {
		return err
	}
	var failed error
	for _, opts := range all {
		if err := runGenerate(cmd, opts); errors.Is(err, errFindings) {
			failed = err
		} else if err != nil {
			return err
		}
	}
	return failed
}

// options are those of the document in args, or of all in the configuration.
func (c *generateCommand) options(cmd *cobra.Command, args []string) ([]generator.Options, error) {
	if len(args) == 1 {
		if c.config != "" {
			return nil, errors.New("--config lists documents, so it goes without SPEC")
		}
		opts := c.opts
		opts.Spec = args[0]
		return []generator.Options{opts}, nil
	}
	for _, flag := range []string{"package", "output", "package-name", "overlay", "server", "middleware"} {
		if cmd.Flags().Changed(flag) {
			return nil, fmt.Errorf("--%s needs a SPEC; for documents of the configuration it stands in there", flag)
		}
	}
	file := c.config
	if file == "" {
		file = defaultConfig
		if _, err := os.Stat(file); errors.Is(err, fs.ErrNotExist) {
			return nil, errors.New("which OpenAPI document? Give its file: idemgen generate openapi.yaml")
		}
	}
	all, err := generator.ReadSpecs(file)
	for i := range all {
		all[i].Check = c.opts.Check
	}
	return all, err
}

// defaultConfig is the configuration file, in the working directory.
const defaultConfig = "idemgen.yaml"

func runGenerate(cmd *cobra.Command, opts generator.Options) error {
	result, err := generator.Generate(opts)
	if err != nil {
		return err
	}
	if result.ServerLog != "" {
		fmt.Fprintf(cmd.ErrOrStderr(), "oapi-codegen: %s\n", result.ServerLog)
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
