package plan

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/seed-4fd17b57/simload/report"
	"gonum.org/v1/gonum/stat/distuv"
	"pgregory.net/rapid"
)

func TestJudge(t *testing.T) {
	for _, c := range []struct {
		margins []float64
		want    string
	}{
		{[]float64{.2, .21, .19}, Pass},
		{[]float64{.2, .21, -.01}, Uncertain},
		{[]float64{-.2, -.21, -.19}, Fail},
		{[]float64{.01, .3, .6}, Uncertain}, // all met, but a further run need not
		{[]float64{1, 1, 1}, Pass},
		{[]float64{.2}, Unknown},
	} {
		met := make([]bool, len(c.margins))
		for i, m := range c.margins {
			met[i] = m > 0
		}
		if got := judge(c.margins, met); got != c.want {
			t.Errorf("%v: %s, want %s", c.margins, got, c.want)
		}
	}
	// Exactly at the bound in every run: <= is met, < is not.
	for want, met := range map[string]bool{Pass: true, Fail: false} {
		if got := judge(make([]float64, 3), []bool{met, met, met}); got != want {
			t.Errorf("at the bound, met %v: %s, want %s", met, got, want)
		}
	}
}

// Ensure the rule keeps its promise: of normal margins, a point that passes passes a further run in 95 of 100 cases, wherever
// it lies. (The chance that a point near the edge passes is small; those that do are counted together.)
func TestPredictionCoversFurtherRuns(t *testing.T) {
	const trials, reps = 20_000, 5
	normal := distuv.Normal{Mu: .1, Sigma: .05, Src: rand.NewPCG(7, 7)}
	above := 0
	for range trials {
		margins := make([]float64, reps)
		for i := range margins {
			margins[i] = normal.Rand()
		}
		if normal.Rand() > float64(predict(margins).Low) {
			above++
		}
	}
	if share := float64(above) / trials; math.Abs(share-PredictionLevel) > .005 {
		t.Errorf("a further run lies above the limit in %.4f of the cases, want %v", share, PredictionLevel)
	}
}

// Ensure a bound that a metric cannot pass is met as well as can be by a value on it, and that nowhere else a margin is another
// than the report's.
func TestMarginAtTheEndOfTheRange(t *testing.T) {
	for _, c := range []struct {
		expr  string
		value float64
		want  float64
	}{
		{"ratio_ok >= 100%", 1, 1},
		{"ratio_ok >= 100%", .9, -1},
		{"ratio_429 <= 0%", 0, 1},
		{"ratio_429 <= 0%", .1, -1},
		{"duplicate_writes <= 0", 0, 1},
		{"duplicate_writes == 0", 0, 1},
		{"ratio_ok > 100%", 1, -1}, // cannot be met
		{"ratio_429 < 0%", 0, -1},
		{"requests <= 10", 10, 0}, // could be more
		{"rpm_utilisation <= 100%", 1, 0},
	} {
		e, err := report.ParseExpect(c.expr)
		if err != nil {
			t.Fatal(err)
		}
		if got := marginOf(&e, c.value); got != c.want {
			t.Errorf("%s at %v: margin %v, want %v", c.expr, c.value, got, c.want)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		e := report.Expect{
			Num: report.Term{Metric: rapid.SampledFrom([]string{"p99", "ratio_ok", "ratio_429", "requests"}).Draw(t, "metric")},
			Op:  rapid.SampledFrom([]string{"<", "<=", ">", ">=", "==", "!="}).Draw(t, "op"), Bound: rapid.Float64Range(0, 1).Draw(t, "bound"),
		}
		v := rapid.Float64Range(0, 1).Draw(t, "value")
		if m := marginOf(&e, v); m > 0 && !e.Holds(v) || m < 0 && e.Holds(v) || v != e.Bound && m != e.Margin(v) {
			t.Fatalf("%+v at %v: margin %v, holds %v", e, v, m, e.Holds(v))
		}
	})
}

// Ensure an objective whose value no run can better is met, in a real scenario too.
func TestObjectiveAtItsEnd(t *testing.T) {
	for _, slo := range []string{"duplicate_writes <= 0", "ratio_429 <= 0%"} {
		r := carry(t, starter(t, "duration=90s", "warmup=10s", "upstreams.openai.faults={}"), Config{Vary: []string{keys + "3..5"}, Objectives: []string{slo}, Reps: 2})
		if a := &r.Answers[0]; a.Status != Found || a.Value != "3" {
			t.Errorf("%s: %s", slo, a.Sentence)
		}
	}
}
