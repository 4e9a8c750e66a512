package report

import (
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestEvalAll(t *testing.T) {
	v := variantFixture("base")
	other := variantFixture("other")
	other.Throughput.RequestsPerS = 0
	variants := []Variant{v, other}
	nan := math.NaN()
	for _, c := range []struct {
		text string
		want float64 // in the first check
		ok   bool
		note string
	}{
		{"p99{profile=notes} < 6s", 3.02, true, ""},
		{"p99_ok{profile=log-clean} < 120s", 118.2, true, ""},
		{"p99{profile=log-clean} < 120s", math.Inf(1), false, "395 of 20144 requests failed"},
		{"p99{profile=log-clean} > 40s", math.Inf(1), true, failureNote},
		{"max < 1h", math.Inf(1), false, failureNote},
		{"max_ok < 1h", 300, true, ""},
		{"mean_ok{profile=notes} < 2s", 1.0824, true, ""},
		{"queue_p99{profile=literature} < 10s", 6.21, true, ""},
		{"backoff_p99{class=P2} <= 8s", 8, true, ""},
		{"p99{profile=nobody} < 6s", nan, false, "no profile nobody here, only hypothesis, literature, log-clean, notes"},
		{"p99{class=P7} < 6s", nan, false, "no class P7 here, only P0, P1, P2"},
		{"p99{profile=notes,class=P0} < 6s", nan, false, "this combination is not measured"},
		{"generation_p99 < 6s", nan, false, "nothing was measured"},
		{"ratio_429 < 1%", 3310.0 / 381_020, true, ""},
		{"ratio_429{key=k04} < 5%", 1800.0 / 38_800, true, ""},
		{"ratio_429{key=k04,model=gpt-4.1} < 5%", 1800.0 / 38_800, true, ""},
		{"ratio_429{profile=notes} == 0", 0, true, ""},
		{"ratio_ok{class=P0} > 99.9%", 180_003.0 / 180_021, true, ""},
		{"throughput > 99", 99.91, true, ""},
		{"throughput{profile=notes} > 9", 99.91 * 35_970 / 379_921, true, ""},
		{"tokens_per_min > 48M", 48.09e6, true, ""},
		{"offered >= 98", 100.1234567, true, ""},
		{"offered_tokens_per_min >= 48M", 48.21e6, true, ""},
		{"requests == 380_435", 380_435, true, ""},
		{"attempts{key=k04} == 38_800", 38_800, true, ""},
		{"attempts_per_request < 1.01", 381_020.0 / 380_435, true, ""},
		{"retries == 1120", 1120, true, ""},
		{"dead_letters < 20", 12, true, ""},
		{"rejected{class=P0} < 20", 18, true, ""},
		{"degraded < 1%", 356.0 / 380_435, true, ""},
		{"fallback_1 < 1%", 311.0 / 380_435, true, ""},
		{"cost < 1k", 812.4, true, ""},
		{"cost{model=gpt-4.1} < 1k", 611.09, true, ""},
		{"cost_per_1000 < 3", 2.13834, true, ""},
		{"cost_per_1000{profile=notes} < 1", 1000 * 30.89 / 35_970, true, ""},
		{"cost{class=P0} < 1k", 240.11, true, ""},
		{"cost{class=P1} < 1k", 511.2 + 30.89, true, ""},
		{"cost{class=P1,profile=notes} < 1k", 30.89, true, ""},
		{"wasted_share < 1%", 3.104 / 812.4, true, ""},
		{"tpm_utilisation < 98%", 0.97, true, ""},
		{"tpm_utilisation{key=k03} <= 95%", 0.95, true, ""},
		{"rpm_utilisation{model=gpt-4.1} < 50%", 0.41, true, ""},
		{"retry_peak < 10", 9, true, ""},
		{"limit_mean{model=gpt-4.1} > 200", 212.4, true, ""},
		{"limit_mean > 300", 308.4, true, ""},
		{"throughput{variant=base} / throughput{variant=other} > 1", nan, false, "throughput{variant=other} is 0"},
		{"throughput{variant=other} / throughput{variant=base} == 0", 0, true, ""},
		{"p99{profile=notes} / p99{profile=log-clean} < 1", nan, false, "p99{profile=log-clean} is a failure"},
		{"requests{variant=nobody} > 0", nan, false, "no variant nobody"},
	} {
		t.Run(c.text, func(t *testing.T) {
			e := mustExpects(t, c.text)
			checks := EvalAll(e, variants)
			if want := 2; !e[0].NamesVariants() && len(checks) != want || e[0].NamesVariants() && len(checks) != 1 {
				t.Fatalf("%d checks", len(checks))
			}
			got := checks[0]
			if !(math.Abs(float64(got.Value)-c.want) <= 1e-9*math.Abs(c.want)) && !(math.IsNaN(c.want) && math.IsNaN(float64(got.Value))) && float64(got.Value) != c.want {
				t.Errorf("value %v, want %v (%s)", got.Value, c.want, got.Note)
			}
			if got.OK != c.ok {
				t.Errorf("ok is %v", got.OK)
			}
			if !strings.Contains(got.Note, c.note) || (got.Note == "") != (c.note == "") {
				t.Errorf("note %q, want %q", got.Note, c.note)
			}
			if got.Expr != c.text || float64(got.Bound) != e[0].Bound {
				t.Errorf("got %+v", got)
			}
			if want := map[bool]string{true: "", false: "base"}[e[0].NamesVariants()]; got.Variant != want {
				t.Errorf("variant %q, want %q", got.Variant, want)
			}
		})
	}
}

// sorted is the reference: successes and failures in one sorted list.
func sorted(ms []float64, failures int64) []float64 {
	all := slices.Clone(ms)
	for range failures {
		all = append(all, math.Inf(1))
	}
	slices.Sort(all)
	return all
}

func TestPercentilesWithFailuresEqualASortedList(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		// Several rows, so that merging is tested as well.
		var v Variant
		var ms []float64
		failures := int64(0)
		rows := rapid.IntRange(1, 3).Draw(rt, "rows")
		for i := range rows {
			by := By{Profile: "p", Class: string(rune('a' + i))}
			n := rapid.Int64Range(0, 400).Draw(rt, "n")
			f := rapid.Int64Range(0, 30).Draw(rt, "failures")
			row := Latency{By: by, Metric: MetricTotal, Failures: f}
			if n > 0 {
				row = latencyFixture(by, MetricTotal, n, f, 1.5)
			}
			v.Latency = append(v.Latency, row)
			for k := int64(1); k <= n; k++ {
				ms = append(ms, float64(k)*1.5)
			}
			failures += f
		}
		all := sorted(ms, failures)
		for _, p := range percentilePoints {
			got, _ := latencySeconds(&v, By{Profile: "p"}, MetricTotal, p.name, true)
			if len(all) == 0 {
				if !math.IsNaN(got) {
					rt.Fatalf("%s of nothing is %v", p.name, got)
				}
				continue
			}
			want := all[rankOf(p.percent, int64(len(all)))-1] / 1000
			if math.IsInf(want, 1) != math.IsInf(got, 1) || !math.IsInf(want, 1) && (got < want-1e-9 || got > want*1.0011) {
				rt.Fatalf("%s is %v, want %v", p.name, got, want)
			}
		}
	})
}

