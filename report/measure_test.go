package report

import (
	"bytes"
	"math"
	"slices"
	"strings"
	"testing"
)

// TestBetter: every metric has the direction that a reader would give it; a new one has to be thought of here.
func TestBetter(t *testing.T) {
	higher := []string{"throughput", "tokens_per_min", "ratio_ok", "cache_hits", "jain", "jain_throughput"}
	neither := []string{"offered", "offered_tokens_per_min", "requests", "tokens_in", "tokens_out", "cancelled", "rpm_utilisation", "tpm_utilisation", "limit_mean"}
	lower := []string{
		"ratio_429", "attempts", "attempts_per_request", "failed", "dead_letters", "rejected", "retries", "timeouts", "http_429", "http_5xx",
		"duplicate_writes", "early_retries", "cache_wrong", "degraded", "fallback_1", "fallback_2", "fallback_3", "cost", "cost_per_1000", "wasted_share", "retry_peak",
		"longest_wait", "starvation", "starvation_p99", "equal_waits", "amplification", "amplification_worst", "backoff_share",
	}
	for _, name := range MetricNames() {
		want := LowerIsBetter
		switch {
		case slices.Contains(higher, name):
			want = HigherIsBetter
		case slices.Contains(neither, name):
			want = NoDirection
		case slices.Contains(lower, name):
		case (Term{Metric: name}).Unit() != UnitTime:
			t.Errorf("nobody has said which way %s is better", name)
		}
		if got := Better(name); got != want {
			t.Errorf("%s: %s is better, want %s", name, got, want)
		}
	}
}

// TestMeasureEach: what files cannot hold comes back: a null latency is a failure where something was asked for, and was not
// measured where nothing was.
func TestMeasureEach(t *testing.T) {
	r := passFixture(t)
	v := &r.Variants[0]
	p99, most := Term{Metric: "p99", By: By{Profile: "notes"}}, Term{Metric: "max", By: By{Profile: "notes"}}
	if got := p99.MeasureEach(v); len(got) != 1 || !(got[0] > 0) {
		t.Errorf("of a single run: %v", got)
	}
	share := func(name string, x float64) Share { return Share{Name: name, Share: Num(x)} }
	v.Replications = []Replication{
		{Seed: 1, Figures: []Share{share("p99_s{profile=notes}", 2), share("max{profile=notes}", math.Inf(1)), share("cost", 3)}},
		{Seed: 2, Figures: []Share{share("p99_s{profile=notes}", math.Inf(1)), share("max{profile=notes}", math.Inf(1)), share("cost", math.NaN())}},
		{Seed: 3, Figures: []Share{share("p99_s{profile=notes}", math.NaN())}},
	}
	back, err := Canonical(r)
	if err != nil {
		t.Fatal(err)
	}
	v = &back.Variants[0]
	if got := p99.MeasureEach(v); got[0] != 2 || !math.IsInf(got[1], 1) || !math.IsNaN(got[2]) {
		t.Errorf("p99: %v, want 2, +Inf, NaN", got)
	}
	if got := most.MeasureEach(v); !math.IsInf(got[0], 1) || !math.IsInf(got[1], 1) || !math.IsNaN(got[2]) {
		t.Errorf("max: %v, want +Inf, +Inf, NaN", got)
	}
	if got := (Term{Metric: "cost"}).MeasureEach(v); got[0] != 3 || !math.IsNaN(got[1]) {
		t.Errorf("cost: %v, want 3, NaN", got)
	}
	if got := (Term{Metric: "retries"}).MeasureEach(v); got != nil {
		t.Errorf("what is not kept: %v", got)
	}
	for text, want := range map[string]bool{"p99": true, "nosuch": false} {
		if got := (Term{Metric: text}).Known(); got != want {
			t.Errorf("%s is known: %v", text, got)
		}
	}
	if _, note := (Term{Metric: "nosuch"}).Measure(v); note == "" {
		t.Error("no note on a metric that does not exist")
	}
}

// TestReadJSONForced: a file of another schema is read for what it shares with this one.
func TestReadJSONForced(t *testing.T) {
	const other = `{"schema": "simload.report/v0", "scenario": {"name": "x"}, "unknown": 1}`
	if _, err := ReadJSONAll(strings.NewReader(other)); err == nil {
		t.Error("another schema is read without force")
	}
	got, err := ReadJSONForced(strings.NewReader("[" + other + "]"))
	if err != nil || len(got) != 1 || got[0].Schema != "simload.report/v0" || got[0].Scenario.Name != "x" {
		t.Errorf("%+v, %v", got, err)
	}
}

// TestDocument: documents of other packages fit, and hostile texts in them do no harm, as on pages of reports.
func TestDocument(t *testing.T) {
	const hostile = "a|b</script>\x1b[31m\n# h\u202e@x"
	var d Document
	d.Facts("WORSE", "1"+thin+"s", hostile)
	d.Lines("Note", hostile, "second")
	d.Heading("Variant "+hostile, "fact")
	d.Table("Judged "+hostile, "aside", []TableColumn{{Head: "name", Text: true}, {Head: "n"}, {Head: "more", Drop: 1}}, [][]string{{strings.Repeat(hostile, 20), "1", "2"}})
	var text, md bytes.Buffer
	if err := d.RenderTable(&text, Options{Width: 60, Color: true}); err != nil {
		t.Fatal(err)
	}
	if err := d.RenderMarkdown(&md); err != nil {
		t.Fatal(err)
	}
	plainText := strings.ReplaceAll(strings.ReplaceAll(text.String(), bold+red, ""), bold, "")
	plainText = strings.ReplaceAll(plainText, plain, "")
	for line := range strings.Lines(plainText) {
		if columns(strings.TrimSuffix(line, "\n")) > 60 || strings.ContainsAny(line, "\x1b\u202e") {
			t.Errorf("%q", line)
		}
	}
	if !strings.HasPrefix(text.String(), bold+red+"WORSE"+plain) || !strings.HasPrefix(md.String(), "**WORSE** 1") {
		t.Errorf("it begins with %.40q and %.40q", text.String(), md.String())
	}
	if strings.ContainsAny(md.String(), "<>\x1b\u202e") || strings.Contains(md.String(), "@") {
		t.Errorf("Markdown holds markup:\n%s", md.String())
	}
}
