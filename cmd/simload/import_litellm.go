package main

import (
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/seed-4fd17b57/simload/sim/fleet"
	"github.com/seed-4fd17b57/simload/sim/scenario/litellm"
	"github.com/spf13/cobra"
)

func (a *app) importLitellmCmd() *cobra.Command {
	var f importFlags
	cmd := &cobra.Command{
		Use:        "litellm CONFIG.yaml",
		Short:      "turn the configuration of a LiteLLM proxy into a scenario",
		SuggestFor: []string{"gateway", "proxy"},
		Long: `litellm writes a scenario with the deployments of a LiteLLM proxy as keys with
limits, its groups as models and routes, its fallbacks, retries and cooldowns as the
stack, and a small demand to start with. It names every setting that has no counterpart,
with its line. It reads no environment variable and tells no secret: keys become ids.`,
		Example: `  simload import litellm config.yaml -o gateway.yaml
  simload run gateway.yaml`,
		Args:              oneArg("configuration", "simload import litellm config.yaml"),
		ValidArgsFunction: yamlFiles,
		RunE:              func(_ *cobra.Command, args []string) error { return a.importLitellm(args[0], &f) },
	}
	cmd.Flags().StringVarP(&f.out, "output", "o", "", "write the scenario to `FILE` (default: stdout)")
	cmd.Flags().BoolVar(&f.force, "force", false, "overwrite the file of -o if it exists")
	return cmd
}

func (a *app) importLitellm(path string, f *importFlags) error {
	if err := f.writable(input{path, "the configuration"}); err != nil {
		return err
	}
	data, err := readConfiguration(path)
	if err != nil {
		return usagef("reading a configuration: %w", err).hint("check the path: it is the file that `litellm --config` takes")
	}
	r, err := litellm.Import(path, data)
	var wrong *litellm.Error
	switch {
	case errors.As(err, &wrong):
		return usagef("%w", err)
	case err != nil:
		return err
	}
	text := ""
	for _, n := range r.Notes {
		text += fmt.Sprintf("%s:%d: %s: %s\n", path, n.Line, n.Path, n.Text)
	}
	text += fmt.Sprintf("%s, %s, %s\n", fleet.Number(r.Models, "model"), fleet.Number(r.Keys, "key"), fleet.Number(len(r.Notes), "note"))
	return a.writeImport(f, r.YAML, text, nil)
}

// readConfiguration reads a file, up to a little more than a configuration may have.
func readConfiguration(path string) ([]byte, error) {
	in, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	return io.ReadAll(io.LimitReader(in, litellm.MaxBytes+1))
}
