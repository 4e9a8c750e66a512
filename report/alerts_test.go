package report

import (
	"strings"
	"testing"
	"time"

	"github.com/seed-4fd17b57/simload/mockupstream"
	"github.com/seed-4fd17b57/simload/stack"
)

// minuteOf feeds one minute with n requests of the given latency and n attempts of key k1, of which
// limited are 429s.
func minuteOf(r *Recorder, minute, n int, latency time.Duration, limited int) {
	for i := range n {
		now := time.Duration(minute)*time.Minute + time.Duration(i)*100*time.Millisecond
		status := 200
		if i < limited {
			status = 429
		}
		j := &Job{Intended: now - latency}
		r.Attempted(now, j, &stack.Step{Outcome: stack.Outcome{Status: status}}, Bill{}, false)
		r.Done(now, j, &stack.Result{Ending: stack.Succeeded, Submitted: now - latency, Ended: now})
	}
}

// TestAlertsJoinMinutes ensures that consecutive minutes make one alert with the worst value,
// and that the warm-up, small samples and values at the bound make none.
func TestAlertsJoinMinutes(t *testing.T) {
	r := NewRecorder(testSetup())
	minuteOf(r, 0, 100, 9*time.Second, 50) // warm-up
	minuteOf(r, 1, 100, time.Second, 5)    // 5 % is not above 5 %
	minuteOf(r, 2, 100, 6*time.Second, 6)
	minuteOf(r, 3, 100, 8*time.Second, 10)
	minuteOf(r, 5, 100, 7*time.Second, 0)
	minuteOf(r, 7, 19, 9*time.Second, 19) // too few
	v := r.Finish(Run{Now: 10 * time.Minute, Books: &mockupstream.Books{Quotas: []mockupstream.QuotaBook{
		{Quota: 0, Minutes: []mockupstream.Minute{{Tokens: 2e6}, {Tokens: 900_000}, {Tokens: 910_000}, {Tokens: 970_000}, {}, {}, {}, {}, {}, {}, {Tokens: 3e6}}},
	}}})
	type row struct {
		at, long Num
		rule     string
		worst    float64
	}
	want := []row{
		{120, 120, RuleP99, 8}, {120, 120, RuleRatio429, 0.1}, {120, 120, RuleTPM, 0.97}, {300, 60, RuleP99, 7},
	}
	if len(v.Alerts) != len(want) {
		t.Fatalf("%d alerts: %+v", len(v.Alerts), v.Alerts)
	}
	for i, a := range v.Alerts {
		w := want[i]
		if a.AtS != w.at || a.ForS != w.long || a.Rule != w.rule || float64(a.Value) < w.worst*0.984 || float64(a.Value) > w.worst*1.016 {
			t.Errorf("alert %d: %+v, want %+v", i, a, w)
		}
	}
	for i, text := range []string{"p99 of hypothesis ", "429 share of key k1 10 % (> 5 %) for 2 min", "tokens of quota org/gpt-4.1 at 97 % of the limit (> 90 %) for 2 min"} {
		if !strings.HasPrefix(v.Alerts[i].Text, text) {
			t.Errorf("text %q, want %q", v.Alerts[i].Text, text)
		}
	}
}

// TestAlertsAreBounded ensures that the most severe alerts are kept, in order of
// time, and the rest is counted.
func TestAlertsAreBounded(t *testing.T) {
	a := &alarm{rule: RuleRatio429, subject: "k", bound: 0.01}
	for i := range 70 {
		a.ring(time.Duration(2*i)*time.Minute, time.Duration(2*i+1)*time.Minute, 0.02+float64(i)/100)
	}
	list := alertList([]*alarm{a})
	if len(list) != alertsMax+1 {
		t.Fatalf("%d alerts", len(list))
	}
	if last := list[alertsMax]; last.Rule != RuleOmitted || last.Value != 20 || last.Text != "20 less severe alerts left out" {
		t.Errorf("last %+v", last)
	}
	for i, got := range list[:alertsMax] {
		if want := Num((20 + i) * 120); got.AtS != want {
			t.Errorf("alert %d at %v, want %v", i, got.AtS, want)
		}
	}
}

// TestDigits prints numbers as texts show them.
func TestDigits(t *testing.T) {
	for v, want := range map[float64]string{0: "0", 5: "5", 97.04: "97", 1234.5: "1234", 0.1234: "0.123", 0.00001: "0.000010", 1e6: "1000000"} {
		if got := digits(v); got != want {
			t.Errorf("%v: %q, want %q", v, got, want)
		}
	}
}
