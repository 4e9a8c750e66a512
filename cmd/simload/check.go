package main

import (
	"fmt"

	"github.com/seed-4fd17b57/simload/sim"
	"github.com/seed-4fd17b57/simload/sim/scenario"
	"github.com/spf13/cobra"
)

func (a *app) checkCmd() *cobra.Command {
	var sets []string
	cmd := &cobra.Command{
		Use:        "check SCENARIO...",
		Short:      "validate scenarios without running them",
		SuggestFor: []string{"validate", "lint", "verify"},
		Long: `check reads scenarios as run does, and of each trace the beginning, and says what is
wrong with them: the place, the value found, what is allowed, and a hint. It exits 2 if
any is wrong.`,
		Example:           `  simload check scenarios/*.yaml`,
		Args:              someArgs("scenario file", "simload check scenarios/2000-agents.yaml"),
		ValidArgsFunction: yamlFiles,
		RunE: func(_ *cobra.Command, args []string) error {
			for _, path := range args {
				loaded, ok := a.load([]string{path}, sets)
				if !ok {
					continue
				}
				if err := beginTraces(loaded[0]); err != nil {
					a.fail(fmt.Errorf("checking %s: %w", path, err))
					continue
				}
				fmt.Fprintf(a.stdout, "%s: ok (%s)\n", path, describe(loaded[0]))
			}
			return nil
		},
	}
	cmd.Flags().StringArrayVar(&sets, "set", nil, "override a value of the scenario, as `PATH=VALUE` (repeatable)")
	return cmd
}

// beginTraces tells the trace that a run could not begin with, if there is one.
func beginTraces(sc *scenario.Scenario) error {
	if len(sc.Traces()) == 0 {
		return nil
	}
	for _, v := range sc.Variants() {
		set, err := v.Build(sc.Seed())
		if err != nil {
			return err
		}
		for i := range set.Workload.Traces {
			if err := set.Workload.Traces[i].Check(); err != nil {
				return &sim.TraceError{Err: err}
			}
		}
	}
	return nil
}

func describe(sc *scenario.Scenario) string {
	if n := len(sc.Variants()); n > 1 {
		return fmt.Sprintf("%s, %d variants", sc.Name(), n)
	}
	return sc.Name()
}
