package report

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	hdr "github.com/HdrHistogram/hdrhistogram-go"
	"golang.org/x/perf/benchfmt"
)

// recordedReport is a run as a recorder describes it, with n replications, every histogram and every figure.
func recordedReport(t *testing.T, n int) *Report {
	t.Helper()
	r := &Report{Schema: Schema, Tool: Tool{Version: "0.1.0", Go: "go1.26", Arch: "linux/amd64"}, Scenario: scenarioFixture()}
	r.Scenario.DurationS, r.Scenario.WarmupS = 600, 60
	for _, name := range []string{"base", "capped"} {
		var sum *Recorder
		for seed := range uint64(n) {
			setup := testSetup()
			setup.Name, setup.Seed = name, seed
			rec := NewRecorder(setup)
			rec.Close(play(rec, lives(newRand(seed+uint64(len(name))), 300), forever))
			if sum == nil {
				sum = rec
			} else {
				sum.Merge(rec)
			}
		}
		r.Variants = append(r.Variants, sum.Variant())
	}
	Judge(r, mustExpects(t, "p99{profile=notes} < 6s", "ratio_429 < 90%"), false, nil)
	return r
}

// nastyNames break what takes names for more than names.
var nastyNames = []string{
	`</script><script>alert("x")</script>`, "=cmd|' /C calc'!A0", "+1+1", "@SUM(1)", "-99", "a-99", "'quoted'",
	"a|b`c\n::error::x\r\n| d |", "\x1b[31mred\x1b[0m\x07\u202eabc", "bad\xffutf8", "]]>&amp;<!--", "x,y\tz;\"w\"", "all",
	strings.Repeat("long-name/", 1000), strings.Repeat("long-name/", 999) + "long-nime/", "\ufffe\uffff\u2028", "漢字 漢字", " lead and trail ",
	"::set-output name=a::b", "x ##[error]y", strings.Repeat("x", 70) + " ::warning::z " + strings.Repeat("y", 70),
}

// nastyReport is recordedReport with all names replaced.
func nastyReport(t *testing.T) *Report {
	t.Helper()
	return nastyReportFrom(t, 0)
}

// nastyReportFrom begins with another name, as there are more of them than there are things to name.
func nastyReportFrom(t *testing.T, first int) *Report {
	t.Helper()
	r := recordedReport(t, 3)
	next := first - 1
	names := map[string]string{}
	rename := func(s *string) {
		if *s == "" {
			return
		}
		if _, ok := names[*s]; !ok {
			next++
			names[*s] = nastyNames[next%len(nastyNames)]
		}
		*s = names[*s]
	}
	by := func(b *By) { rename(&b.Profile); rename(&b.Model); rename(&b.Key) }
	for i := range r.Variants {
		v := &r.Variants[i]
		rename(&v.Name)
		for j := range v.Profiles {
			rename(&v.Profiles[j].Name)
		}
		for j := range v.Latency {
			by(&v.Latency[j].By)
		}
		for j := range v.Groups {
			by(&v.Groups[j].By)
		}
		for j := range v.Keys {
			rename(&v.Keys[j].Key)
			rename(&v.Keys[j].Model)
		}
		for j := range v.Stack.Gates {
			rename(&v.Stack.Gates[j].Model)
		}
		for j := range v.Cost.By {
			by(&v.Cost.By[j].By)
		}
		for j := range v.Slowest {
			rename(&v.Slowest[j].Profile)
		}
		for j := range v.Series.Columns {
			v.Series.Columns[j].Name += nastyNames[j%len(nastyNames)]
		}
		for j := range v.Replications {
			for k := range v.Replications[j].Figures {
				f := &v.Replications[j].Figures[k].Name
				for old, now := range names {
					*f = strings.ReplaceAll(*f, "profile="+old+"}", "profile="+quoteValue(now)+"}")
				}
			}
		}
		v.Cost.Currency = nastyNames[7]
		v.Bound.Resource, v.Digest = nastyNames[8], nastyNames[0]
		v.Laws.BooksAgree, v.Laws.Details = false, nastyNames
	}
	r.Comparison = nil
	r.Scenario.Name = nastyNames[0]
	if first > 0 {
		r.Scenario.Name = nastyNames[len(nastyNames)-3]
	}
	r.Scenario.File, r.Scenario.Mode, r.Scenario.DemandSHA256 = nastyNames[7], nastyNames[7], nastyNames[7]
	r.Scenario.Overrides, r.Tool.Version = nastyNames, nastyNames[8]
	Judge(r, nil, false, nastyNames)
	for _, n := range nastyNames {
		r.Verdict.Checks = append(r.Verdict.Checks, Check{Expr: n, Variant: n, Value: 1, Bound: 2, Note: n})
	}
	return r
}