func TestPercentilesWithoutHistogramLieBetweenTheirNeighbours(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		n := rapid.Int64Range(1, 2000).Draw(rt, "n")
		row := latencyFixture(By{Profile: "p"}, MetricTotal, n, rapid.Int64Range(0, 200).Draw(rt, "failures"), 2)
		row.HDR = ""
		v := Variant{Latency: []Latency{row}}
		last := 0.0
		for _, p := range percentilePoints {
			got, note := latencySeconds(&v, By{}, MetricTotal, p.name, true)
			if math.IsNaN(got) || got < last || note == "" && got*1000 > float64(row.MaxMS)+1e-9 {
				rt.Fatalf("%s is %v after %v (%s)", p.name, got, last, note)
			}
			last = got
			if low := float64(p.of(&row)) / 1000; got < low-1e-9 {
				rt.Fatalf("%s with failures is %v, without %v", p.name, got, low)
			}
		}
	})
}

func TestRowsWithoutHistogramsAreNotMerged(t *testing.T) {
	a, b := latencyFixture(By{Profile: "a"}, MetricTotal, 10, 0, 1), latencyFixture(By{Profile: "b"}, MetricTotal, 10, 0, 1)
	for _, broken := range []string{"", "HISTFAAAA", "nonsense", a.HDR[:len(a.HDR)/2]} {
		b.HDR = broken
		v := Variant{Latency: []Latency{a, b}}
		got, note := latencySeconds(&v, By{}, MetricTotal, "p99", true)
		if !math.IsNaN(got) || !strings.Contains(note, "cannot be merged") {
			t.Errorf("with %.10q: %v %q", broken, got, note)
		}
		if got, _ := latencySeconds(&v, By{}, MetricTotal, "max", true); got != 0.010 {
			t.Errorf("max is %v", got)
		}
		if got, _ := latencySeconds(&v, By{}, MetricTotal, "mean", true); math.Abs(got-0.0055) > 1e-12 {
			t.Errorf("mean is %v", got)
		}
	}
}
