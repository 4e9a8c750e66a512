package page

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"flag"
	"html"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/seed-4fd17b57/simload/report"
	"github.com/seed-4fd17b57/simload/report/htmlpage"
	"github.com/seed-4fd17b57/simload/sim/plan"
	"github.com/seed-4fd17b57/simload/sim/scenario"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// reports reads the planning reports of testdata.
func reports(tb testing.TB) map[string]*plan.Report {
	tb.Helper()
	out := map[string]*plan.Report{}
	for _, name := range []string{"answer", "frontier", "variants"} {
		data, err := os.ReadFile(filepath.Join("testdata", name+".json"))
		if err != nil {
			tb.Fatal(err)
		}
		r := new(plan.Report)
		if err := json.Unmarshal(data, r); err != nil {
			tb.Fatal(err)
		}
		out[name] = r
	}
	return out
}

func rendered(tb testing.TB, r *plan.Report, format string, width int) string {
	tb.Helper()
	var b bytes.Buffer
	if err := Render(&b, r, format, report.Options{Width: width}); err != nil {
		tb.Fatal(err)
	}
	return b.String()
}

// own is a page without what all pages have: the style, the scripts and the policy that tells their hashes.
func own(page string) string {
	page = regexp.MustCompile(`(?s)<(style|script)>.*?</(style|script)>`).ReplaceAllString(page, "<$1></$1>")
	policy := strings.ReplaceAll(html.EscapeString(htmlpage.Policy()), "+", "&#43;") // as the page's template escapes
	return strings.ReplaceAll(page, policy, "")
}

