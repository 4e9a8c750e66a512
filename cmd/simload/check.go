package main

import (
	"fmt"

	"github.com/seed-4fd17b57/simload/sim/scenario"
	"github.com/spf13/cobra"
)

func (a *app) checkCmd() *cobra.Command {
	var sets []string
	cmd := &cobra.Command{
		Use:        "check SCENARIO...",
		Short:      "validate scenarios without running them",
		SuggestFor: []string{"validate", "lint", "verify"},
		Long: `check reads scenarios as run does and says what is wrong with them: the place,
the value found, what is allowed, and a hint. It exits 2 if any is wrong.`,
		Example:           `  simload check scenarios/*.yaml`,
		Args:              someArgs("scenario file", "simload check scenarios/2000-agents.yaml"),
		ValidArgsFunction: yamlFiles,
		RunE: func(_ *cobra.Command, args []string) error {
			for _, path := range args {
				if loaded, ok := a.load([]string{path}, sets); ok {
					fmt.Fprintf(a.stdout, "%s: ok (%s)\n", path, describe(loaded[0]))
				}
			}
			return nil
		},
	}
	cmd.Flags().StringArrayVar(&sets, "set", nil, "override a value of the scenario, as `PATH=VALUE` (repeatable)")
	return cmd
}

func describe(sc *scenario.Scenario) string {
	if n := len(sc.Variants()); n > 1 {
		return fmt.Sprintf("%s, %d variants", sc.Name(), n)
	}
	return sc.Name()
}
