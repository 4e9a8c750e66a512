package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"github.com/seed-4fd17b57/simload/report/htmlpage"
)

// parsePage renders and parses a page.
func parsePage(t *testing.T, rs ...*Report) (*html.Node, string) {
	t.Helper()
	var b bytes.Buffer
	if err := RenderHTML(&b, rs); err != nil {
		t.Fatal(err)
	}
	doc, err := html.Parse(bytes.NewReader(b.Bytes()))
	if err != nil {
		t.Fatal(err)
	}
	return doc, b.String()
}

func attribute(n *html.Node, name string) string {
	for _, a := range n.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}

// elements returns those of a name.
func elements(doc *html.Node, name string) []*html.Node {
	var out []*html.Node
	for n := range doc.Descendants() {
		if n.Type == html.ElementNode && n.Data == name {
			out = append(out, n)
		}
	}
	return out
}

func textOf(n *html.Node) string {
	var b strings.Builder
	for d := range n.Descendants() {
		if d.Type == html.TextNode {
			b.WriteString(d.Data)
		}
	}
	return b.String()
}

// TestPagesAreSafeAndWhole: whatever names a report holds, its page has the same scripts, loads nothing,
// styles nothing inline, and its ids and references are sound.
func TestPagesAreSafeAndWhole(t *testing.T) {
	_, empty := parsePage(t, &Report{Schema: Schema})
	if !strings.Contains(empty, htmlpage.Policy()) && !strings.Contains(html.UnescapeString(empty), htmlpage.Policy()) {
		t.Error("the page has no content security policy")
	}
	for _, f := range fixtures {
		t.Run(f.name, func(t *testing.T) {
			doc, text := parsePage(t, f.build(t), f.build(t))
			if n := len(elements(doc, "script")); n != 3 {
				t.Errorf("%d scripts, want the data, the library and our own", n)
			}
			ids := map[string]int{}
			for n := range doc.Descendants() {
				if n.Type != html.ElementNode {
					continue
				}
				for _, a := range n.Attr {
					if strings.HasPrefix(a.Key, "on") || a.Key == "style" || a.Key == "src" || a.Key == "action" {
						t.Errorf("<%s> has the attribute %s=%.60q", n.Data, a.Key, a.Val)
					}
					if a.Key == "href" && !strings.HasPrefix(a.Val, "#") && a.Val != "data:," {
						t.Errorf("<%s> refers to %.60q", n.Data, a.Val)
					}
				}
				if id := attribute(n, "id"); id != "" {
					ids[id]++
				}
			}
			for id, n := range ids {
				if n > 1 {
					t.Errorf("id %q stands %d times", id, n)
				}
			}
			for n := range doc.Descendants() {
				for _, key := range []string{"aria-labelledby", "href"} {
					if ref := strings.TrimPrefix(attribute(n, key), "#"); n.Type == html.ElementNode && ref != "" && ref != "data:," && ids[ref] == 0 {
						t.Errorf("<%s> refers to %q, which is not there", n.Data, ref)
					}
				}
			}
			for _, table := range elements(doc, "table") {
				checkPageTable(t, table)
			}
			if strings.ContainsAny(text, "\x00\x07\x1b") || strings.Contains(text, "\u202e") {
				t.Error("the page holds control characters or marks of direction")
			}
		})
	}
}

// checkPageTable ensures that a table has a caption, heads with their scope, and rows of one length.
func checkPageTable(t *testing.T, table *html.Node) {
	t.Helper()
	if len(elements(table, "caption")) != 1 || textOf(elements(table, "caption")[0]) == "" {
		t.Error("a table without a caption")
	}
	for _, h := range elements(table, "th") {
		if s := attribute(h, "scope"); s != "col" && s != "row" {
			t.Errorf("a head %q of scope %q", textOf(h), s)
		}
	}
	rows := elements(table, "tr")
	width := len(elements(rows[0], "th"))
	for _, r := range rows[1:] {
		if n := len(elements(r, "th")) + len(elements(r, "td")); n != width {
			t.Errorf("%s: a row of %d cells under %d heads", textOf(elements(table, "caption")[0]), n, width)
		}
	}
}

