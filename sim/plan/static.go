package plan

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/seed-4fd17b57/simload/report"
	"github.com/seed-4fd17b57/simload/sim/scenario"
	"github.com/seed-4fd17b57/simload/stack"
	"github.com/seed-4fd17b57/simload/workload"
)

// Static is what arithmetic over averages says of a point, as web calculators do it: each model that is asked for
// first by itself, requests and tokens of an average minute against the sum of the keys' limits times the
// headroom, and the calls open on average (Little's law: L = lambda * W) against the concurrency limit. It knows nothing of
// bursts, growing contexts, priorities, failures and retries.
type Static struct {
	Fits  bool       `json:"fits"`
	Tight string     `json:"tight"` // what is used most
	Use   report.Num `json:"use"`   // of it; above 1 it does not fit
}

// StaticAnswer sets the arithmetic beside the answer of the simulation.
type StaticAnswer struct {
	Value string `json:"value,omitempty"` // its answer; empty: none in the range
	Blind bool   `json:"blind"`           // the axis makes no difference to it
	// Error is its value less the simulation's, as a share of the latter; null where one is no number or is missing.
	Error report.Num `json:"error"`
	Text  string     `json:"text"`
	Tight string     `json:"tight"` // what it says binds at the answer
	// Models are the averages that it rests on, at the answer or the most generous value.
	Models []StaticModel `json:"models"`
}

// StaticModel is one model at a point.
type StaticModel struct {
	Model        string     `json:"model"`
	RequestsPS   report.Num `json:"requests_per_s"` // asked for, of profiles whose route begins here
	TokensInPM   report.Num `json:"tokens_in_per_min"`
	TokensOutPM  report.Num `json:"tokens_out_per_min"`
	RPMUse       report.Num `json:"rpm_use"` // of the limits times the headroom; null: no limit
	TPMUse       report.Num `json:"tpm_use"`
	OTPMUse      report.Num `json:"otpm_use"`
	ResponseS    report.Num `json:"response_s"` // measured: arithmetic has no response time of its own
	Little       report.Num `json:"little"`     // open calls: rate x response time
	InFlight     report.Num `json:"in_flight"`  // measured mean, and most, the requests of other models included
	InFlightMax  report.Num `json:"in_flight_max"`
	ConcurrencyN report.Num `json:"concurrency"` // limit; null: none
	Pool         int        `json:"pool"`        // connections: rate x response time x 1.3
}

// poolSlack is what pools of connections are made larger by than the calls open on average.
const poolSlack = 1.3

// averages are the mean demand of each model that is asked for first.
type averages map[int]modelAverage // by model; read by index alone

type modelAverage struct{ requestsPS, inPM, outPM float64 }

// averagesOf draws the demand of a configuration without serving it, and averages it over the measured window.
func averagesOf(b *scenario.Built) (averages, error) {
	w, err := workload.New(b.Workload)
	if err != nil {
		return nil, fmt.Errorf("drawing the demand: %w", err)
	}
	defer w.Close()
	from, to := b.Report.Warmup, b.Workload.Duration
	minutes := (to - from).Minutes()
	sums := make(averages)
	for i := range w.Sources() {
		for d, ok := w.Next(i); ok; d, ok = w.Next(i) {
			if d.Intended < from || d.Intended >= to {
				continue
			}
			m := b.Stack.Routes[b.Profiles[d.Profile].Route].Steps[0].Target
			a := sums[m]
			a.requestsPS += 1 / (to - from).Seconds()
			a.inPM += float64(d.In) / minutes
			a.outPM += float64(d.Out) / minutes
			sums[m] = a
		}
	}
	return sums, w.Err()
}

// limits are what a model's keys come to; 0: no limit.
type limits struct{ rpm, tpm, otpm, slots float64 }

func limitsOf(b *scenario.Built, model int) limits {
	var l limits
	free := limits{} // marks what some key has no limit of
	seen := map[int]bool{}
	t := &b.Stack.Targets[model]
	for _, use := range t.Keys {
		if seen[use.Quota] || use.Weight == 0 {
			continue
		}
		seen[use.Quota] = true
		q := &b.Stack.Quotas[use.Quota]
		for _, x := range []struct {
			to, none *float64
			n        float64
		}{{&l.rpm, &free.rpm, float64(q.RPM)}, {&l.tpm, &free.tpm, float64(q.TPM)}, {&l.otpm, &free.otpm, float64(q.OTPM)}, {&l.slots, &free.slots, float64(q.Concurrency)}} {
			*x.to += x.n
			if x.n == 0 {
				*x.none = 1
			}
		}
	}
	for _, x := range []struct{ to, none *float64 }{{&l.rpm, &free.rpm}, {&l.tpm, &free.tpm}, {&l.otpm, &free.otpm}, {&l.slots, &free.slots}} {
		if *x.none == 1 {
			*x.to = 0
		}
	}
	l.rpm *= float64(b.Stack.Budget.RPMHeadroom) / 100
	l.tpm *= float64(b.Stack.Budget.TPMHeadroom) / 100
	l.otpm *= float64(b.Stack.Budget.TPMHeadroom) / 100
	c := &b.Stack.Concurrency
	if t.Concurrency != nil {
		c = t.Concurrency
	}
	gate := float64(c.Max)
	if c.Controller == "static" {
		gate = float64(c.Start)
	}
	if !b.Stack.Shared {
		gate *= float64(b.Instances)
	}
	if l.slots == 0 || gate < l.slots {
		l.slots = gate
	}
	return l
}

