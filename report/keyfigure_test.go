package report

import (
	"math"
	"slices"
	"testing"
)

// Ensure the table names metrics, each with a unit of its own, and can turn what is better when more.
func TestKeyFigures(t *testing.T) {
	var units, metrics []string
	for _, f := range keyFigures {
		m, ok := findMetric(f.metric)
		if !ok {
			t.Errorf("%s is no metric", f.metric)
		}
		units, metrics = append(units, f.unit), append(metrics, f.metric)
		if f.inverse != nil && (!f.higher() || f.inverse.of(0.5) <= f.inverse.of(0.75)) {
			t.Errorf("%s is not turned round", f.metric)
		}
		if f.each && !m.by.together(byProfile) {
			t.Errorf("%s is not measured by profile", f.metric)
		}
	}
	for _, list := range [][]string{units, metrics} {
		if slices.Sort(list); len(slices.Compact(slices.Clone(list))) != len(list) {
			t.Errorf("twice in %q", list)
		}
	}
}

// Ensure every figure of every group is there, with a value for each replication.
func TestKeyRows(t *testing.T) {
	for _, n := range []int{1, 4} {
		v := &recordedReport(t, n).Variants[0]
		rows := v.keyRows()
		want := 0
		for _, f := range keyFigures {
			want++
			if f.each {
				want += len(v.Profiles)
			}
		}
		if len(rows) != want {
			t.Errorf("%d rows, want %d", len(rows), want)
		}
		for _, row := range rows {
			if len(row.values) != n {
				t.Errorf("%s of %s has %d values of %d", row.metric, groupName(row.by), len(row.values), n)
			}
		}
	}
}

// Ensure a latency that was a failure is told from one that was not measured, also in a file, and
// that no mean hides it.
func TestKeyFiguresOfFailures(t *testing.T) {
	r := recordedReport(t, 2)
	by := By{Profile: "notes"}
	set := func(rep int, name string, x float64) {
		f := r.Variants[0].Replications[rep].Figures
		f[slices.IndexFunc(f, func(s Share) bool { return s.Name == name })].Share = Num(x)
	}
	set(0, figureName("p99", by), math.Inf(1))
	set(1, figureName("p95", by), math.NaN())
	// Nothing was asked for: then there is no maximum.
	second := &r.Variants[0].Replications[1]
	second.Figures = slices.DeleteFunc(slices.Clone(second.Figures), func(s Share) bool { return s.Name == figureName("max", by) })
	c, err := canonical(r)
	if err != nil {
		t.Fatal(err)
	}
	v := &c.Variants[0]
	if p99 := v.keyValues("p99", by); !math.IsInf(p99[0], 1) || math.IsInf(p99[1], 0) {
		t.Errorf("p99 %v", p99)
	}
	if p95 := v.keyValues("p95", by); !math.IsNaN(p95[1]) {
		t.Errorf("p95 %v", p95)
	}
	name := "2000-agents/base/profile=notes"
	if m, ok := readBencher(t, renderString(t, r, "bencher", Options{}))[name]["p99"]; ok {
		t.Errorf("the mean of a failure is %v", m)
	}
	for _, b := range readGHA(t, renderString(t, r, "gha-benchmark", Options{})) {
		if b.Name == name+" p99" || b.Name == name+" p95" {
			t.Errorf("the mean of a failure is %v", b)
		}
	}
}

// Ensure the services get the mean with its interval, and one of them only what is better when less.
func TestKeyFiguresForServices(t *testing.T) {
	r := recordedReport(t, 5)
	v := &r.Variants[0]
	xs := v.each("throughput", By{})
	mean, half := meanInterval(xs)
	m := readBencher(t, renderString(t, r, "bencher", Options{}))["2000-agents/base/all"]["throughput"]
	if !about(float64(m.Value), mean) || m.Lower == nil || !about(float64(*m.Lower), mean-half) || !about(float64(*m.Upper), mean+half) {
		t.Errorf("%v, want %v ± %v", m, mean, half)
	}
	units := map[string]string{}
	for _, b := range readGHA(t, renderString(t, r, "gha-benchmark", Options{})) {
		units[b.Name] = b.Unit
		if b.Range == "" || b.Extra != "demand 77" {
			t.Errorf("%+v", b)
		}
	}
	for name, unit := range map[string]string{
		"2000-agents/base/all seconds_per_success": "s/req", "2000-agents/base/all p99_": "", "2000-agents/base/all throughput": "",
		"2000-agents/capped/profile=notes first_token_p95": "s", "2000-agents/base/all cost_per_1000": "USD/1000ok", "2000-agents/base/all ratio_not_ok": "notok/req",
	} {
		if units[name] != unit {
			t.Errorf("the unit of %s is %q, want %q", name, units[name], unit)
		}
	}
	one := readBencher(t, renderString(t, recordedReport(t, 1), "bencher", Options{}))
	if m := one["2000-agents/base/all"]["throughput"]; m.Lower != nil || m.Upper != nil || m.Value <= 0 {
		t.Errorf("a single run: %v", m)
	}
}

func about(a, b float64) bool { return math.Abs(a-b) <= 1e-5*math.Abs(b) }
