package report

import (
	"errors"
	"math"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestParseExpect(t *testing.T) {
	den := func(t Term) *Term { return &t }
	for _, c := range []struct {
		text string
		want Expect
	}{
		{"p99{profile=hypothesis} < 6s", Expect{Num: Term{Metric: "p99", By: By{Profile: "hypothesis"}}, Op: "<", BoundAs: "6s", Bound: 6}},
		{"  p50_ok<=250ms ", Expect{Num: Term{Metric: "p50_ok"}, Op: "<=", BoundAs: "250ms", Bound: 0.25}},
		{"ratio_429 < 1%", Expect{Num: Term{Metric: "ratio_429"}, Op: "<", BoundAs: "1%", Bound: 0.01}},
		{"ratio_429<0.01", Expect{Num: Term{Metric: "ratio_429"}, Op: "<", BoundAs: "0.01", Bound: 0.01}},
		{"queue_p99 { class = P0 , profile = \"a, {b}\" } > 1m30s", Expect{Num: Term{Metric: "queue_p99", By: By{Class: "P0", Profile: "a, {b}"}}, Op: ">", BoundAs: "1m30s", Bound: 90}},
		{
			"throughput{variant=aimd} / throughput{variant=static} >= 1.38",
			Expect{Num: Term{Metric: "throughput", Variant: "aimd"}, Den: den(Term{Metric: "throughput", Variant: "static"}), Op: ">=", BoundAs: "1.38", Bound: 1.38},
		},
		{"p99 / p50 < 150 %", Expect{Num: Term{Metric: "p99"}, Den: den(Term{Metric: "p50"}), Op: "<", BoundAs: "150 %", Bound: 1.5}},
		{"requests == 10k", Expect{Num: Term{Metric: "requests"}, Op: "==", BoundAs: "10k", Bound: 10_000}},
		{"tokens_per_min >= 1.5M", Expect{Num: Term{Metric: "tokens_per_min"}, Op: ">=", BoundAs: "1.5M", Bound: 1_500_000}},
		{"requests != 10_000", Expect{Num: Term{Metric: "requests"}, Op: "!=", BoundAs: "10_000", Bound: 10_000}},
		{"first_token_mean_ok < 0s", Expect{Num: Term{Metric: "first_token_mean_ok"}, Op: "<", BoundAs: "0s"}},
		{"tpm_utilisation < 105%", Expect{Num: Term{Metric: "tpm_utilisation"}, Op: "<", BoundAs: "105%", Bound: 1.05}},
		{"ratio_ok == 100%", Expect{Num: Term{Metric: "ratio_ok"}, Op: "==", BoundAs: "100%", Bound: 1}},
		{"cost{profile=x} < 1e3", Expect{Num: Term{Metric: "cost", By: By{Profile: "x"}}, Op: "<", BoundAs: "1e3", Bound: 1000}},
	} {
		t.Run(c.text, func(t *testing.T) {
			c.want.Text = strings.TrimSpace(c.text)
			got, err := ParseExpect(c.text)
			if err != nil {
				t.Fatal(err)
			}
			if !reflect.DeepEqual(got, c.want) {
				t.Errorf("got %+v, want %+v", got, c.want)
			}
		})
	}
}

func TestParseExpectErrors(t *testing.T) {
	for _, c := range []struct {
		text   string
		column int
		says   []string
	}{
		{"", 1, []string{"found the end", "a metric: p50"}},
		{"p99 << 45s", 5, []string{`found "<<"`, `did you mean "<"?`}},
		{"p99 <=> 45s", 5, []string{`found "<=>"`, "allowed: < <= > >= == !="}},
		{"p99 === 45s", 5, []string{`did you mean "=="?`}},
		{"ratio_429 < 1000%", 13, []string{`found "1000%"`, "a share from 0 to 1", "never above 100%"}},
		{"ratio_ok{profile=x} > 99", 23, []string{`found "99"`, "did you mean 99%?"}},
		{"p98 < 6s", 1, []string{`found "p98"`, `did you mean "p90"?`}},
		{"P99 < 6s", 1, []string{`did you mean "p99"?`}},
		{"ratio_492 < 1%", 1, []string{`did you mean "ratio_429"?`}},
		{"quue_p99 < 1s", 1, []string{`did you mean "queue_p99"?`}},
		{"p(95) < 1s", 1, []string{"percentiles are written p95"}},
		{"p99{profle=x} < 6s", 5, []string{`found "profle"`, "profile, class, model, key, variant", `did you mean "profile"?`}},
		{"p99{} < 6s", 5, []string{`found "}`, "profile, class"}},
		{"p99{profile} < 6s", 12, []string{`"=" after profile`}},
		{"p99{profile=} < 6s", 13, []string{"a value"}},
		{`p99{profile=""} < 6s`, 13, []string{"not empty"}},
		{`p99{profile="x < 6s`, 13, []string{"a closing double quote"}},
		{"p99{profile=x < 6s", 19, []string{`found the end`, `"}"`}},
		{"p99{profile=x,profile=y} < 6s", 15, []string{"each selector once"}},
		{"p99{profile=x;class=y < 6s", 27, []string{`"}"`}},
		{"retries{profile=x} < 6", 9, []string{"retries can be selected by variant"}},
		{"limit_mean{key=x} < 6", 12, []string{"by model, variant"}},
		{"requests{key=x} < 6", 10, []string{`found "key"`, "requests can be selected by profile, class, model, variant"}},
		{"generation_p99{model=x} < 6s", 16, []string{`found "model"`, "by profile, class, variant"}},
		{"p99{profile=x,model=y} < 6s", 15, []string{`found "model"`, "p99 is measured by profile and class, or model, or key", "leave out model"}},
		{"p99{model=y,key=x} < 6s", 13, []string{`found "key"`, "by profile and class, or model, or key"}},
		{"ratio_429{key=x,class=P0} < 6", 17, []string{"by profile and class, or model and key"}},
		{"cost_per_1000{class=P0,model=x} < 6", 24, []string{"by profile and class, or model"}},
		{"p99 6s", 5, []string{`found "6s"`, "< <= > >= == !=", "a second metric"}},
		{"p99 = 6s", 5, []string{`did you mean "=="?`}},
		{"p99 =< 6s", 5, []string{`did you mean "<="?`}},
		{"p99 / < 6s", 7, []string{"a metric"}},
		{"p99 < ", 7, []string{"found the end", "a time with its unit"}},
		{"p99 < 6", 7, []string{"did you mean 6s?"}},
		{"p99 < 6%", 7, []string{"a time with its unit"}},
		{"p99 < -6s", 7, []string{`found "-6s"`}},
		{"p99 < 6s 7", 7, []string{`found "6s 7"`}},
		{"ratio_429 < 1s", 13, []string{"a share such as 1%", "no time"}},
		{"requests < 1%", 12, []string{"a number such as 12", "no share"}},
		{"throughput < 1%", 14, []string{"no share"}},
		{"requests < NaN", 12, []string{`found "NaN"`}},
		{"requests < Inf", 12, []string{`found "Inf"`}},
		{"requests < 1e999", 12, []string{`found "1e999"`}},
		{"requests < 1__0", 12, []string{`found "1__0"`}},
		{"requests < 0x10", 12, []string{`found "0x10"`}},
		{"requests < -1", 12, []string{`found "-1"`}},
		{"größe < 1", 1, []string{`found "größe"`}},
		{"p99{profile=größe} ? 1", 20, []string{`found "?"`}},
		{"p99\xff < 1s", 4, []string{"UTF-8"}},
		{strings.Repeat("p", 70_000), 1, []string{"at most 65536 bytes"}},
	} {
		t.Run(shorten(c.text, 40), func(t *testing.T) {
			e, err := ParseExpect(c.text)
			var bad *ExpectError
			if !errors.As(err, &bad) {
				t.Fatalf("got %+v and error %v, want an *ExpectError", e, err)
			}
			if bad.Column != c.column {
				t.Errorf("column %d, want %d: %v", bad.Column, c.column, err)
			}
			if len(err.Error()) > 2000 {
				t.Errorf("the message has %d bytes", len(err.Error()))
			}
			for _, s := range c.says {
				if !strings.Contains(err.Error(), s) {
					t.Errorf("%q does not say %s", err, s)
				}
			}
		})
	}
}

func TestEveryMetricIsKnownAndNamedInHelp(t *testing.T) {
	v := variantFixture("base")
	for _, name := range MetricNames() {
		m, ok := findMetric(name)
		if !ok || m.name != name {
			t.Errorf("%s is not known", name)
			continue
		}
		if x, note := m.eval(&v, By{}); math.IsNaN(x) != (note != "" && !strings.HasPrefix(note, "estimated")) && !math.IsInf(x, 0) {
			t.Errorf("%s is %v with note %q", name, x, note)
		}
	}
	for _, m := range plainMetrics {
		if !strings.Contains(metricHelp(), m.name) {
			t.Errorf("the help does not name %s", m.name)
		}
	}
}

func FuzzExpect(f *testing.F) {
	for _, s := range []string{
		"p99{profile=hypothesis} < 6s", "ratio_429 < 1%", "throughput{variant=aimd} / throughput{variant=static} >= 1.38",
		`p50_ok{key="a\"\\,{}"} != 1m30s`, "requests == 10_000", "cost<1e3", "p99{", "=", "p99 < 6", `p99{key=" x"} < 1h`,
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		e, err := ParseExpect(s)
		if err != nil {
			var bad *ExpectError
			if !errors.As(err, &bad) || bad.Column < 1 || bad.Allowed == "" || len(err.Error()) > 4000 {
				t.Fatalf("bad error: %v", err)
			}
			return
		}
		if !(e.Bound >= 0) || math.IsInf(e.Bound, 0) {
			t.Fatalf("bound %v", e.Bound)
		}
		again, err := ParseExpect(e.String())
		if err != nil {
			t.Fatalf("%q, printed as %q: %v", s, e.String(), err)
		}
		again.Text = e.Text
		if !reflect.DeepEqual(e, again) {
			t.Fatalf("%q, printed as %q: %+v and %+v", s, e.String(), e, again)
		}
		if checks := EvalAll([]Expect{e}, []Variant{{Name: "base"}}); len(checks) != 1 {
			t.Fatalf("%d checks", len(checks))
		}
	})
}

func TestEditDistanceIsAMetricOfSmallEdits(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		a, b := rapid.StringMatching(`[a-c]{0,6}`).Draw(rt, "a"), rapid.StringMatching(`[a-c]{0,6}`).Draw(rt, "b")
		d := editDistance(a, b)
		if d != editDistance(b, a) || (d == 0) != (a == b) || d > max(len(a), len(b)) {
			rt.Fatalf("distance of %q and %q is %d", a, b, d)
		}
	})
	if d := editDistance("ratio_492", "ratio_429"); d != 1 {
		t.Errorf("a swap costs %d", d)
	}
}
