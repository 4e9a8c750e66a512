package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"syscall"
	"time"

	"github.com/seed-4fd17b57/simload/report"
	"github.com/seed-4fd17b57/simload/sim"
	"github.com/seed-4fd17b57/simload/sim/scenario"
	"github.com/spf13/cobra"
)

const issuesURL = "https://github.com/seed-4fd17b57/simload/issues"

// app is one call of simload: its streams, and the parts that tests replace.
type app struct {
	stdin  io.Reader
	stdout io.Writer // a *sink around the real one
	stderr io.Writer
	screen screen

	getenv   func(string) string
	now      func() time.Time
	simulate func(*scenario.Scenario, sim.Options) (*sim.Outcome, error)
	kill     func(code int) // ends the process at once
	code     int            // the worst exit code so far
}

// run executes one command line and returns its exit code.
func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	return newApp(stdin, stdout, stderr).execute(ctx, args)
}

func newApp(stdin io.Reader, stdout, stderr io.Writer) *app {
	return &app{
		stdin: stdin, stdout: &sink{w: stdout}, stderr: stderr,
		screen:   newScreen(stdout, stderr, os.Getenv),
		getenv:   os.Getenv,
		now:      time.Now,
		simulate: sim.Run,
		kill:     os.Exit,
	}
}

// execute runs the verb that args name. A panic anywhere below is an internal error.
func (a *app) execute(ctx context.Context, args []string) (code int) {
	defer func() {
		if p := recover(); p != nil {
			a.panicked(p, debug.Stack())
			code = report.ExitInternal
		}
	}()
	root := a.rootCmd()
	root.SetArgs(args)
	if cmd, err := root.ExecuteContextC(ctx); err != nil {
		a.fail(withHelp(cmd, unknownCommand(root, err)))
	}
	if s, ok := a.stdout.(*sink); ok && s.err != nil && !errors.Is(s.err, syscall.EPIPE) {
		a.fail(fmt.Errorf("writing to stdout: %w", s.err))
	}
	return a.code
}

// fail prints an error and keeps its exit code.
func (a *app) fail(err error) {
	printError(a.stderr, err)
	a.code = report.WorstExit(a.code, codeOf(err))
}

func (a *app) panicked(p any, stack []byte) {
	f := &failure{code: report.ExitInternal, err: fmt.Errorf("internal error: %v", p)}
	f.hint("this is a bug in simload, not in your scenario; please report it with the command and the scenario file: %s", issuesURL)
	if os.Getenv("SIMLOAD_DEBUG") == "1" {
		fmt.Fprintf(a.stderr, "%s\n", stack)
	} else {
		f.hint("SIMLOAD_DEBUG=1 adds the stack trace, which helps")
	}
	a.fail(f)
}

func (a *app) rootCmd() *cobra.Command {
	root := &cobra.Command{
		Use:   "simload",
		Short: "simulate fleets of LLM agents against limited keys",
		Long: `simload runs fleets of LLM agents against a mock upstream that limits, slows
down and fails as providers do, through the client stack that you would ship,
in virtual time: an hour of 2000 agents takes about a second.`,
		Example: `  simload run scenarios/2000-agents.yaml     what will happen to my fleet?
  simload init                               write a scenario to start from
  simload check my.yaml                      is it valid?`,
		SilenceErrors:      true,
		SilenceUsage:       true,
		DisableSuggestions: true, // ours come as hints
		Version:            readBuild().Version,
	}
	root.SetIn(a.stdin)
	root.SetOut(a.stdout)
	root.SetErr(a.stderr)
	root.SetFlagErrorFunc(flagError)
	root.SetVersionTemplate("simload {{.Version}}\n")
	root.AddCommand(
		a.runCmd(), a.planCmd(), a.compareCmd(), a.checkCmd(), a.initCmd(), a.modelsCmd(),
		a.mockCmd(), a.reportCmd(), a.mergeCmd(), a.importCmd(), a.coordinatorCmd(), a.workerCmd(), a.schemaCmd(), a.versionCmd(),
	)
	// Cobra's own two verbs print help and exit 0 when they do not know a word.
	root.SetHelpCommand(helpCmd())
	root.InitDefaultCompletionCmd()
	if cmd, _, err := root.Find([]string{"completion"}); err == nil {
		cmd.Short = "print a completion script for a shell"
		cmd.Args = cobra.ArbitraryArgs
		cmd.RunE = func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return unknown(cmd, args[0])
			}
			return cmd.Help()
		}
	}
	return root
}

func helpCmd() *cobra.Command {
	return &cobra.Command{
		Use:   "help [command]",
		Short: "explain a command",
		RunE: func(cmd *cobra.Command, args []string) error {
			about, rest, _ := cmd.Root().Find(args) // an unknown word is an error and stays in rest
			if len(rest) > 0 {
				return unknown(cmd.Root(), rest[0])
			}
			return about.Help()
		},
	}
}

// unknownCommand turns cobra's error about an unknown command into ours; any other
// error is returned as it is.
func unknownCommand(root *cobra.Command, err error) error {
	var name, parent string
	if n, _ := fmt.Sscanf(err.Error(), "unknown command %q for %q", &name, &parent); n != 2 {
		return err
	}
	return unknown(root, name)
}

// unknown is the error about a word that is no command below cmd, with the nearest as a hint.
func unknown(cmd *cobra.Command, name string) error {
	cmd.SuggestionsMinimumDistance = 2
	f := usagef("unknown command %q", name)
	if near := cmd.SuggestionsFor(name); len(near) > 0 {
		return f.hint("did you mean %s?", quoted(near))
	}
	return f.hint("%q lists the commands", cmd.CommandPath()+" --help")
}

// sink is stdout: it remembers the first error, and swallows what follows, so that
// a reader that went away ("| head") neither kills the run nor changes its verdict.
type sink struct {
	w   io.Writer
	err error
}

// Write implements io.Writer; it never fails.
func (s *sink) Write(p []byte) (int, error) {
	if s.err == nil {
		_, s.err = s.w.Write(p)
	}
	return len(p), nil
}
