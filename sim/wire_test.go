package sim

import (
	"bytes"
	"testing"

	"github.com/seed-4fd17b57/simload/report"
	"github.com/seed-4fd17b57/simload/sim/scenario"
)

// TestWireIsTheSame: what goes through both codecs of HTTP gives the report that goes straight to the
// provider, byte for byte (INV-4).
func TestWireIsTheSame(t *testing.T) {
	notUnderRace(t)
	for _, name := range []string{
		"smoke", "burst-429", "providers/openai", "providers/anthropic", "providers/gemini", "providers/deepseek", "providers/azure",
		"providers/openrouter", "trace-replay",
	} {
		t.Run(name, func(t *testing.T) {
			sc, err := scenario.Load("../scenarios/"+name+".yaml", nil)
			if err != nil {
				t.Fatal(err)
			}
			straight, wired := mustRun(t, sc, Options{}), mustRun(t, sc, Options{Wire: true})
			if straight.Variants[0].Totals.Requests == 0 {
				t.Fatal("nothing was asked")
			}
			if a, b := asJSON(t, straight), asJSON(t, wired); !bytes.Equal(a, b) {
				t.Errorf("the reports differ at byte %d", firstDifference(a, b))
			}
		})
	}
}

func firstDifference(a, b []byte) int {
	for i := range a {
		if i == len(b) || a[i] != b[i] {
			return i
		}
	}
	return len(a)
}

// TestWireSwarm holds random scenarios, of all dialects and with faults, to the same.
func TestWireSwarm(t *testing.T) {
	n := 60
	if testing.Short() {
		n = 15
	}
	attempts := int64(0)
	for seed := uint64(1); seed <= uint64(n); seed++ {
		straight, straightRun := wireSwarmRun(t, seed, false)
		wired, _ := wireSwarmRun(t, seed, true)
		attempts += straightRun.attempts
		if !bytes.Equal(straight, wired) {
			t.Errorf("seed %d: the reports differ at byte %d", seed, firstDifference(straight, wired))
		}
	}
	if attempts < int64(n)*100 {
		t.Errorf("%d scenarios made %d attempts only", n, attempts)
	}
}

func wireSwarmRun(t *testing.T, seed uint64, wired bool) ([]byte, *run) {
	t.Helper()
	set := randomSetup(seed)
	r, err := newRun(set)
	if err != nil {
		t.Fatal(err)
	}
	if wired {
		r.wire = newWireLink(set, r.prov)
	}
	if err := r.execute(); err != nil {
		t.Fatalf("seed %d: %v", seed, err)
	}
	return asJSON(t, &report.Report{Schema: report.Schema, Variants: []report.Variant{r.rec.Finish(r.closing())}}), r
}
