package sim

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/seed-4fd17b57/simload/report"
	"github.com/seed-4fd17b57/simload/sim/scenario"
)

// withoutMechanism are claims that nothing can be turned off in: their figures are the models'.
var withoutMechanism = []string{"benchmark-10k"}

// TestClaims: every claim's expectations are met, and fail once the mechanism that they are about is
// turned off, by the overrides that the scenario names itself.
func TestClaims(t *testing.T) {
	files, err := filepath.Glob("../scenarios/claims/*.yaml")
	if err != nil || len(files) < 16 {
		t.Fatalf("%d claims, %v", len(files), err)
	}
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".yaml")
		t.Run(name, func(t *testing.T) {
			if s := claimStatus(t, file, nil); s != report.StatusPass {
				t.Errorf("as it is: %s", s)
			}
			off := turnedOff(t, file)
			if slices.Contains(withoutMechanism, name) {
				return
			}
			if len(off) == 0 {
				t.Fatal("it does not say how its mechanism is turned off")
			}
			if s := claimStatus(t, file, off); s != report.StatusFail {
				t.Errorf("with %q: %s", off, s)
			}
		})
	}
}

func claimStatus(t *testing.T, file string, sets []string) string {
	t.Helper()
	sc, err := scenario.Load(file, sets)
	if err != nil {
		t.Fatal(err)
	}
	return mustRun(t, sc, Options{}).Verdict.Status
}

// turnedOff reads the overrides of the line "# off:" in a scenario's head.
func turnedOff(t *testing.T, file string) []string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		if rest, ok := strings.CutPrefix(line, "# off: "); ok {
			return strings.Fields(rest)
		}
	}
	return nil
}
