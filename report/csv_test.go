package report

import (
	"slices"
	"strings"
	"testing"
)

// Ensure the table says what the report says.
func TestCSVSays(t *testing.T) {
	r := recordedReport(t, 3)
	rows := readCSV(t, renderString(t, r, "csv", Options{}))
	v := &r.Variants[1]
	for _, want := range [][]string{
		{"2000-agents", "capped", "all", "", "", "", "", "requests", "sum", numText(Num(v.Totals.Requests)), "count"},
		{"2000-agents", "capped", "all", "notes", "P1", "", "", "latency_total", "count", numText(Num(latencyRow(t, v, "notes").Count)), "count"},
		{"2000-agents", "capped", "all", "notes", "P1", "", "", "latency_total", "p99", numText(latencyRow(t, v, "notes").P99MS / 1000), "s"},
		{"2000-agents", "capped", "all", "", "", "", "", "cost", "sum", numText(v.Cost.Total), "USD"},
		{"2000-agents", "capped", "2", "", "", "", "", "throughput", "value", numText(Num(figure(&v.Replications[2], "throughput"))), "req/s"},
		{"2000-agents", "base", "all", "", "", "", "", "ratio_429 < 90%", "holds", "1", "bool"},
		{"2000-agents", "base", "all", "", "", "", "", "ratio_429 < 90%", "bound", "0.9", "share"},
	} {
		if n := len(slices.DeleteFunc(slices.Clone(rows), func(row []string) bool { return !slices.Equal(row, want) })); n != 1 {
			t.Errorf("%d rows %q", n, want)
		}
	}
}

func latencyRow(t *testing.T, v *Variant, profile string) *Latency {
	t.Helper()
	i := slices.IndexFunc(v.Latency, func(l Latency) bool { return l.By.Profile == profile && l.Metric == MetricTotal })
	if i < 0 {
		t.Fatalf("no latency of %s", profile)
	}
	return &v.Latency[i]
}

// Ensure no row stands twice: each value has one place.
func TestCSVRowsAreUnique(t *testing.T) {
	for _, r := range []*Report{recordedReport(t, 3), nastyReport(t)} {
		seen := map[string]bool{}
		r.Verdict.Checks = nil // one expectation may be written twice
		for _, row := range readCSV(t, renderString(t, r, "csv", Options{})) {
			key := strings.Join(row[:9], "\x00")
			if seen[key] {
				t.Errorf("twice: %.300q", row[:9])
			}
			seen[key] = true
		}
	}
}

// Ensure no cell that comes from a name can be taken for a formula, and that the name can be had back.
func TestCSVHoldsNoFormula(t *testing.T) {
	for _, row := range readCSV(t, renderString(t, nastyReport(t), "csv", Options{})) {
		for i, cell := range row {
			if csvHead[i] != "value" && csvHead[i] != "run" && cell != "" && strings.ContainsAny(cell[:1], "=+-@:\t\r") {
				t.Errorf("column %s: %.80q", csvHead[i], cell)
			}
		}
	}
	for _, c := range []struct{ name, cell string }{
		{"", ""}, {"notes", "notes"}, {"=1", "'=1"}, {"+1", "'+1"}, {"-99", "'-99"}, {"@x", "'@x"}, {"'=1", "''=1"}, {"＝1", "'＝1"}, {"a=1", "a=1"},
	} {
		if got := defused(c.name); got != c.cell {
			t.Errorf("%q is told as %q, want %q", c.name, got, c.cell)
		}
	}
}
