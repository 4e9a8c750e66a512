package main

import (
	"bytes"
	"fmt"

	"github.com/seed-4fd17b57/simload/sim/scenario"
	"github.com/spf13/cobra"
)

func (a *app) schemaCmd() *cobra.Command {
	return &cobra.Command{
		Use:   "schema",
		Short: "print the JSON Schema of scenarios",
		Long: `schema prints the JSON Schema (draft 2020-12) of scenario files, for editors that
complete and check YAML. Put this line on top of a scenario:

  # yaml-language-server: $schema=scenario.schema.json`,
		Example: `  simload schema > scenario.schema.json`,
		Args:    noArgs,
		RunE: func(*cobra.Command, []string) error {
			fmt.Fprintf(a.stdout, "%s\n", bytes.TrimRight(scenario.Schema(), "\n"))
			return nil
		},
	}
}
