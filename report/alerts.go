package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"time"

	"github.com/seed-4fd17b57/simload/mockupstream"
)

// Rules of alerts.
const (
	RuleP99      = "p99"
	RuleRatio429 = "ratio_429"
	RuleTPM      = "tpm_utilisation"
	// RuleOmitted marks the last alert of a full list, whose value is the number left out.
	RuleOmitted = "omitted"
)

const (
	alertsMax = 50
	// alertSamples is how many requests or attempts a minute must have before a
	// percentile or share of them says anything.
	alertSamples = 20
)

// watch looks at every minute of the run as a monitoring system would: at the p99 of
// each profile (of requests that succeeded or were dead-lettered in it, from the
// intended instant) and at each key's share of 429s. Minutes that begin in the
// warm-up or after the demand's end are not judged.
type watch struct {
	setup *Setup
	end   time.Duration // of the current minute
	p99   []*coarse
	keys  []keyMinute
	p99s  []*alarm // by profile
	r429s []*alarm // by key
	hold  *share   // keeps minutes that are over, for the other parts of the run; nil: there are none
}

type keyMinute struct {
	attempts, limited int64
}

// alarm is one rule's state for one subject.
type alarm struct {
	rule, subject string
	bound         float64
	fired         []firing
}

// firing is a run of consecutive minutes in which the alarm rang.
type firing struct {
	from, to time.Duration
	worst    float64
}

// ring notes that the minute from..to was above the bound; it joins a firing that ended at from.
func (a *alarm) ring(from, to time.Duration, value float64) {
	if n := len(a.fired); n > 0 && a.fired[n-1].to == from {
		a.fired[n-1].to = to
		a.fired[n-1].worst = max(a.fired[n-1].worst, value)
		return
	}
	a.fired = append(a.fired, firing{from: from, to: to, worst: value})
}

func newWatch(s *Setup) watch {
	w := watch{setup: s, end: time.Minute, keys: make([]keyMinute, len(s.Keys))}
	for _, p := range s.Profiles {
		w.p99 = append(w.p99, &coarse{})
		w.p99s = append(w.p99s, &alarm{rule: RuleP99, subject: p.Name, bound: p.P99Alert.Seconds()})
	}
	for _, k := range s.Keys {
		w.r429s = append(w.r429s, &alarm{rule: RuleRatio429, subject: k, bound: s.Ratio429Alert})
	}
	return w
}

// attempt counts an attempt of the key; limited is 1 for a 429.
func (w *watch) attempt(key int, limited int64) {
	w.keys[key].attempts++
	w.keys[key].limited += limited
}

// advance judges the minutes that are over at now.
func (w *watch) advance(now time.Duration) {
	for now >= w.end {
		w.close()
		if w.end += time.Minute; w.end-time.Minute >= w.setup.Duration {
			w.end = never
		}
	}
}

// close judges the current minute.
func (w *watch) close() {
	if w.hold != nil {
		w.hold.minute(w)
		return
	}
	from := w.end - time.Minute
	judge := from >= w.setup.Warmup && from < w.setup.Duration
	for p, c := range w.p99 {
		if q, ok := c.quantile(99); ok && judge && c.n >= alertSamples {
			if bound := w.setup.Profiles[p].P99Alert; bound > 0 && q > bound {
				w.p99s[p].ring(from, w.end, q.Seconds())
			}
		}
		c.reset()
	}
	for k := range w.keys {
		m := &w.keys[k]
		if bound := w.setup.Ratio429Alert; judge && bound > 0 && m.attempts >= alertSamples {
			if share := float64(m.limited) / float64(m.attempts); share > bound {
				w.r429s[k].ring(from, w.end, share)
			}
		}
		*m = keyMinute{}
	}
}

// quotaAlarms judges the provider's minutes of token use.
func quotaAlarms(s *Setup, books *mockupstream.Books, end time.Duration) []*alarm {
	if books == nil || s.TPMAlert <= 0 {
		return nil
	}
	var alarms []*alarm
	for _, q := range books.Quotas {
		limit := s.Quotas[q.Quota].TPM
		if limit <= 0 {
			continue
		}
		a := &alarm{rule: RuleTPM, subject: s.Quotas[q.Quota].Name, bound: s.TPMAlert}
		for i, m := range q.Minutes {
			from := time.Duration(i) * time.Minute
			use := float64(m.Tokens) / float64(limit)
			if from >= s.Warmup && from < end && use > s.TPMAlert {
				a.ring(from, from+time.Minute, use)
			}
		}
		alarms = append(alarms, a)
	}
	return alarms
}

// alertList turns alarms into the report's list, in order of time. When there are
// too many the most severe are kept, by how far the value exceeds the bound.
func alertList(alarms []*alarm) []Alert {
	var all []Alert
	for _, a := range alarms {
		for _, f := range a.fired {
			all = append(all, a.alert(f))
		}
	}
	omitted := len(all) - alertsMax
	if omitted > 0 {
		slices.SortStableFunc(all, func(a, b Alert) int {
			return cmp.Compare(b.Value/b.Bound, a.Value/a.Bound)
		})
		all = all[:alertsMax]
	}
	slices.SortStableFunc(all, func(a, b Alert) int {
		return cmp.Or(cmp.Compare(a.AtS, b.AtS), cmp.Compare(a.Rule, b.Rule), cmp.Compare(a.Subject, b.Subject))
	})
	if omitted > 0 {
		all = append(all, Alert{
			AtS: Num(math.NaN()), ForS: Num(math.NaN()), Rule: RuleOmitted, Value: Num(omitted), Bound: alertsMax,
			Text: fmt.Sprintf("%d less severe alerts left out", omitted),
		})
	}
	return all
}

func (a *alarm) alert(f firing) Alert {
	long := f.to - f.from
	out := Alert{
		AtS: inSeconds(f.from), ForS: inSeconds(long), Rule: a.rule, Subject: a.subject,
		Value: Num(f.worst), Bound: Num(a.bound),
	}
	minutes := strconv.Itoa(int(long/time.Minute)) + " min"
	switch a.rule {
	case RuleP99:
		out.Text = fmt.Sprintf("p99 of %s %s s (> %s s) for %s", a.subject, digits(f.worst), digits(a.bound), minutes)
	case RuleRatio429:
		out.Text = fmt.Sprintf("429 share of key %s %s (> %s) for %s", a.subject, inPercent(f.worst), inPercent(a.bound), minutes)
	default:
		out.Text = fmt.Sprintf("tokens of quota %s at %s of the limit (> %s) for %s", a.subject, inPercent(f.worst), inPercent(a.bound), minutes)
	}
	return out
}

// digits prints with three significant digits and without an exponent.
func digits(v float64) string {
	if a := math.Abs(v); a >= 100 || v == 0 {
		return strconv.FormatFloat(v, 'f', 0, 64)
	} else if a < 0.001 {
		return strconv.FormatFloat(v, 'f', 6, 64)
	}
	return strconv.FormatFloat(v, 'g', 3, 64)
}

// inPercent prints a share: "97 %".
func inPercent(share float64) string { return digits(share*100) + " %" }
