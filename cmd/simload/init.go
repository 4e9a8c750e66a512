package main

import (
	"fmt"
	"os"

	"github.com/seed-4fd17b57/simload/sim/scenario"
	"github.com/spf13/cobra"
)

func (a *app) initCmd() *cobra.Command {
	const path = "scenario.yaml"
	var force bool
	cmd := &cobra.Command{
		Use:        "init [FILE]",
		Short:      "write a commented scenario to start from",
		SuggestFor: []string{"new", "create"},
		Long: `init writes a small scenario that runs, with every section explained, to
scenario.yaml or the file you name. It does not overwrite a file.`,
		Example: `  simload init
  simload init mine.yaml`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 1 {
				return usagef("init writes one file, found %d names", len(args))
			}
			return nil
		},
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) == 1 {
				return a.writeStarter(args[0], force)
			}
			return a.writeStarter(path, force)
		},
	}
	cmd.Flags().BoolVar(&force, "force", false, "overwrite the file if it exists")
	return cmd
}

func (a *app) writeStarter(path string, force bool) error {
	if _, err := os.Lstat(path); err == nil && !force && !isDir(path) {
		return usagef("%s exists already", path).hint("name another file, or overwrite it with --force")
	}
	o, err := createFile(path)
	if err != nil {
		return err
	}
	defer o.discard()
	if _, err := o.buf.Write(scenario.Starter()); err != nil {
		return fmt.Errorf("writing %s: %w", path, err)
	}
	if err := o.commit(); err != nil {
		return err
	}
	fmt.Fprintf(a.stdout, "wrote %s; now try: simload run %s\n", path, path)
	return nil
}
