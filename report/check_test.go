package report

import (
	"strings"
	"testing"
)

// unmeasured is a report of a run that was interrupted in its warm-up: nothing was measured, but for what is told.
func unmeasured(t *testing.T, exprs ...string) *Report {
	r := passFixture(t)
	v := &r.Variants[0]
	v.Interrupted, v.StoppedS = true, 2
	v.Totals, v.Groups, v.Slowest = Totals{}, nil, nil
	for i := range v.Latency {
		v.Latency[i] = Latency{By: v.Latency[i].By, Metric: v.Latency[i].Metric}
	}
	Judge(r, mustExpects(t, exprs...), true, nil)
	return r
}

// Ensure an expectation about what was not measured before an interrupt is not said to have failed, in any format; and that
// it does fail where the run was not interrupted, or where what was measured is a failure.
func TestWhatWasNotMeasuredIsNotJudged(t *testing.T) {
	r := unmeasured(t, "p99{profile=hypothesis} < 45s", "ratio_429 < 10%")
	for format, want := range map[string][]string{
		"table":    {"PARTIAL     expectations not judged: nothing was measured", "\nNot judged\n", "no requests"},
		"markdown": {"expectations not judged: nothing was measured", "Not judged"},
		"junit":    {`failures="0"`, `errors="3"`, `<error message="not judged: no requests" type="partial">`},
		"csv":      {"p99{profile=hypothesis} < 45s,holds,,bool"},
		"html":     {"not judged"},
	} {
		text := renderString(t, r, format, Options{Width: 100})
		for _, w := range want {
			if !strings.Contains(text, w) {
				t.Errorf("%s: no %q in\n%.1500s", format, w, text)
			}
		}
		if strings.Contains(text, "FAIL") || strings.Contains(text, "expectations failed") {
			t.Errorf("%s says that it failed", format)
		}
	}
	if c := r.Verdict.Checks[0]; c.OK {
		t.Errorf("it held: %+v", c)
	}
	for _, line := range annotations(r) {
		if strings.Contains(line, "failed") {
			t.Error(line)
		}
	}
	// What was measured is judged beside it.
	if text := renderString(t, unmeasured(t, "p99 < 45s", "throughput >= 1000"), "table", Options{Width: 100}); !strings.Contains(text, "1 of 2 expectations failed, 1 not judged") {
		t.Errorf("one of two:\n%.800s", text)
	}
	Judge(r, mustExpects(t, "p99{profile=hypothesis} < 45s", "ratio_429 < 10%"), false, nil)
	if text := renderString(t, r, "table", Options{Width: 100}); !strings.Contains(text, "FAIL        2 of 2 expectations failed") {
		t.Errorf("not interrupted:\n%.800s", text)
	}
}
