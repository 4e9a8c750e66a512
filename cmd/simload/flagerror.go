package main

import (
	"cmp"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/seed-4fd17b57/simload/report"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// flagError turns an error of the flag parser into a usage error that says what is allowed.
func flagError(cmd *cobra.Command, err error) error {
	var (
		unknown  *pflag.NotExistError
		missing  *pflag.ValueRequiredError
		wrong    *pflag.InvalidValueError
		usageFor = fmt.Sprintf("%q lists the flags", cmd.CommandPath()+" --help")
	)
	switch {
	case errors.As(err, &unknown) && unknown.GetSpecifiedShortnames() != "":
		return usagef("unknown flag -%s", unknown.GetSpecifiedName()).hint("%s", usageFor)
	case errors.As(err, &unknown):
		name := unknown.GetSpecifiedName()
		f := usagef("unknown flag --%s", name)
		if near := nearestFlags(cmd, name); len(near) > 0 {
			return f.hint("did you mean %s?", quoted(near))
		}
		return f.hint("%s", usageFor)
	case errors.As(err, &missing):
		f := missing.GetFlag()
		return usagef("flag --%s needs a value (%s)", f.Name, placeholder(f)).hint("%s", usageFor)
	case errors.As(err, &wrong):
		allowed, hint := expected(wrong.GetFlag(), wrong.GetValue())
		return usagef("--%s: %q is not %s", wrong.GetFlag().Name, wrong.GetValue(), allowed).hint("%s", hint)
	}
	return usagef("%w", err).hint("%s", usageFor)
}

// expected says in words what the values of a flag are, and how to mend the one that was found.
func expected(f *pflag.Flag, found string) (allowed, hint string) {
	if c, ok := f.Value.(*choice); ok {
		return "one of " + strings.Join(c.allowed, ", "), pickHint(found, c.allowed)
	}
	switch f.Value.Type() {
	case "uint64":
		return "a whole number from 0 to 18446744073709551615", wholeHint(found)
	case "int":
		return "a whole number", wholeHint(found)
	case "float64":
		return "a number", "write a decimal such as 0.05"
	case "duration":
		return "a duration such as 10s, 5m or 1h30m", durationHint(found)
	case "bool":
		return "true or false", "leave the value out: --" + f.Name
	}
	return "a " + placeholder(f), "see what --help says of --" + f.Name
}

// placeholder stands for the value of a flag, as in its help.
func placeholder(f *pflag.Flag) string {
	name, _ := pflag.UnquoteUsage(f)
	if name == "string" { // a type of Go's: its help names none
		return "TEXT"
	}
	return name
}

// pickHint names the nearest of the words that are allowed.
func pickHint(found string, allowed []string) string {
	return cmp.Or(report.DidYouMean(found, allowed), "pick one of them")
}

func wholeHint(found string) string {
	_, err := strconv.ParseFloat(found, 64)
	switch {
	case err == nil && strings.HasPrefix(found, "-"):
		return "remove the minus sign"
	case err == nil && strings.Contains(found, "."):
		return "write it without a fraction"
	}
	return "write digits alone, such as 3"
}

func durationHint(found string) string {
	if _, err := strconv.ParseFloat(found, 64); err == nil {
		return "write " + strings.TrimPrefix(found, "-") + "s for seconds"
	}
	return "units are ns, us, ms, s, m and h; a day is 24h"
}

// inRange checks the whole number that a flag was given.
func inRange(flag string, found, least, most int) error {
	f := usagef("--%s: %d is not from %d to %d", flag, found, least, most)
	switch {
	case found < 0:
		return f.hint("remove the minus sign")
	case found < least:
		return f.hint("the smallest is %d", least)
	case found > most:
		return f.hint("the largest is %d", most)
	}
	return nil
}

// nearestFlags measures with the same distance as cobra does for commands.
func nearestFlags(cmd *cobra.Command, name string) []string {
	names := &cobra.Command{SuggestionsMinimumDistance: 2}
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		names.AddCommand(&cobra.Command{Use: f.Name, Run: func(*cobra.Command, []string) {}})
	})
	near := names.SuggestionsFor(name)
	for i := range near {
		near[i] = "--" + near[i]
	}
	return near
}
