package report

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

var update = flag.Bool("update", false, "rewrite the golden files of the renderings")

var fixtures = []struct {
	name  string
	build func(*testing.T) *Report
}{
	{"pass", passFixture},
	{"fail", failFixture},
	{"invalid", invalidFixture},
	{"partial", partialFixture},
	{"hostile", hostileFixture},
	{"paired", pairedFixture},
}

func renderString(t *testing.T, r *Report, format string, opt Options) string {
	t.Helper()
	var b bytes.Buffer
	if err := Render(&b, r, format, opt); err != nil {
		t.Fatalf("rendering %s: %v", format, err)
	}
	return b.String()
}

func checkGolden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.MkdirAll("testdata", 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("%v (run the test with -update)", err)
	}
	if got != string(want) {
		t.Errorf("%s differs; run with -update and look at the difference.\n%s", path, firstDifference(got, string(want)))
	}
}

func firstDifference(got, want string) string {
	g, w := strings.Split(got, "\n"), strings.Split(want, "\n")
	for i := range g {
		if i >= len(w) || g[i] != w[i] {
			expected := "(the end)"
			if i < len(w) {
				expected = w[i]
			}
			return fmt.Sprintf("line %d\n got  %s\n want %s", i+1, g[i], expected)
		}
	}
	return "it is shorter"
}

func TestTableGolden(t *testing.T) {
	for _, f := range fixtures {
		for _, width := range []int{60, 80, 120, 200} {
			t.Run(fmt.Sprintf("%s-%d", f.name, width), func(t *testing.T) {
				r := f.build(t)
				got := renderString(t, r, "table", Options{Width: width})
				checkTable(t, r, got, width)
				checkGolden(t, fmt.Sprintf("%s-%d.txt", f.name, width), got)
			})
		}
	}
}

// checkTable ensures what must hold of every page: lines fit and are plain, each expectation is
// printed once, each failed one with its word.
func checkTable(t *testing.T, r *Report, got string, width int) {
	t.Helper()
	if !utf8.ValidString(got) || !strings.HasSuffix(got, "\n") {
		t.Error("the page is no text, or does not end in a newline")
	}
	for i, line := range strings.Split(got, "\n") {
		if n := columns(line); n > width {
			t.Errorf("line %d has %d columns, more than %d: %.200q", i+1, n, width, line)
		}
		if strings.HasSuffix(line, " ") {
			t.Errorf("line %d ends in a space: %q", i+1, line)
		}
		for _, c := range line {
			if unicode.IsControl(c) || unicode.Is(unicode.Cf, c) {
				t.Errorf("line %d holds the control character %U: %q", i+1, c, line)
			}
		}
	}
	flat := strings.Join(strings.Fields(got), "")
	for _, c := range r.Verdict.Checks {
		expr := strings.Join(strings.Fields(shorten(clean(c.Expr), exprLong)), "")
		word, other := "ok", "FAIL"
		if !c.OK {
			word, other = other, word
		}
		if n := strings.Count(flat, word+expr); n != 1 {
			t.Errorf("%s %.60q is printed %d times", word, c.Expr, n)
		}
		if len(r.Variants) == 1 && strings.Contains(flat, other+expr) {
			t.Errorf("%.60q is also printed as %s", c.Expr, other)
		}
	}
	if word := verdictWords[r.Verdict.Status]; strings.Count(got, "\n"+word) != 1 {
		t.Errorf("the verdict %s does not begin exactly one line", word)
	}
}

func TestMarkdownGolden(t *testing.T) {
	for _, f := range fixtures {
		t.Run(f.name, func(t *testing.T) {
			r := f.build(t)
			got := renderString(t, r, "markdown", Options{})
			checkMarkdown(t, r, got)
			checkGolden(t, f.name+".md", got)
		})
	}
}

// checkMarkdown ensures that tables are whole and that no name becomes markup.
func checkMarkdown(t *testing.T, r *Report, got string) {
	t.Helper()
	cells := 0
	for i, line := range strings.Split(got, "\n") {
		for _, c := range line {
			if unicode.IsControl(c) {
				t.Errorf("line %d holds the control character %U", i+1, c)
			}
		}
		if !strings.HasPrefix(line, "|") {
			cells = 0
			continue
		}
		n := strings.Count(line, "|") - strings.Count(line, `\|`)
		if cells != 0 && n != cells {
			t.Errorf("line %d has %d bars, its table %d: %s", i+1, n, cells, line)
		}
		cells = n
	}
	for _, c := range r.Verdict.Checks {
		expr := strings.ReplaceAll(mdCode(shorten(clean(c.Expr), exprLong)), "|", `\|`)
		if !strings.Contains(got, "| "+expr+" |") {
			t.Errorf("%.60q is not in the table", c.Expr)
		}
	}
	outside := strings.Split(got, "`")
	for i := 0; i < len(outside); i += 2 {
		if strings.Contains(strings.ReplaceAll(outside[i], "<br>", ""), "<") && !strings.Contains(got, "``") {
			t.Errorf("raw HTML in %.90q", outside[i])
		}
	}
}