// models does the arithmetic for each model; response times are those of a point that ran, by name.
func models(b *scenario.Built, avg averages, loads []ModelLoad) []StaticModel {
	out := []StaticModel{}
	for m := range b.Report.Models {
		a, asked := avg[m]
		if !asked {
			continue
		}
		l := limitsOf(b, m)
		tokens := a.inPM + a.outPM
		if c := b.Stack.Targets[m].Charge; c == stack.ChargeInput || c == stack.ChargeUncached {
			tokens = a.inPM
		}
		s := StaticModel{
			Model: b.Report.Models[m].Name, RequestsPS: report.Num(a.requestsPS), TokensInPM: report.Num(a.inPM), TokensOutPM: report.Num(a.outPM),
			RPMUse: use(a.requestsPS*60, l.rpm), TPMUse: use(tokens, l.tpm), OTPMUse: use(a.outPM, l.otpm), ConcurrencyN: report.Num(l.slots),
		}
		for _, load := range loads {
			if load.Model == s.Model {
				s.ResponseS, s.InFlight, s.InFlightMax = load.ResponseS, load.InFlight, load.InFlightMax
			}
		}
		s.Little = s.ResponseS * s.RequestsPS
		s.Pool = int(math.Ceil(float64(s.Little) * poolSlack))
		out = append(out, s)
	}
	return out
}

// use is the part of a limit that is taken; NaN without one.
func use(n, limit float64) report.Num {
	if limit == 0 {
		return report.Num(math.NaN())
	}
	return report.Num(n / limit)
}

// fits sums the models up.
func fits(list []StaticModel) Static {
	s := Static{Fits: true}
	for i := range list {
		m := &list[i]
		for _, u := range []struct {
			name string
			use  report.Num
		}{
			{"RPM of " + m.Model, m.RPMUse},
			{"TPM of " + m.Model, m.TPMUse},
			{"output TPM of " + m.Model, m.OTPMUse},
			{"concurrency of " + m.Model, use(float64(m.Little), float64(m.ConcurrencyN))},
		} {
			if u.use > s.Use {
				s.Use, s.Tight = u.use, u.name
			}
		}
	}
	s.Fits = s.Use <= 1
	return s
}

// arithmetic does static arithmetic for the points of one search.
type arithmetic struct {
	p       *Plan
	subject *subject
	loads   []ModelLoad
	drawn   map[string]averages // by hash of what demand depends on; asked, never walked
}

// at does it for a point. A point that cannot be loaded does not fit.
func (a *arithmetic) at(pt *point) ([]StaticModel, Static, error) {
	v, err := variantOf(pt, a.subject)
	if err != nil {
		return nil, Static{}, nil // a value between the ends that the scenario does not go with
	}
	b, err := v.Build(a.p.seed)
	if err != nil {
		return nil, Static{}, err
	}
	key := v.DemandSHA256()
	avg, ok := a.drawn[key]
	if !ok {
		if avg, err = averagesOf(b); err != nil {
			return nil, Static{}, err
		}
		a.drawn[key] = avg
	}
	list := models(b, avg, a.loads)
	return list, fits(list), nil
}

// staticMost is the length of a range up to which the arithmetic is done for each of its values, and not only for
// those that were tried.
const staticMost = 200

// static sets the arithmetic beside the answer, with the averages at a position that was tried.
func (q *search) static(a *Answer, most int) error {
	sums := arithmetic{p: q.Plan, subject: q.subject, loads: q.tried[most].samples[0].Loads, drawn: make(map[string]averages)}
	s := &a.Static
	s.Blind = true
	first := -1
	var before []StaticModel
	for pos, p := range q.tried {
		if p == nil && len(q.tried) > staticMost {
			continue
		}
		list, st, err := sums.at(q.at(pos))
		if err != nil {
			return err
		}
		if pos == most {
			s.Models, s.Tight = list, st.Tight
		}
		if p != nil {
			p.Static = st
		}
		s.Blind = s.Blind && (before == nil || slices.EqualFunc(list, before, sameUses))
		before = list
		if st.Fits && first < 0 {
			first = pos
		}
	}
	a.Points = q.points() // with the arithmetic
	if first >= 0 && !s.Blind {
		s.Value = q.value(first)
	}
	s.Error = report.Num(staticError(s.Value, a.Value))
	s.Text = q.staticText(a)
	return nil
}

// sameUses reports whether the arithmetic says the same of a model at two points.
func sameUses(a, b StaticModel) bool {
	same := func(x, y report.Num) bool { return x == y || math.IsNaN(float64(x)) && math.IsNaN(float64(y)) }
	return same(a.RPMUse, b.RPMUse) && same(a.TPMUse, b.TPMUse) && same(a.OTPMUse, b.OTPMUse) && same(a.ConcurrencyN, b.ConcurrencyN)
}

// staticError is the arithmetic's value less the simulation's, in shares of the latter.
func staticError(static, answer string) float64 {
	s, ok1 := number(static)
	a, ok2 := number(answer)
	if !ok1 || !ok2 || a == 0 {
		return math.NaN()
	}
	return (s - a) / a
}

// number reads a value of an axis: a number with a unit, in that unit.
func number(text string) (float64, bool) {
	if d, err := time.ParseDuration(text); err == nil {
		return d.Seconds(), true
	}
	scale := 1.0
	switch {
	case strings.HasSuffix(text, "k"):
		scale = 1e3
	case strings.HasSuffix(text, "M"):
		scale = 1e6
	}
	f, err := strconv.ParseFloat(strings.TrimRight(text, "%kM"), 64)
	return f * scale, err == nil
}
