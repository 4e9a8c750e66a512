package sim

import (
	"math"
	"testing"

	"github.com/seed-4fd17b57/simload/report"
)

// Ensure a single run is the one that Run makes with the same seed, and is judged the same without its histograms.
func TestRunSingle(t *testing.T) {
	sc := load(t, "smoke", "duration=2m", "warmup=20s")
	all := mustRun(t, sc, Options{Reps: 2})
	for rep := range 2 {
		seed := ReplicationSeed(sc.Seed(), rep)
		out, err := RunSingle(sc.Variants()[0], seed, nil)
		if err != nil {
			t.Fatal(err)
		}
		want := all.Variants[0].Replications[rep]
		if out.Variant.Digest != want.Digest || out.Variant.Totals != want.Totals || seed != want.Seed {
			t.Errorf("replication %d: digest %s, want %s", rep, out.Variant.Digest, want.Digest)
		}
	}
	whole := mustRun(t, sc, Options{})
	brief, err := RunSingle(sc.Variants()[0], sc.Seed(), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"p99 < 1s", "p99{class=P0} < 1s", "p95_ok < 1s", "max < 1s", "ratio_ok > 99%", "cost < 1", "jain > 0.9", "first_token_p50 < 1s"} {
		e, err := report.ParseExpect(text)
		if err != nil {
			t.Fatal(err)
		}
		a := report.EvalAll([]report.Expect{e}, whole.Variants)[0]
		b := report.EvalAll([]report.Expect{e}, []report.Variant{brief.Variant})[0]
		if same := a.Value == b.Value || math.IsNaN(float64(a.Value)) && math.IsNaN(float64(b.Value)); !same || a.Note != b.Note {
			t.Errorf("%s: %v (%s) of the brief variant, want %v (%s)", text, b.Value, b.Note, a.Value, a.Note)
		}
	}
}
