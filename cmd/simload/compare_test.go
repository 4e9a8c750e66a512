package main

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seed-4fd17b57/simload/report"
	"github.com/seed-4fd17b57/simload/sim"
	"github.com/seed-4fd17b57/simload/sim/scenario"
)

// Ensure a run that was interrupted, or in which the harness was the bottleneck, keeps its own exit code beside a
// baseline, and is not compared.
func TestBaselineOfAnUnfitRun(t *testing.T) {
	path := starters(t, 1)[0]
	sc, err := scenario.Load(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	head, err := sim.Head(sc, new(sim.Options))
	if err != nil {
		t.Fatal(err)
	}
	named := func(status string) *sim.Outcome {
		o := outcome(status)
		o.Report.Scenario = head
		o.Report.Variants = []report.Variant{{Name: "base"}}
		return o
	}
	base := filepath.Join(t.TempDir(), "base.json")
	file, err := os.Create(base)
	if err != nil {
		t.Fatal(err)
	}
	if err := report.RenderJSON(file, named(report.StatusPass).Report); err != nil {
		t.Fatal(err)
	}
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
	for status, want := range map[string]int{report.StatusPass: 0, report.StatusPartial: 130, report.StatusInvalid: 3} {
		f := newFake(func(int, sim.Options) (*sim.Outcome, error) { return named(status), nil })
		code := f.execute(context.Background(), []string{"run", path, "--quiet", "--baseline", base})
		told := strings.Contains(f.errs.String(), "not compared with "+base+": the run is "+status)
		if code != want || told != (status != report.StatusPass) || strings.Contains(f.out.String(), "SAME") != (status == report.StatusPass) {
			t.Errorf("%s: exit code %d, stderr %q, stdout:\n%s", status, code, f.errs.String(), f.out.String())
		}
	}
}