// parsers read what a format promises to be; formats for people have none.
var parsers = map[string]func(*testing.T, string){
	"json": func(t *testing.T, s string) {
		t.Helper()
		if _, err := ReadJSONAll(strings.NewReader(s)); err != nil {
			t.Error(err)
		}
	},
	"csv": func(t *testing.T, s string) { t.Helper(); readCSV(t, s) },
	"junit": func(t *testing.T, s string) {
		t.Helper()
		var all junitSuites
		if err := xml.Unmarshal([]byte(s), &all); err != nil || len(all.Suites) == 0 {
			t.Errorf("%d suites, %v", len(all.Suites), err)
		}
	},
	"bench":         func(t *testing.T, s string) { t.Helper(); readBench(t, s) },
	"hlog":          func(t *testing.T, s string) { t.Helper(); readHlog(t, s) },
	"gha-benchmark": func(t *testing.T, s string) { t.Helper(); readGHA(t, s) },
	"bencher":       func(t *testing.T, s string) { t.Helper(); readBencher(t, s) },
}

func readCSV(t *testing.T, s string) [][]string {
	t.Helper()
	rows, err := csv.NewReader(strings.NewReader(s)).ReadAll()
	if err != nil || len(rows) == 0 || len(rows[0]) != len(csvHead) {
		t.Fatalf("%d rows, %v", len(rows), err)
	}
	return rows[1:]
}

func readBench(t *testing.T, s string) []*benchfmt.Result {
	t.Helper()
	var out []*benchfmt.Result
	in := benchfmt.NewReader(strings.NewReader(s), "report.bench")
	for in.Scan() {
		switch rec := in.Result().(type) {
		case *benchfmt.SyntaxError:
			t.Error(rec)
		case *benchfmt.Result:
			out = append(out, rec.Clone())
		}
	}
	if err := in.Err(); err != nil {
		t.Error(err)
	}
	return out
}

func readHlog(t *testing.T, s string) []*hdr.Histogram {
	t.Helper()
	var out []*hdr.Histogram
	in := hdr.NewHistogramLogReader(strings.NewReader(s))
	for {
		h, err := in.NextIntervalHistogram()
		if err != nil {
			t.Fatal(err)
		}
		if h == nil {
			return out
		}
		out = append(out, h)
	}
}

func readGHA(t *testing.T, s string) []ghaBenchmark {
	t.Helper()
	var out []ghaBenchmark
	d := json.NewDecoder(strings.NewReader(s))
	d.DisallowUnknownFields()
	if err := d.Decode(&out); err != nil {
		t.Fatal(err)
	}
	return out
}

func readBencher(t *testing.T, s string) map[string]map[string]bencherMetric {
	t.Helper()
	out := map[string]map[string]bencherMetric{}
	d := json.NewDecoder(strings.NewReader(s))
	d.DisallowUnknownFields()
	if err := d.Decode(&out); err != nil {
		t.Fatal(err)
	}
	return out
}

// longTest skips a test that is long under the race detector, and has one goroutine.
func longTest(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("long, and on one goroutine")
	}
}

// Ensure no name does harm in any format: each output can be read by what it is for, holds
// no control character, and is bounded, though each name is up to 10 kB.
func TestHostileNamesInEveryFormat(t *testing.T) {
	longTest(t)
	for name, r := range map[string]*Report{"nasty": nastyReport(t), "more": nastyReportFrom(t, 11), "hostile": hostileFixture(t)} {
		whole := len(renderAllString(t, "json", r, r))
		for _, format := range Formats() {
			t.Run(name+"/"+format, func(t *testing.T) {
				for _, got := range []string{renderString(t, r, format, Options{Width: 80}), renderAllString(t, format, r, r)} {
					checkHarmless(t, got)
					if parse := parsers[format]; parse != nil {
						parse(t, got)
					}
					if format == "json" {
						continue // it holds everything, as it is
					}
					if len(got) > whole {
						t.Errorf("%d bytes, and the reports have %d", len(got), whole)
					}
					for i, line := range strings.Split(got, "\n") {
						if strings.HasPrefix(strings.TrimSpace(line), "::") || strings.Contains(line, "##[") {
							t.Errorf("line %d is a command to GitHub's runner: %.200q", i+1, line)
						}
					}
				}
			})
		}
	}
}

func checkHarmless(t *testing.T, got string) {
	t.Helper()
	if !utf8.ValidString(got) {
		t.Error("it is no UTF-8")
	}
	for i, line := range strings.Split(got, "\n") {
		for _, c := range line {
			if unicode.IsControl(c) {
				t.Fatalf("line %d holds the control character %U: %.200q", i+1, c, line)
			}
		}
	}
}

