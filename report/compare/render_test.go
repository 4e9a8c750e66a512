package compare

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/clipperhouse/displaywidth"
	"github.com/seed-4fd17b57/simload/report"
)

var update = flag.Bool("update", false, "rewrite the golden files of the renderings")

const hostile = "a|b</script><b>`x`*_[l](u)\x1b[31m\u202e@all\n# h1 "

// scenes are results of every kind.
func scenes(t *testing.T) map[string]*Result {
	t.Helper()
	inf := math.Inf(1)
	flat := func(x float64) []float64 { return slices.Repeat([]float64{x}, 10) }
	bad := reportOf(10, figures{
		"p99_s{profile=ask}": series(10, 1.54), "ratio_429": flat(0.02), "duplicate_writes": flat(3), "throughput": series(10, 1.2),
		"p99_s{profile=note}": flat(inf), "retries": series(10, 9),
	})
	bad.Scenario.SHA256, bad.Scenario.Overrides, bad.Tool.Version, bad.Tool.Arch = "baadf00d", []string{"stack.retry.jitter=false"}, "1.1.0", "linux/arm64"
	base := reportOf(10, figures{"p99_s{profile=ask}": series(10, 1), "ratio_429": flat(0.001), "duplicate_writes": flat(0), "throughput": series(10, 1)})
	base.Tool.Version, base.Tool.Arch = "1.0.0", "linux/amd64"
	few := reportOf(3, figures{"throughput": series(3, 2)})
	evil := reportOf(10, figures{"throughput": series(10, 2)})
	evil.Scenario.Name, evil.Scenario.Overrides = strings.Repeat(hostile, 200), []string{hostile}
	evil.Variants[0].Name, evil.Variants[0].Profiles[0].Name = hostile, hostile
	evil.Variants = append(evil.Variants, evil.Variants[0])
	evil.Variants[1].Name = hostile + "2"
	late := *read(t, evil)
	late.Variants = slices.Clone(late.Variants)
	late.Variants[1].Name, late.Scenario.DemandSHA256, late.Scenario.Target = "other"+hostile, hostile, hostile
	force := Default()
	force.Force = true
	return map[string]*Result{
		"worse": judged(t, base, bad, Default()),
		"same":  judged(t, base, base, Default()),
		"few":   judged(t, few, reportOf(3, nil), Default()),
		"evil":  judged(t, evil, &late, force),
	}
}

// TestRender: golden texts of every kind of result; and no line is too wide, none holds what could reach the terminal, and
// Markdown and HTML take no name for markup.
func TestRender(t *testing.T) {
	all := scenes(t)
	for _, name := range []string{"worse", "same", "few", "evil"} {
		for _, as := range []struct {
			format, ext string
			width       int
		}{{"table", "60.txt", 60}, {"table", "80.txt", 80}, {"table", "140.txt", 140}, {"markdown", "md", 0}, {"json", "json", 0}} {
			file := filepath.Join("testdata", name+"."+as.ext)
			var b bytes.Buffer
			if err := Render(&b, all[name], as.format, report.Options{Width: as.width}); err != nil {
				t.Fatal(err)
			}
			for i, line := range strings.Split(b.String(), "\n") {
				if n := displaywidth.String(line); as.width > 0 && n > as.width {
					t.Errorf("%s:%d has %d columns: %s", file, i+1, n, line)
				}
				if as.format != "json" && strings.ContainsFunc(line, func(c rune) bool { return unicode.IsControl(c) || unicode.Is(unicode.Cf, c) }) {
					t.Errorf("%s:%d holds a control character: %q", file, i+1, line)
				}
				if as.format == "markdown" && (strings.ContainsAny(line, "<>") || strings.Contains(line, "@")) {
					t.Errorf("%s:%d holds what may be markup: %s", file, i+1, line)
				}
			}
			if *update {
				if err := os.WriteFile(file, b.Bytes(), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(b.Bytes(), want) {
				t.Errorf("%s differs; run with -update and look at the difference", file)
			}
		}
	}
	if err := Render(new(bytes.Buffer), all["same"], "pdf", report.Options{}); err == nil || !strings.Contains(err.Error(), "table, markdown, json") {
		t.Errorf("pdf: %v", err)
	}
}

// TestFirstLine: the first line of every rendering for people is the verdict, with the metric, its values and its p.
func TestFirstLine(t *testing.T) {
	for name, want := range map[string][]string{
		"worse": {"WORSE", "p99{profile=note} 1.00 s -> fail (to failure, p 0.0098)"},
		"same":  {"SAME", "none of 7 metrics"},
		"few":   {"NOT ENOUGH", "1 of 7 metrics could not have shown a change: 10 replications would do (--reps 10)"},
		"evil":  {"SAME", "without a partner"},
	} {
		res := scenes(t)[name]
		_, rest, _ := strings.Cut(res.Summary, ": ")
		var text, md bytes.Buffer
		if err := Render(&text, res, "table", report.Options{Width: 1000}); err != nil {
			t.Fatal(err)
		}
		if err := Render(&md, res, "markdown", report.Options{}); err != nil {
			t.Fatal(err)
		}
		first, _, _ := strings.Cut(text.String(), "\n")
		if !strings.HasPrefix(first, want[0]) || !strings.Contains(report.Plain(rest), want[1]) || !strings.HasPrefix(md.String(), "**"+want[0]+"** ") {
			t.Errorf("%s: %s\n%.120s", name, first, md.String())
		}
	}
}

// TestJSON: the file names its schema, reads back, and says in words what numbers cannot.
func TestJSON(t *testing.T) {
	var b bytes.Buffer
	if err := Render(&b, scenes(t)["worse"], "json", report.Options{}); err != nil {
		t.Fatal(err)
	}
	var res Result
	if err := json.Unmarshal(b.Bytes(), &res); err != nil {
		t.Fatal(err)
	}
	v := res.Scenarios[0].Variants[0]
	if res.Schema != Schema || res.Verdict != Worse || res.Tests != 7 || res.Family != 5 || v.Method != Paired || len(v.Primary) != 7 {
		t.Errorf("%s %s, %d tests, %s, %d rows", res.Schema, res.Verdict, res.Family, v.Method, len(v.Primary))
	}
	i := slices.IndexFunc(v.Primary, func(r Row) bool { return r.Metric == "p99{profile=note}" })
	if r := v.Primary[i]; r.NewFailed != 10 || !math.IsNaN(float64(r.New)) || r.Change != "to failure" || r.Unit != "s" || r.Direction != "lower" {
		t.Errorf("a failure is written as %+v", r)
	}
	if strings.Contains(b.String(), "null,\n      \"unmatched\"") || strings.Contains(b.String(), fmt.Sprintf("%q: null", "notes")) {
		t.Error("a list is null")
	}
}