// Ensure the renderings are those that were looked at.
func TestGolden(t *testing.T) {
	for name, r := range reports(t) {
		for format, ext := range map[string]string{"table": ".txt", "markdown": ".md", "html": ".html"} {
			path := filepath.Join("testdata", name+ext)
			got := rendered(t, r, format, 100)
			if format == "html" {
				got = own(got)
			}
			if *update {
				if err := os.WriteFile(path, []byte(got), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if got != string(want) {
				t.Errorf("%s differs; look at it with -update", path)
			}
		}
	}
}

// Ensure every form tells every sentence, note and value of the axis that was tried.
func TestNothingIsLeftOut(t *testing.T) {
	space := regexp.MustCompile(`[\s\x{202f}\x{a0}]+`)
	for name, r := range reports(t) {
		for _, format := range []string{"table", "markdown", "html"} {
			got := rendered(t, r, format, 1000)
			if format == "html" {
				got = html.UnescapeString(got)
			}
			got = space.ReplaceAllString(strings.NewReplacer(`\`, "", "&lt;", "<", "&gt;", ">").Replace(got), " ")
			for _, want := range append(append([]string{}, r.Sentence...), r.Notes...) {
				if want = space.ReplaceAllString(want, " "); !strings.Contains(got, want) {
					t.Errorf("%s, %s: %q is not told", name, format, want)
				}
			}
		}
	}
}

// Ensure the JSON is read back as it was written.
func TestJSONRoundTrip(t *testing.T) {
	for name, r := range reports(t) {
		want, err := os.ReadFile(filepath.Join("testdata", name+".json"))
		if err != nil {
			t.Fatal(err)
		}
		if got := rendered(t, r, "json", 0); got != string(want) {
			t.Errorf("%s: the JSON changes when it is read and written", name)
		}
		if r.Schema != plan.Schema {
			t.Errorf("%s: schema %q", name, r.Schema)
		}
	}
}

// Ensure no line of a table is wider than the terminal.
func TestTableWidth(t *testing.T) {
	for name, r := range reports(t) {
		for _, width := range []int{80, 120} {
			for line := range strings.SplitSeq(rendered(t, r, "table", width), "\n") {
				if utf8.RuneCountInString(line) > width {
					t.Errorf("%s: %d columns: %q", name, utf8.RuneCountInString(line), line)
				}
			}
		}
	}
}

// Ensure the page fetches nothing, has no script of its own and no empty column, its policy is that of all pages, and its drawings are well-formed.
func TestHTMLStandsAlone(t *testing.T) {
	for name, r := range reports(t) {
		whole := rendered(t, r, "html", 0)
		page := own(whole)
		for _, bad := range []string{"javascript:", "src=", "http:", "https:", "@import", "url(", " style=", " onload", "NaN"} {
			if strings.Contains(strings.ReplaceAll(page, `xmlns="http://www.w3.org/2000/svg"`, ""), bad) {
				t.Errorf("%s: the page has %q", name, bad)
			}
		}
		if !strings.Contains(html.UnescapeString(whole), htmlpage.Policy()) || strings.Count(whole, "<script>") != 1 {
			t.Errorf("%s: another policy than that of all pages, or %d scripts", name, strings.Count(whole, "<script>"))
		}
		for _, plot := range regexp.MustCompile(`(?s)<svg .*?</svg>`).FindAllString(page, -1) {
			d := xml.NewDecoder(strings.NewReader(plot))
			for {
				if _, err := d.Token(); errors.Is(err, io.EOF) {
					break
				} else if err != nil {
					t.Fatalf("%s: a plot is not well-formed: %v", name, err)
				}
			}
		}
		if n := strings.Count(page, "<svg viewBox"); n == 0 {
			t.Errorf("%s: no plot", name)
		}
	}
}

// Ensure names from a scenario stay text in a page and in Markdown.
func TestNamesAreText(t *testing.T) {
	r := reports(t)["answer"]
	r.Scenario.Name = `<script>alert(1)</script>`
	r.Sentence = []string{`<b>|`}
	if page := rendered(t, r, "html", 0); strings.Contains(page, "<script>alert") || strings.Contains(page, "<b>|") {
		t.Error("markup from the scenario reaches the page")
	}
	if md := rendered(t, r, "markdown", 0); strings.Contains(md, "<script") {
		t.Error("markup from the scenario reaches Markdown")
	}
}

// Ensure the command that repeats a plan is one that a shell takes as it stands, whatever the names and however narrow the terminal: its words
// are those of the plan, and none is shortened.
func TestCommandCanBeCopied(t *testing.T) {
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("there is no sh")
	}
	base := reports(t)["answer"]
	long := "stack.concurrency.start=" + strings.Repeat("40,50,", 30) + "60"
	for name, c := range map[string]struct {
		change func(*plan.Report)
		want   []string
		never  string
	}{
		"a quote and a blank in the file's name": {func(r *plan.Report) { r.Scenario.File = "my it's.yaml" }, []string{"my it's.yaml"}, ""},
		"a file like a flag":                     {func(r *plan.Report) { r.Scenario.File = "-x.yaml" }, []string{"./-x.yaml"}, ""},
		"quotes and backslashes":                 {func(r *plan.Report) { r.Scenario.Overrides = []string{`name=it's`, `a\b=c`, "x=", "y={a: $b}"} }, []string{`name=it's`, `a\b=c`, "x=", "y={a: $b}"}, ""},
		"a long list":                            {func(r *plan.Report) { r.Plan.Axes[0].Path, r.Plan.Axes[0].Range, _ = strings.Cut(long, "=") }, []string{long}, "…"},
		"objectives of the scenario":             {func(r *plan.Report) { r.Plan.SLO = nil }, []string{"--min"}, "--slo"},
		"objectives asked for":                   {func(*plan.Report) {}, []string{"--slo", "p95 < 20s", "ratio_429 < 3%"}, ""},
	} {
		r := *base
		r.Plan.Axes = slices.Clone(base.Plan.Axes)
		c.change(&r)
		for _, width := range []int{40, 80, 200} {
			_, text, ok := strings.Cut(rendered(t, &r, "table", width), "\nReproduce")
			if !ok {
				t.Fatalf("%s: no command", name)
			}
			out, err := exec.Command(sh, "-c", "simload() { printf '%s\\n' \"$@\"; }; "+strings.TrimSpace(text)).Output()
			if err != nil {
				t.Fatalf("%s at %d: %v: %s", name, width, err, text)
			}
			words := strings.Split(strings.TrimSpace(string(out)), "\n")
			for _, want := range append(c.want, "plan", "--seed") {
				if !slices.Contains(words, want) {
					t.Errorf("%s at %d: %q is not among %q", name, width, want, words)
				}
			}
			if c.never != "" && strings.Contains(text, c.never) {
				t.Errorf("%s at %d: %s", name, width, text)
			}
		}
	}
}

// Ensure runs that break a law make every form say INVALID, a grid says along what it was compared, and a tier has no distance.
func TestWords(t *testing.T) {
	all := reports(t)
	for name, r := range all {
		r.Broken, r.Status = []string{"base a=1, seed 1: books disagree"}, plan.Invalid
		for _, format := range []string{"table", "markdown", "html"} {
			if got := rendered(t, r, format, 100); !strings.Contains(got, "INVALID") || strings.Contains(got, "FOUND ") || !strings.Contains(got, "books disagree") {
				t.Errorf("%s, %s: not invalid", name, format)
			}
		}
		if r.ExitCode() != report.ExitInvalid {
			t.Errorf("%s: exit code %d", name, r.ExitCode())
		}
	}
	if got := rendered(t, all["frontier"], "table", 100); !strings.Contains(got, "all 20 points compared along main.count, none worse") {
		t.Error("a grid does not say along what it was compared")
	}
	a := &all["answer"].Answers[0]
	a.Value, a.Static.Value, a.Static.Error = "tier2", "tier3", report.Num(math.NaN())
	for i := range a.Points {
		a.Points[i].Values = []string{"tier2"}
	}
	if got := rendered(t, all["answer"], "html", 0); strings.Contains(got, "off by -") || !strings.Contains(got, "not tier2") {
		t.Error("the arithmetic is off by nothing that could be told")
	}
}

// Ensure a report of a plan that was cut short before anything ran can be rendered.
func TestPartial(t *testing.T) {
	r := &plan.Report{Schema: plan.Schema, Status: plan.Partial, Plan: plan.Settings{Axes: []plan.Axis{{Path: "a.b.c", Range: "1..2", Values: []string{"1", "2"}}}}, Answers: []plan.Answer{{Variant: "base", Status: plan.Partial}}}
	for _, format := range Formats() {
		if got := rendered(t, r, format, 80); got == "" {
			t.Errorf("%s: nothing", format)
		}
	}
	if err := Render(io.Discard, r, "xml", report.Options{}); err == nil {
		t.Error("xml is rendered")
	}
}

// Ensure the README's plan is what the program prints, line by line, with parts left out.
func TestReadmeShowsThePlan(t *testing.T) {
	if os.Getenv("SIMLOAD_FULL") != "1" {
		t.Skip("takes minutes: SIMLOAD_FULL=1")
	}
	readme, err := os.ReadFile("../../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, block, _ := strings.Cut(string(readme), "\n$ simload plan ")
	block, _, _ = strings.Cut(block, "```")
	lines := strings.Split(strings.TrimSpace(block), "\n")[2:] // less the command
	if len(lines) < 20 {
		t.Fatalf("the README shows %d lines", len(lines))
	}
	sc, err := scenario.Load("../../../scenarios/2000-agents.yaml", nil)
	if err != nil {
		t.Fatal(err)
	}
	p, err := plan.New(sc, plan.Config{
		Vary: []string{"upstreams.openai.keys.oa.count=10..20"}, Objectives: []string{"p99{profile=hypothesis} < 6s, ratio_429 < 1%"}, Sensitivity: true, Growth: []string{plan.Auto},
	})
	if err != nil {
		t.Fatal(err)
	}
	r, err := p.Run(plan.Session{})
	if err != nil {
		t.Fatal(err)
	}
	rest := rendered(t, r, "table", 80)
	for _, line := range lines {
		_, after, found := strings.Cut(rest, line+"\n")
		if !found {
			t.Errorf("the program does not print, or not here: %q", line)
			continue
		}
		rest = after
	}
}
