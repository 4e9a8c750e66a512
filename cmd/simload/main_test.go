package main

import (
	"context"
	"errors"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

var update = flag.Bool("update", false, "rewrite the expected files inside the scripts")

// TestMain puts a program "simload" on the PATH of scripts and tests: this test binary.
func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"simload": main})
}

// TestScripts runs every path of the command line as a user would.
func TestScripts(t *testing.T) {
	action, err := filepath.Abs(actionDir)
	if err != nil {
		t.Fatal(err)
	}
	p := testscript.Params{
		Setup: func(e *testscript.Env) error {
			e.Setenv("ACTION", action)
			return nil
		},
		Dir:                 "testdata/script",
		UpdateScripts:       *update,
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exits": exits, "grow": grow, "size": size,
		},
	}
	if testing.Short() { // a hundred processes take their time under the race detector
		p.Dir, p.Files = "", []string{"testdata/script/run.txtar"}
	}
	testscript.Run(t, p)
}

// exits N PROGRAM ARGS... runs a program that must end with exit code N.
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits code program [args...]")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	got := 0
	var exit *exec.ExitError
	if err := ts.Exec(args[1], args[2:]...); errors.As(err, &exit) {
		got = exit.ExitCode()
	} else {
		ts.Check(err)
	}
	if got != want {
		ts.Fatalf("exit code %d, want %d", got, want)
	}
}

// grow FILE N adds bytes to a file until it has N.
func grow(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: grow file bytes")
	}
	to, err := strconv.ParseInt(args[1], 10, 64)
	ts.Check(err)
	ts.Check(os.Truncate(ts.MkAbs(args[0]), to))
}

// size FILE N fails when a file has more than N bytes.
func size(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: size file bytes")
	}
	most, err := strconv.ParseInt(args[1], 10, 64)
	ts.Check(err)
	info, err := os.Stat(ts.MkAbs(args[0]))
	ts.Check(err)
	if info.Size() > most {
		ts.Fatalf("%s has %d bytes, more than %d", args[0], info.Size(), most)
	}
}

// Ensure the whole program is reachable without a process: streams in, code out.
func TestRunReturnsTheExitCode(t *testing.T) {
	null, err := os.Open(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	defer null.Close()
	var out, errs buffer
	if code := run(context.Background(), []string{"version"}, null, &out, &errs); code != 0 || errs.String() != "" {
		t.Errorf("version: code %d, stderr %q", code, errs.String())
	}
	if code := run(context.Background(), []string{"versoin"}, null, &out, &errs); code != 2 {
		t.Errorf("versoin: code %d, want 2", code)
	}
}
