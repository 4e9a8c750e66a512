package main

import (
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// goName is what no user should have to read: a type of Go's, or a function of its library.
var goName = regexp.MustCompile(`\b(u?int[0-9]*|strings?|stringArray|stringSlice|float[0-9]*|strconv|ParseFloat)\b`)

// Ensure every flag of every verb says in words what it wants: where it is explained, where its value is missing, and where
// its value is wrong; with a hint, and with its default told once.
func TestFlagsSayWhatTheyWant(t *testing.T) {
	a := newApp(os.Stdin, io.Discard, io.Discard)
	checked := 0
	var visit func(cmd *cobra.Command)
	visit = func(cmd *cobra.Command) {
		cmd.Flags().VisitAll(func(f *pflag.Flag) {
			name, usage := pflag.UnquoteUsage(f)
			if goName.MatchString(name) && placeholder(f) == name {
				t.Errorf("%s --%s: the placeholder is %q", cmd.CommandPath(), f.Name, name)
			}
			one := pflag.NewFlagSet("one", pflag.ContinueOnError)
			one.AddFlag(f)
			if n := strings.Count(one.FlagUsages(), "(default"); n > 1 {
				t.Errorf("%s --%s: %d defaults: %s", cmd.CommandPath(), f.Name, n, usage)
			}
			for _, args := range [][]string{{"--" + f.Name}, {"--" + f.Name + "=?"}, {"--" + f.Name + "=-1.5"}} {
				err := cmd.Flags().Parse(args)
				if err == nil {
					continue // any text will do, here
				}
				checked++
				said := flagError(cmd, err).Error()
				if goName.MatchString(said) || len(hintsOf(flagError(cmd, err))) == 0 {
					t.Errorf("%s %s: %s, hints %q", cmd.CommandPath(), args[0], said, hintsOf(flagError(cmd, err)))
				}
			}
		})
		for _, c := range cmd.Commands() {
			visit(c)
		}
	}
	visit(a.rootCmd())
	if checked < 100 {
		t.Errorf("%d errors: too few to be all", checked)
	}
}

// Ensure the hint of a file says which part of its path is at fault.
func TestFileHints(t *testing.T) {
	dir := t.TempDir()
	file, closed := filepath.Join(dir, "f"), filepath.Join(dir, "closed")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(closed, 0o500); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ path, read, write string }{
		{filepath.Join(dir, "none"), "check the name: there is no such file in " + dir, ""},
		{filepath.Join(dir, "no", "f"), "the directory " + filepath.Join(dir, "no") + " does not exist", "the directory " + filepath.Join(dir, "no") + " does not exist; create it first"},
		{filepath.Join(closed, "f"), "", "you may not write there; name a file in a directory of yours"},
	} {
		if c.read != "" {
			_, err := os.ReadFile(c.path)
			if got := unreadable("x", c.path, err); len(got.hints) != 1 || got.hints[0] != c.read {
				t.Errorf("reading %s: %v, hints %q", c.path, got, got.hints)
			}
		}
		if c.write == "" || c.path == filepath.Join(closed, "f") && os.Geteuid() == 0 {
			continue // who may do everything is refused nothing
		}
		o, err := createFile(c.path)
		if err == nil {
			o.discard()
		}
		if hints := hintsOf(err); len(hints) != 1 || hints[0] != c.write {
			t.Errorf("writing %s: %v, hints %q", c.path, err, hints)
		}
	}
	if got := writeHint(file, os.ErrPermission); got != "you may not write there; name a file in a directory of yours" {
		t.Errorf("permission: %q", got)
	}
	if got := fileHint(file, os.ErrPermission); !strings.Contains(got, "you may not read it") {
		t.Errorf("permission: %q", got)
	}
	// Whatever reads a file, the hint is there.
	_, err := os.Open(filepath.Join(dir, "none"))
	if hints := hintsOf(usagef("reading a thing: %w", err)); len(hints) != 1 {
		t.Errorf("hints %q", hints)
	}
}
