package sim

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/seed-4fd17b57/simload/report"
	"github.com/seed-4fd17b57/simload/report/compare"
	"github.com/seed-4fd17b57/simload/sim/scenario"
)

// goldenDir holds the checked-in reports, NAME-ARCH.json; its README says what they are.
const goldenDir = "../scenarios/golden"

// goldenScenarios are those whose reports are checked in.
func goldenScenarios(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob("../scenarios/claims/*.yaml")
	if err != nil || len(files) < 16 {
		t.Fatalf("%d claims, %v", len(files), err)
	}
	return append([]string{"../scenarios/smoke.yaml", "../scenarios/burst-429.yaml"}, files...)
}

func goldenPath(name string) string {
	return filepath.Join(goldenDir, name+"-"+runtime.GOARCH+".json")
}

// projected is the part of a report that is checked in: without time series, slowest requests, alerts and what
// follows from the rest, and without the histograms of groups that no failure makes them needed for.
func projected(r *report.Report) *report.Report {
	out := *r
	out.Comparison = nil
	out.Variants = slices.Clone(r.Variants)
	for i := range out.Variants {
		v := &out.Variants[i]
		v.Series, v.Slowest, v.Alerts = report.Series{}, nil, nil
		v.Latency = slices.Clone(v.Latency)
		for j := range v.Latency {
			if v.Latency[j].Failures == 0 {
				v.Latency[j].HDR = ""
			}
		}
	}
	return &out
}

// goldenFile is a report file with one field more, which readers of reports do not look at: the hash of the whole report.
func goldenFile(t *testing.T, r *report.Report) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := json.Compact(&b, asJSON(t, projected(r))); err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256(asJSON(t, r))
	field := `{"report_sha256":"` + hex.EncodeToString(sum[:]) + `",`
	return append([]byte(field), append(bytes.TrimPrefix(b.Bytes(), []byte("{")), '\n')...)
}

// TestGoldenReports: the reports of smoke, burst-429 and the claims are as they were. What differs is printed as a
// comparison: what got better, what got worse. TestClaims and TestScenariosPass hold the same reports to what must be true of them.
func TestGoldenReports(t *testing.T) {
	notUnderRace(t)
	present, err := filepath.Glob(goldenPath("*"))
	if err != nil {
		t.Fatal(err)
	}
	if len(present) == 0 && !*update {
		t.Skipf("no golden reports for %s in %s: make golden writes them", runtime.GOARCH, goldenDir)
	}
	for _, file := range goldenScenarios(t) {
		name := strings.TrimSuffix(filepath.Base(file), ".yaml")
		path := goldenPath(name)
		present = slices.DeleteFunc(present, func(p string) bool { return p == path })
		t.Run(name, func(t *testing.T) {
			sc, err := scenario.Load(file, nil)
			if err != nil {
				t.Fatal(err)
			}
			r := mustRun(t, sc, Options{})
			r.Scenario.File = "" // where it was read from is no result
			got := goldenFile(t, r)
			if *update {
				if err := os.WriteFile(path, got, 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(path)
			if err != nil {
				t.Fatalf("%v; make golden writes it", err)
			}
			if !bytes.Equal(got, want) {
				t.Errorf("the report differs from %s; if that is meant, make golden and look at the difference\n%s", path, explained(t, want, got))
			}
		})
	}
	for _, p := range present {
		t.Errorf("%s is of no scenario: remove it", p)
	}
}

// explained is the comparison of two golden files as a table.
func explained(t *testing.T, want, got []byte) string {
	t.Helper()
	base, err := report.ReadJSONForced(bytes.NewReader(want))
	if err != nil {
		return err.Error()
	}
	next, err := report.ReadJSONForced(bytes.NewReader(got))
	if err != nil {
		t.Fatal(err)
	}
	o := compare.Default()
	o.Force = true
	res, err := compare.Reports(base, next, o)
	if err != nil {
		return err.Error()
	}
	var b bytes.Buffer
	if err := compare.Render(&b, res, "table", report.Options{Width: 100}); err != nil {
		t.Fatal(err)
	}
	if res.Verdict == compare.Same {
		b.WriteString("No judged metric moved by as much as counts. Only parts of the report are checked in, but their hash is of all of it: " +
			"what differs may be a time series, a histogram or one of the slowest requests.\n")
	}
	return b.String()
}

// TestGoldenDifferenceIsExplained: a report that differs is told as what got worse, and not only as different bytes.
func TestGoldenDifferenceIsExplained(t *testing.T) {
	as := func(sets ...string) []byte { return goldenFile(t, mustRun(t, load(t, "smoke", sets...), Options{})) }
	want := as()
	if text := explained(t, want, as("upstreams.openai.models.gpt-4.1.capacity=20")); !strings.Contains(text, "WORSE") || !strings.Contains(text, "p99{profile=ask}") {
		t.Errorf("a slower model is explained as\n%s", text)
	}
	if text := explained(t, want, as("description=other")); !strings.Contains(text, "SAME") {
		t.Errorf("another description is explained as\n%s", text)
	}
}
