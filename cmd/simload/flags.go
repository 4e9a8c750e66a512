package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

// choice is a flag value that is one of a few words.
type choice struct {
	value   string
	allowed []string
}

// String implements pflag.Value.
func (c *choice) String() string { return c.value }

// Type implements pflag.Value; help shows it.
func (c *choice) Type() string { return strings.Join(c.allowed, "|") }

// Set implements pflag.Value.
func (c *choice) Set(s string) error {
	if !slices.Contains(c.allowed, s) {
		return fmt.Errorf("not one of %s", strings.Join(c.allowed, ", "))
	}
	c.value = s
	return nil
}

// formatFlag adds --format; the first of the allowed words is the default.
func formatFlag(cmd *cobra.Command, usage string, allowed ...string) *choice {
	c := &choice{value: allowed[0], allowed: allowed}
	cmd.Flags().Var(c, "format", usage)
	if err := cmd.RegisterFlagCompletionFunc("format", cobra.FixedCompletions(allowed, cobra.ShellCompDirectiveNoFileComp)); err != nil {
		panic(err) // only when the flag does not exist
	}
	return c
}

// quoted lists words as "a", "b" or "c".
func quoted(words []string) string {
	var b strings.Builder
	for i, w := range words {
		switch {
		case i > 0 && i == len(words)-1:
			b.WriteString(" or ")
		case i > 0:
			b.WriteString(", ")
		}
		fmt.Fprintf(&b, "%q", w)
	}
	return b.String()
}

// noArgs, oneArg and someArgs check the number of arguments.
func noArgs(cmd *cobra.Command, args []string) error {
	if len(args) > 0 {
		return usagef("%s takes no argument, found %q", cmd.Name(), args[0])
	}
	return nil
}

func oneArg(what, example string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) > 1 {
			return usagef("%s takes one %s, found %d", cmd.Name(), what, len(args)).hint("try: %s", example)
		}
		return someArgs(what, example)(cmd, args)
	}
}

func someArgs(what, example string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) == 0 {
			return usagef("%s needs a %s", cmd.Name(), what).hint("try: %s", example)
		}
		return nil
	}
}

// yamlFiles completes the names of scenario files.
func yamlFiles(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return []string{"yaml", "yml"}, cobra.ShellCompDirectiveFilterFileExt
}
