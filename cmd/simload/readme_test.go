package main

import (
	"fmt"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/seed-4fd17b57/simload/report"
	"github.com/spf13/pflag"
)

// Ensure the README's tables name every verb, every flag of run (those of NATS by their beginning), and every exit code in the
// order in which they win.
func TestReadmeNamesVerbsFlagsAndCodes(t *testing.T) {
	readme := read(t, "../../README.md")
	root := newApp(os.Stdin, io.Discard, io.Discard).rootCmd()
	for _, cmd := range root.Commands() {
		if name := "simload " + cmd.Name(); cmd.Name() != "help" && !strings.Contains(readme, name+" ") && !strings.Contains(readme, name+"`") {
			t.Errorf("no %s", name)
		}
	}
	verb, _, err := root.Find([]string{"run"})
	if err != nil {
		t.Fatal(err)
	}
	_, flags, _ := strings.Cut(readme, "Flags of `run`")
	flags, codes, found := strings.Cut(flags, "Exit codes;")
	codes, _, end := strings.Cut(codes, "\n#")
	if !found || !end {
		t.Fatal("the README has no list of flags or codes")
	}
	verb.Flags().VisitAll(func(f *pflag.Flag) {
		name := "`--" + f.Name
		switch {
		case f.Name == "output":
			name = "`-o "
		case strings.HasPrefix(f.Name, "nats-"):
			name = "`--nats-..."
		}
		if f.Name != "help" && !strings.Contains(flags, name) {
			t.Errorf("no %s among the flags of run", name)
		}
	})
	at := 0
	for _, code := range []int{
		report.ExitInternal, report.ExitUsage, report.ExitInterrupted, report.ExitInvalid, report.ExitFail, report.ExitRegression, report.ExitPass,
	} {
		i := strings.Index(codes[at:], fmt.Sprintf("\n| %d | ", code))
		if i < 0 {
			t.Fatalf("code %d is not there, or not in its place", code)
		}
		at += i
	}
}
