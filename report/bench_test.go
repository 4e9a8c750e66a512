package report

import (
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/perf/benchfmt"
	"golang.org/x/perf/benchmath"
)

// Ensure benchstat's reader finds every key figure of every replication, with its value.
func TestBenchReadsBack(t *testing.T) {
	for _, n := range []int{1, 5} {
		r := recordedReport(t, n)
		results := readBench(t, renderString(t, r, "bench", Options{}))
		canon, err := canonical(r)
		if err != nil {
			t.Fatal(err)
		}
		at := 0
		for i := range canon.Variants {
			v := &canon.Variants[i]
			rows := v.keyRows()
			for _, by := range v.keyGroups() {
				for rep := range n {
					res := results[at]
					at++
					checkBenchLine(t, res, rows, by, rep)
				}
			}
		}
		if at != len(results) {
			t.Errorf("%d lines, want %d", len(results), at)
		}
	}
}

func checkBenchLine(t *testing.T, res *benchfmt.Result, rows []keyRow, by By, rep int) {
	t.Helper()
	k := 0
	for _, row := range rows {
		if row.by != by || math.IsNaN(row.values[rep]) {
			continue
		}
		want := row.values[rep]
		if math.IsInf(want, 1) {
			want = latencyMax.Seconds()
		}
		if got := res.Values[k]; got.Unit != row.unit || got.Value != want {
			t.Errorf("%s in replication %d: %v, want %v %s", res.Name, rep, got, want, row.unit)
		}
		k++
	}
	if k != len(res.Values) {
		t.Errorf("%s: %d values, want %d", res.Name, len(res.Values), k)
	}
}

// Ensure a name that ends in a number keeps it: it is no GOMAXPROCS.
func TestBenchNames(t *testing.T) {
	r := nastyReport(t)
	seen := map[string]bool{}
	for _, res := range readBench(t, renderString(t, r, "bench", Options{})) {
		base, parts := res.Name.Parts()
		if string(base) != "Simload" || len(parts) != 4 || string(parts[3]) != "/clock=virtual" {
			t.Errorf("%s has the parts %s and %q", res.Name, base, parts)
		}
		seen[string(parts[1])] = true
	}
	if len(seen) != len(r.Variants) {
		t.Errorf("%d variants, want %d", len(seen), len(r.Variants))
	}
}

// Ensure what an invalid run measured has a table of its own.
func TestBenchKeepsInvalidRunsApart(t *testing.T) {
	all := renderAllString(t, "bench", passFixture(t), invalidFixture(t), passFixture(t))
	var verdicts []string
	for _, res := range readBench(t, all) {
		if v := res.GetConfig("verdict"); len(verdicts) == 0 || verdicts[len(verdicts)-1] != v {
			verdicts = append(verdicts, v)
		}
	}
	if got := strings.Join(verdicts, ","); got != ",invalid," {
		t.Errorf("verdicts %q", got)
	}
}

// Ensure benchmath finds a change that is there, in the direction that the units tell.
func TestBenchComparison(t *testing.T) {
	r := recordedReport(t, 8)
	samples := [2][]float64{}
	for _, res := range readBench(t, renderString(t, r, "bench", Options{})) {
		x, ok := res.Value("p50-sec")
		if !ok || !strings.Contains(string(res.Name), "profile=all") {
			continue
		}
		samples[0], samples[1] = append(samples[0], x), append(samples[1], x*1.5)
	}
	thresholds := benchmath.DefaultThresholds
	old := benchmath.NewSample(samples[0], &thresholds)
	worse := benchmath.NewSample(samples[1], &thresholds)
	if c := benchmath.AssumeNothing.Compare(old, worse); c.P > 0.05 {
		t.Errorf("p = %v for half as much again", c.P)
	}
	if c := benchmath.AssumeNothing.Compare(old, old); c.P < 0.5 {
		t.Errorf("p = %v for the same", c.P)
	}
}

// benchstat is the program, at the version of go.mod.
const benchstat = "golang.org/x/perf/cmd/benchstat"

// Ensure benchstat itself makes tables of our text: one a unit, with directions, and failures beyond all.
func TestBenchstat(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a program")
	}
	version, err := exec.Command("go", "list", "-m", "-f", "{{.Version}}", "golang.org/x/perf").Output()
	if err != nil {
		unmet(t, "no go program: %v", err)
	}
	dir := t.TempDir()
	write := func(name string, r *Report) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(renderString(t, r, "bench", Options{})), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	old, slow := recordedReport(t, 6), recordedReport(t, 6)
	for i := range slow.Variants[0].Replications {
		figures := slow.Variants[0].Replications[i].Figures
		for k := range figures {
			switch figures[k].Name {
			case "p99":
				figures[k].Share = Num(math.Inf(1))
			case "throughput":
				figures[k].Share /= 2
			}
		}
	}
	cmd := exec.Command("go", "run", benchstat+"@"+strings.TrimSpace(string(version)), write("old.bench", old), write("new.bench", slow))
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		unmet(t, "go run %s: %v\n%s", benchstat, err, out)
	}
	got := string(out)
	for _, f := range keyFigures {
		if !strings.Contains(got, f.unit) {
			t.Errorf("no table of %s", f.unit)
		}
	}
	for _, want := range []string{"demand-sha256: 77", "scenario=2000-agents/variant=base/profile=notes", "(p=0.002 n=6)", "-50.00%", "86.40k"} {
		if !strings.Contains(got, want) {
			t.Errorf("benchstat does not say %s:\n%.3000s", want, got)
		}
	}
	if strings.Contains(got, "NaN") {
		t.Error("benchstat says NaN")
	}
}