func TestRenderingOfAFileEqualsThatOfTheRun(t *testing.T) {
	for _, f := range fixtures {
		r := f.build(t)
		var file bytes.Buffer
		if err := RenderJSON(&file, r); err != nil {
			t.Fatal(err)
		}
		back, err := ReadJSON(bytes.NewReader(file.Bytes()))
		if err != nil {
			t.Fatalf("%s: %v", f.name, err)
		}
		for _, format := range Formats() {
			if a, b := renderString(t, r, format, Options{Width: 100}), renderString(t, back, format, Options{Width: 100}); a != b {
				t.Errorf("%s as %s: %s", f.name, format, firstDifference(b, a))
			}
		}
	}
}

func TestColourOnlyRepeatsWords(t *testing.T) {
	for _, f := range fixtures {
		r := f.build(t)
		bare := renderString(t, r, "table", Options{Width: 80})
		coloured := renderString(t, r, "table", Options{Width: 80, Color: true})
		if coloured == bare {
			t.Errorf("%s: no colour", f.name)
		}
		stripped := coloured
		for _, code := range []string{bold, green, red, yellow, plain} {
			stripped = strings.ReplaceAll(stripped, code, "")
		}
		if stripped != bare {
			t.Errorf("%s: without its colours: %s", f.name, firstDifference(stripped, bare))
		}
	}
}

func TestEveryWidthFits(t *testing.T) {
	for _, f := range fixtures {
		r := f.build(t)
		for _, width := range []int{-5, 1, 41, 47, 53, 66, 79, 97, 141, 2000} {
			most := max(width, widthLeast)
			if width <= 0 {
				most = widthDefault
			}
			for i, line := range strings.Split(renderString(t, r, "table", Options{Width: width}), "\n") {
				if n := columns(line); n > most {
					t.Errorf("%s at %d: line %d has %d columns: %.200q", f.name, width, i+1, n, line)
				}
			}
		}
	}
}

func TestRenderNamesFormats(t *testing.T) {
	err := Render(new(bytes.Buffer), passFixture(t), "markdwon", Options{})
	if err == nil {
		t.Fatal("no error")
	}
	for _, want := range []string{`"markdwon"`, "table, markdown, json", `did you mean "markdown"?`} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%q does not say %s", err, want)
		}
	}
}

func TestRenderAnEmptyReport(t *testing.T) {
	r := &Report{Schema: Schema}
	Judge(r, nil, false, nil)
	for _, format := range Formats() {
		got := renderString(t, r, format, Options{})
		if people := format == "table" || format == "markdown"; people && !strings.Contains(got, "no expectations") {
			t.Errorf("%s: %q", format, got)
		}
		if parse := parsers[format]; parse != nil {
			parse(t, got)
		}
	}
}

// TestFailuresHaveNoRatio: nothing is a multiple of a failure.
func TestFailuresHaveNoRatio(t *testing.T) {
	r := failFixture(t)
	r.Variants[0], r.Variants[2] = r.Variants[2], r.Variants[0] // the first fails
	r.Comparison = nil
	seen := false
	for _, row := range sideSections(r)[0].grid.rows {
		if row[0] == "hypothesis p99" {
			seen = true
			if row[1] != "fail" || !strings.HasSuffix(row[2], " undef.") {
				t.Errorf("row %q", row)
			}
		}
	}
	if !seen {
		t.Error("no row of hypothesis p99")
	}
}

// TestKeyLatencyStandsOnce: it is that of the key at all its models.
func TestKeyLatencyStandsOnce(t *testing.T) {
	v := variantFixture("base")
	for _, k := range v.Keys[:4] {
		k.Model = "claude-sonnet-4.5"
		v.Keys = append(v.Keys, k)
	}
	s := keySection(&v, latencyUnit{"seconds", 0.001})
	if want := "5 of 12 pairs of key and model, most 429s first; all in the JSON; latency: of a key at all its models, told once"; s.aside != want {
		t.Errorf("aside %q, want %q", s.aside, want)
	}
	told := map[string]int{}
	for _, row := range s.grid.rows {
		if row[len(row)-1] != "" {
			told[row[0]]++
		}
	}
	for k, n := range told {
		if n != 1 || len(told) != 3 {
			t.Errorf("the latency of %s stands in %d rows, %v in all", k, n, told)
		}
	}
}