func renderAllString(t *testing.T, format string, rs ...*Report) string {
	t.Helper()
	var b bytes.Buffer
	if err := RenderAll(&b, rs, format, Options{Width: 80}); err != nil {
		t.Fatalf("rendering %s: %v", format, err)
	}
	return b.String()
}

// Ensure what is rendered from a recorded run and from its file is the same in every format, alone
// and with others.
func TestRecordedReportsRenderTheSameFromTheirFiles(t *testing.T) {
	longTest(t)
	for _, r := range []*Report{recordedReport(t, 2), nastyReport(t)} {
		var file bytes.Buffer
		if err := RenderJSON(&file, r); err != nil {
			t.Fatal(err)
		}
		back, err := ReadJSON(&file)
		if err != nil {
			t.Fatal(err)
		}
		for _, format := range Formats() {
			if a, b := renderString(t, r, format, Options{}), renderString(t, back, format, Options{}); a != b {
				t.Errorf("%s: %s", format, firstDifference(b, a))
			}
			if a, b := renderAllString(t, format, r, r), renderAllString(t, format, back, back); a != b {
				t.Errorf("two as %s: %s", format, firstDifference(b, a))
			}
		}
	}
}

// Ensure several reports are one value where the format has one, and stand apart where not.
func TestRenderAllJoins(t *testing.T) {
	a, b := passFixture(t), failFixture(t)
	for _, format := range Formats() {
		got := renderAllString(t, format, a, b)
		if parse := parsers[format]; parse != nil {
			if !Joined(format) {
				t.Errorf("%s is for programs, and several reports are no value of it", format)
			}
			parse(t, got)
		}
		apart := renderString(t, a, format, Options{}) + "\n" + renderString(t, b, format, Options{})
		if !Joined(format) && got != apart {
			t.Errorf("%s: %s", format, firstDifference(got, apart))
		}
	}
	if Joined("markdwon") || RenderAll(io.Discard, []*Report{a}, "markdwon", Options{}) == nil {
		t.Error("a format that does not exist")
	}
	if err := RenderAll(io.Discard, []*Report{a, {Schema: "other"}}, "table", Options{}); err == nil {
		t.Error("a report of another schema")
	}
}

// Ensure two reports of one scenario keep their names apart.
func TestSecondReportOfAScenario(t *testing.T) {
	r := recordedReport(t, 2)
	if n, one := len(readBencher(t, renderAllString(t, "bencher", r, r))), len(readBencher(t, renderAllString(t, "bencher", r))); n != 2*one {
		t.Errorf("%d benchmarks of two reports, %d of one", n, one)
	}
	tags := map[string]bool{}
	all := readHlog(t, renderAllString(t, "hlog", r, r))
	for _, h := range all {
		tags[h.Tag()] = true
	}
	if len(tags) != len(all) {
		t.Errorf("%d tags for %d histograms", len(tags), len(all))
	}
}

// goldenFormats are those for programs that people read, too.
var goldenFormats = []struct{ format, ext string }{
	{"junit", ".xml"}, {"bench", ".bench"}, {"csv", ".csv"}, {"gha-benchmark", ".gha.json"}, {"bencher", ".bmf.json"},
}

func TestFormatsGolden(t *testing.T) {
	for _, f := range fixtures {
		for _, g := range goldenFormats {
			if f.name != "paired" && (g.format != "junit" || f.name == "hostile") {
				continue // long, and without anything new
			}
			t.Run(f.name+g.ext, func(t *testing.T) {
				got := renderString(t, f.build(t), g.format, Options{})
				parsers[g.format](t, got)
				checkGolden(t, f.name+g.ext, got)
			})
		}
	}
}

// unmet skips a test for want of a program; where everything must be there, it fails.
func unmet(t *testing.T, format string, args ...any) {
	t.Helper()
	what := fmt.Sprintf(format, args...)
	if os.Getenv("SIMLOAD_REQUIRE") != "" {
		t.Fatalf("%s, and SIMLOAD_REQUIRE is set", what)
	}
	t.Skip(what)
}

// Ensure that what a run measured that is partial or invalid does not go by the scenario's name in formats that are
// figures alone.
func TestFiguresOfUnfinishedRuns(t *testing.T) {
	for _, format := range []string{"csv", "hlog", "gha-benchmark", "bencher"} {
		for status, marked := range map[string]bool{StatusPass: false, StatusFail: false, StatusPartial: true, StatusInvalid: true} {
			r := recordedReport(t, 2)
			r.Verdict.Status = status
			got := renderString(t, r, format, Options{})
			if name := r.Scenario.Name + "-" + status; strings.Contains(got, name) != marked || !strings.Contains(got, r.Scenario.Name) {
				t.Errorf("%s of a run that is %s: it goes by %s: %v", format, status, name, !marked)
			}
		}
	}
}
