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
		{"2000-agents", "capped", "all", "notes", "P1", "", "", "latency_total", "p99_ok", numText(latencyRow(t, v, "notes").P99MS / 1000), "s"},
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

// Ensure the statistics of latencies are those that expectations of the same name measure, of one run and of several: a
// percentile whose rank falls among the failures is Inf, as it is "fail" in the tables, and "_ok" looks at successes alone.
func TestCSVLatenciesAreThoseOfExpectations(t *testing.T) {
	failing := recordedReport(t, 1)
	for i := range failing.Variants {
		for l := range failing.Variants[i].Latency {
			if row := &failing.Variants[i].Latency[l]; row.By.Profile != "" {
				row.Failures = row.Count / 50
			}
		}
	}
	infinite := 0
	for _, r := range []*Report{failing, recordedReport(t, 3)} {
		read, err := Canonical(r)
		if err != nil {
			t.Fatal(err)
		}
		rows := readCSV(t, renderString(t, r, "csv", Options{}))
		for i := range read.Variants {
			v := &read.Variants[i]
			for _, row := range rows {
				part, latency := strings.CutPrefix(row[7], "latency_")
				if !latency || row[1] != v.Name || row[8] == "count" || row[8] == "failures" {
					continue
				}
				term := Term{Metric: row[8], By: By{Profile: row[3], Class: row[4], Model: row[5], Key: row[6]}}
				if part != MetricTotal {
					term.Metric = part + "_" + row[8]
				}
				value, _ := term.Measure(v)
				if want := numText(Num(value)); row[9] != want {
					t.Errorf("%q is %s, %s is %s", row[:9], row[9], term.Metric, want)
				}
				if row[9] == "Inf" {
					infinite++
				}
			}
		}
	}
	if infinite == 0 {
		t.Error("nothing failed")
	}
}
