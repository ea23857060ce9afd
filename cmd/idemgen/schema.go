package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/idemgen/idemgen/generator/schema"
)

func newSchema() *cobra.Command {
	names := []string{"extension", "config", "spectral"}
	return &cobra.Command{
		Use:   "schema extension|config|spectral",
		Short: "Print a JSON Schema of the extension or of idemgen.yaml, or a ruleset for Spectral",
		Long: `schema prints what other tools need to know idemgen's inputs:

  extension  a JSON Schema (draft-07) of an OpenAPI document as far as its
             contracts go, for editors
  config     a JSON Schema (draft-07) of idemgen.yaml, for editors
  spectral   a ruleset for Spectral, whose rules are named as those of lint`,
		Example: `  idemgen schema extension > idempotency.schema.json

  # first line of openapi.yaml
  # yaml-language-server: $schema=idempotency.schema.json

  idemgen schema spectral > idempotency.spectral.json`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return fmt.Errorf("which schema? One of %s", strings.Join(names, ", "))
			}
			return nil
		},
		ValidArgs: names,
		RunE: func(cmd *cobra.Command, args []string) error {
			text, err := schemaText(args[0])
			if err != nil {
				return err
			}
			_, err = cmd.OutOrStdout().Write(text)
			return err
		},
	}
}

func schemaText(name string) ([]byte, error) {
	switch name {
	case "extension":
		return schema.Extension(), nil
	case "config":
		return schema.Config(), nil
	case "spectral":
		return schema.Spectral()
	}
	return nil, fmt.Errorf("no such schema: %q; there are extension, config and spectral", name)
}
