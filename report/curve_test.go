package report

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

// TestCurves: each point is the percentile that the tables would tell, curves rise, and they end where
// the failures begin.
func TestCurves(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		n := rapid.Int64Range(1, 3000).Draw(rt, "successes")
		failures := rapid.Int64Range(0, 300).Draw(rt, "failures")
		v := Variant{Latency: []Latency{
			latencyFixture(By{Profile: "a", Class: "P0"}, MetricTotal, n, failures, 1.5),
			latencyFixture(By{Profile: "b", Class: "P0"}, MetricTotal, 2*n, 0, 0.5),
			{By: By{Class: "P0"}, Metric: MetricTotal, Count: 3 * n, Failures: failures, MaxMS: Num(float64(n) * 1.5)},
			{By: By{Class: "P1"}, Metric: MetricTotal},
			{By: By{Model: "m"}, Metric: MetricTotal, Count: n},
		}}
		curves := Curves(&v)
		if len(curves) != 3 || curves[0].Name != "a" || curves[1].Name != "b" || curves[2].Name != "class P0" {
			rt.Fatalf("curves %v", curves)
		}
		for _, c := range curves {
			all := float64(3*n + failures)
			d := distribution{rows: []*Latency{&v.Latency[0], &v.Latency[1]}, n: 3 * n, failures: failures}
			if c.By.Profile != "" {
				l := &v.Latency[map[string]int{"a": 0, "b": 1}[c.By.Profile]]
				all = float64(l.Count + l.Failures)
				d = distribution{rows: []*Latency{l}, n: l.Count, failures: l.Failures}
			}
			before := 0.0
			for _, p := range c.Points {
				rank := rankOf(100-100/p.Depth, d.n+d.failures)
				want := d.percentile(100-100/p.Depth) / 1000
				if c.By.Profile != "" { // its latencies are its ranks times a step
					want = float64(rank) * map[string]float64{"a": 0.0015, "b": 0.0005}[c.By.Profile]
				}
				if math.Abs(p.Seconds-want) > 0.001*want || p.Seconds < before {
					rt.Fatalf("%s at depth %v: %v after %v, want %v", c.Name, p.Depth, p.Seconds, before, want)
				}
				before = p.Seconds
			}
			last := c.Points[len(c.Points)-1].Depth
			if share := float64(d.failures) / all; c.FailedShare != share || share > 0 && last*share > 1.5 && last > 1 {
				rt.Fatalf("%s: %v failed, but the curve goes on to depth %v", c.Name, c.FailedShare, last)
			}
			if c.Estimated {
				rt.Fatalf("%s has histograms, and is estimated", c.Name)
			}
		}
	})
}

// TestPanels: what is drawn is what the columns say, with rates per second, also of a last interval that
// is cut.
func TestPanels(t *testing.T) {
	r := &Report{Scenario: Scenario{DurationS: 50}, Variants: []Variant{{Series: Series{IntervalS: 20, Columns: []Column{
		{Name: "requests", Values: []Num{40, 20, 30}},
		{Name: "http_429", Values: []Num{0, 0, 0}},
		{Name: "in_flight{a}", Values: []Num{1, 2, 3}},
		{Name: "in_flight{b}", Values: []Num{5, 5, 5}},
		{Name: "in_flight{idle}", Values: []Num{0, 0, 0}},
		{Name: "limit{a}", Values: []Num{10, 10, 10}},
		{Name: "queue{P0}", Values: []Num{0, 0, 0}},
		{Name: "tpm_use{a}", Values: []Num{0.5, 0.25, 1.5}},
		{Name: "p99_ms{x}", Values: []Num{100, Num(math.NaN()), 9000}},
	}}}}}
	got := map[string]Panel{}
	var order []string
	for _, p := range Panels(r, &r.Variants[0]) {
		got[p.Name] = p
		order = append(order, p.Name)
	}
	if v := got["Requests"].Lines[0].Values; v[0] != 2 || v[1] != 1 || v[2] != 3 {
		t.Errorf("requests per second %v, want 2, 1, 3", v)
	}
	if len(got["429s and retries"].Lines) != 0 || got["429s and retries"].Empty == "" || got["Queue"].Empty == "" || len(got["Queue"].Lines) != 0 {
		t.Errorf("what never happened is drawn: %+v, %+v", got["429s and retries"], got["Queue"])
	}
	if _, ok := got["In flight, idle"]; ok || order[2] != "In flight, b" || order[3] != "In flight, a" {
		t.Errorf("in flight by use: %v", order)
	}
	if l := got["In flight, a"].Lines; len(l) != 2 || !l[1].Bound || l[1].Values[0] != 10 {
		t.Errorf("in flight of a: %+v", l)
	}
	if p := got["p99"]; !p.Log || p.Lines[0].Values[2] != 9 || !math.IsNaN(p.Lines[0].Values[1]) {
		t.Errorf("p99 %+v", p)
	}
}

// TestFaultWindows: windows repeat until the end, and what is on all the time shades nothing.
func TestFaultWindows(t *testing.T) {
	r := &Report{Scenario: Scenario{DurationS: 100}}
	v := &Variant{Faults: []Fault{
		{Name: "always", FromS: 0, ToS: 100},
		{Name: "often", FromS: 10, ToS: 15, EveryS: 40},
		{Name: "late", FromS: 95, ToS: 300},
		{Name: "after", FromS: 200, ToS: 300},
		{Name: "endless", FromS: 1, ToS: 1.5, EveryS: 1},
	}}
	marks, windows := FaultWindows(r, v)
	want := []string{"", "A", "B", "C", "D"}
	for i, m := range marks {
		if m.Mark != want[i] || m.Fault != &v.Faults[i] {
			t.Errorf("%s is marked %q, want %q", m.Fault.Name, m.Mark, want[i])
		}
	}
	if len(windows) != 3+1+windowsMost || windows[0] != (Window{"A", 10, 15}) || windows[2] != (Window{"A", 90, 95}) || windows[3] != (Window{"B", 95, 100}) {
		t.Errorf("windows %v", windows)
	}
	v.Interrupted, v.StoppedS = true, 20
	if _, windows = FaultWindows(r, v); End(r, v) != 20 || len(windows) != 1+19 || windows[0].To != 15 {
		t.Errorf("of a run that was stopped at 20 s: %v", windows)
	}
	if a, b, c := letters(25), letters(26), letters(52); a != "Z" || b != "AA" || c != "BA" {
		t.Errorf("letters %s, %s, %s", a, b, c)
	}
}