// TestPageSaysWhatTablesSay: the verdict, and each expectation with its word, value and bound; those that
// failed stand first.
func TestPageSaysWhatTablesSay(t *testing.T) {
	for _, f := range fixtures {
		r := f.build(t)
		doc, text := parsePage(t, r)
		if word := verdictWords[r.Verdict.Status]; !strings.Contains(text, "<strong>"+word+"</strong>") {
			t.Errorf("%s: the verdict %s is not there", f.name, word)
		}
		if len(r.Verdict.Checks) == 0 {
			continue
		}
		table := elements(doc, "table")[0]
		rows := elements(table, "tr")[1:]
		if len(rows) != len(r.Verdict.Checks) {
			t.Errorf("%s: %d rows of %d checks", f.name, len(rows), len(r.Verdict.Checks))
		}
		var states []string
		for _, row := range rows {
			states = append(states, attribute(row, "class"))
		}
		if !slices.IsSorted(states) { // fail before ok
			t.Errorf("%s: in the order %v", f.name, states)
		}
		for i := range r.Verdict.Checks {
			c := &r.Verdict.Checks[i]
			want := htmlText(c.form(unitOf(c)))
			if !slices.ContainsFunc(rows, func(row *html.Node) bool {
				return strings.Contains(textOf(row), shorten(clean(c.Expr), exprLong)) && strings.Contains(textOf(row), want)
			}) {
				t.Errorf("%s: %.80q with %s is in no row", f.name, c.Expr, want)
			}
		}
	}
}

// TestPageHasEveryKeyAndSlowRequest: nothing is left out that the tables have no room for.
func TestPageHasEveryKeyAndSlowRequest(t *testing.T) {
	r := passFixture(t)
	v := &r.Variants[0]
	for i := range 30 {
		k := v.Keys[0]
		k.Key = fmt.Sprintf("extra-%02d", i)
		v.Keys = append(v.Keys, k)
	}
	doc, text := parsePage(t, r)
	for _, k := range v.Keys {
		if !strings.Contains(text, `<th scope="row">`+k.Key+"</th>") {
			t.Errorf("key %s has no row", k.Key)
		}
	}
	for _, s := range v.Slowest {
		if !strings.Contains(text, "request "+s.Request) {
			t.Errorf("request %s is not there", s.Request)
		}
	}
	folded := 0
	for _, d := range elements(doc, "details") {
		if attribute(d, "class") == "more" {
			folded = len(elements(d, "tr")) - 1
		}
	}
	if want := len(v.Keys) - keysOpen; folded != want {
		t.Errorf("%d keys are folded away, want %d", folded, want)
	}
}

// TestPartsAddUp: the parts of a mean are never more than the whole, and the rest is told.
func TestPartsAddUp(t *testing.T) {
	r := NewRecorder(testSetup())
	run := play(r, lives(newRand(7), 400), forever)
	v := r.Finish(run)
	all := splits(&v)
	if len(all) != 3 {
		t.Fatalf("%d profiles", len(all))
	}
	for _, s := range all {
		if sum := s.queue + s.backoff + s.first + s.generation + s.other; s.other < 0 || sum < s.total*0.9999 || sum > s.total*1.0001 {
			t.Errorf("%+v: the parts are %v of %v", s, sum, s.total)
		}
		if s.queue == 0 || s.backoff == 0 || s.first == 0 || s.generation == 0 || s.other == 0 {
			t.Errorf("%+v: a part is missing", s)
		}
	}
}

// TestFormsForTheScript: the page's script prints numbers as the tables do. The browser tests hold
// it to this file, and this test holds the file to the tables.
func TestFormsForTheScript(t *testing.T) {
	numbers := []float64{0, 1, 5, 9.996, 12, 99.5, 100, 118.4, 999.4, 1230, 12_345, 180_021, 1.5e9, 0.5, 0.0123, 0.00099951, 0.0005, 1e-7, 0.31, 27.249}
	shares := []float64{0, 1, 0.5, 0.995, 0.99999, 0.00005, 0.0114, 0.65432, 1.3, 2e-7}
	latencies := []float64{0, 0.0004, 0.0123, 0.09994, 0.0999, 0.1, 0.3335, 1, 4.4349, 61, 1230}
	instants := []float64{0, 59.9, 60, 872.4, 3599, 3600, 4472, 90_000}
	forms := map[string]map[string]string{"form3": {}, "percent": {}, "seconds": {}, "clock": {}}
	put := func(name string, values []float64, form func(float64) string) {
		for _, x := range values {
			forms[name][fmt.Sprint(x)] = htmlText(form(x))
		}
	}
	put("form3", numbers, form3)
	put("percent", shares, formPercent)
	put("seconds", latencies, func(s float64) string { return latencyUnit{"seconds", 0.001}.form(s * 1000) })
	put("clock", instants, formClock)
	got, err := json.MarshalIndent(forms, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join("htmlpage", "browser", "forms.json")
	if *update {
		if err := os.WriteFile(path, append(got, '\n'), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if string(got)+"\n" != string(want) {
		t.Errorf("%s differs; run with -update and look at the difference", path)
	}
}
