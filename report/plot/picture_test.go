package plot_test

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
	"testing"

	"github.com/seed-4fd17b57/simload/report"
	"github.com/seed-4fd17b57/simload/report/plot"
)

// made is a report of variants with a latency curve, series and a fault.
func made(names ...string) *report.Report {
	r := &report.Report{Schema: report.Schema, Tool: report.Tool{Version: "0.0.1", Arch: "any"}}
	r.Scenario = report.Scenario{Name: "made", DurationS: 100, Seed: 1}
	for k, name := range names {
		v := report.Variant{Name: name, Series: report.Series{IntervalS: 10}}
		v.Latency = []report.Latency{{
			By: report.By{Profile: "ask", Class: "P0"}, Metric: report.MetricTotal, Count: 5000, Failures: int64(k) * 100,
			P50MS: 100, P90MS: 200, P95MS: 300, P99MS: 1000, P999MS: 2000, MaxMS: 4000,
		}}
		values := make([]report.Num, 10)
		for i := range values {
			values[i] = report.Num(i * (k + 1))
		}
		gap := append([]report.Num{}, values...)
		gap[5] = report.Num(math.NaN())
		v.Series.Columns = []report.Column{
			{Name: "requests", Values: values},
			{Name: "http_429", Values: values},
			{Name: "in_flight{m}", Values: values},
			{Name: "limit{m}", Values: values},
			{Name: "p99_ms{ask}", Values: gap},
		}
		v.Laws = report.Laws{ConservationOK: true, BooksAgree: true}
		v.Faults = []report.Fault{{Name: "burst", FromS: 20, ToS: 30}}
		r.Variants = append(r.Variants, v)
	}
	report.Judge(r, nil, false, nil)
	return r
}

func draw(t *testing.T, rs ...*report.Report) string {
	t.Helper()
	var b bytes.Buffer
	if err := plot.Render(&b, rs); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// texts reads a picture as XML and returns what is written in it.
func texts(t *testing.T, svg string) string {
	t.Helper()
	var out []string
	for d := xml.NewDecoder(strings.NewReader(svg)); ; {
		tok, err := d.Token()
		if errors.Is(err, io.EOF) {
			return strings.Join(out, "\n")
		}
		if err != nil {
			t.Fatalf("the picture is no XML: %v", err)
		}
		switch tok := tok.(type) {
		case xml.CharData:
			out = append(out, string(tok))
		case xml.StartElement:
			if tok.Name.Local == "script" || tok.Name.Local == "image" || tok.Name.Local == "a" {
				t.Errorf("the picture has a <%s>", tok.Name.Local)
			}
			for _, a := range tok.Attr {
				if strings.HasPrefix(a.Name.Local, "on") || a.Name.Local == "href" {
					t.Errorf("<%s> has the attribute %s", tok.Name.Local, a.Name.Local)
				}
			}
		}
	}
}

// TestPictures: what is drawn is named, in every variant; two drawings of the same are the same.
func TestPictures(t *testing.T) {
	for _, c := range []struct {
		name  string
		rs    []*report.Report
		words []string
	}{
		{"one variant", []*report.Report{made("base")}, []string{"made", "PASS", "ask", "p99", "p99.9", "Requests", "429s and retries", "In flight, m", "limit", "01:00"}},
		{"failures", []*report.Report{made("a", "b")}, []string{"a", "b", "ask", "ask, 1.96 % failed"}},
		{"more variants than there is room for", []*report.Report{made("a", "b", "c", "d", "e", "f")}, []string{"d"}},
		{"two reports", []*report.Report{made("a"), made("b", "c")}, []string{"b", "c"}},
		{"nothing measured", []*report.Report{{Schema: report.Schema, Scenario: report.Scenario{Name: "none"}}}, []string{"none"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			svg := draw(t, c.rs...)
			if svg != draw(t, c.rs...) {
				t.Error("two pictures of the same differ")
			}
			got := texts(t, svg)
			for _, w := range c.words {
				if !strings.Contains("\n"+got+"\n", "\n"+w+"\n") {
					t.Errorf("the picture does not say %q, only %q", w, strings.Join(strings.Fields(got), " "))
				}
			}
			if strings.Contains(svg, "NaN") || strings.Contains(svg, "Inf") {
				t.Error("the picture has a coordinate that is no number")
			}
		})
	}
	if got := texts(t, draw(t, made("a", "b", "c", "d", "e", "f"))); !strings.Contains(got, "2 variants more") {
		t.Error("variants are left out, and nothing says so")
	}
}

// TestHostileNames do no harm in a picture.
func TestHostileNames(t *testing.T) {
	r := made("</svg><script>alert(1)</script>", strings.Repeat("long ", 2000))
	r.Scenario.Name = "]]>\"<&>\x00\x1b\u202e\n|`"
	r.Variants[0].Latency[0].By.Profile = "<script>alert(1)</script>"
	r.Variants[0].Series.Columns[2].Name = "in_flight{</text><script>}"
	svg := draw(t, r)
	texts(t, svg)
	if strings.Contains(svg, "<script") || len(svg) > 200_000 {
		t.Errorf("a name became markup, or %d bytes", len(svg))
	}
}

// TestNoReport is an error and no empty picture.
func TestNoReport(t *testing.T) {
	if err := plot.Render(io.Discard, nil); err == nil {
		t.Error("no error")
	}
}

// A report is read from its file and drawn.
func ExampleRender() {
	file := strings.NewReader(`{"schema": "simload.report/v1", "scenario": {"name": "none"}, "variants": []}`)
	r, err := report.ReadJSON(file)
	if err != nil {
		fmt.Println(err)
		return
	}
	var svg bytes.Buffer
	err = plot.Render(&svg, []*report.Report{r})
	fmt.Println(strings.HasPrefix(svg.String(), "<?xml"), err)
	// Output: true <nil>
}
