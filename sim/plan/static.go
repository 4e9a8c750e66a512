package plan

import (
	"cmp"
	"math"
	"slices"
	"sort"
	"strconv"
	"strings"
	"time"

	"github.com/seed-4fd17b57/simload/report"
)

// Static is what arithmetic over averages says of a point, as web calculators do it: each model that is asked for
// first by itself, and all that share quotas together, requests and tokens of an average minute against the sum of the keys' limits times the
// headroom, and the calls open on average (Little's law: L = lambda * W) against the concurrency limit. It knows nothing of
// bursts, growing contexts, priorities, failures and retries, of stand-ins, and of limits of a day or of long prompts; response times
// and what is read from caches it is told, as measured.
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
	// Models are the averages that it rests on, at the answer or the best value.
	Models []StaticModel `json:"models"`
}

// StaticModel is one model at a point.
type StaticModel struct {
	Model       string     `json:"model"`
	RequestsPS  report.Num `json:"requests_per_s"` // asked for, of profiles whose route begins here
	TokensInPM  report.Num `json:"tokens_in_per_min"`
	TokensOutPM report.Num `json:"tokens_out_per_min"`
	Cached      report.Num `json:"cached"` // part of the prompts' tokens that was read from the cache, measured
	// Use of the limits times the headroom; null: no limit. Where models share quotas, of all of them together if that is more.
	RPMUse       report.Num `json:"rpm_use"`
	TPMUse       report.Num `json:"tpm_use"` // of what the vendor counts: not what is read from the cache where it does not
	OTPMUse      report.Num `json:"otpm_use"`
	OpenUse      report.Num `json:"open_use"`
	With         []string   `json:"with,omitempty"` // models whose quotas the keys share
	ResponseS    report.Num `json:"response_s"`     // measured: arithmetic has no response time of its own
	Little       report.Num `json:"little"`         // open calls: rate x response time
	InFlight     report.Num `json:"in_flight"`      // measured mean, and most, the requests of other models included
	InFlightMax  report.Num `json:"in_flight_max"`
	ConcurrencyN report.Num `json:"concurrency"` // limit; null: none
	Pool         int        `json:"pool"`        // connections: rate x response time x 1.3
}

// poolSlack is what pools of connections are made larger by than the calls open on average.
const poolSlack = 1.3

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
			{"concurrency of " + m.Model, m.OpenUse},
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

// staticMost is the length of a range up to which the arithmetic is done for each of its values. Of a longer one it is done for
// those that were tried, and its own answer is found by halving: what it says of more is never worse.
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
	if len(q.tried) > staticMost {
		var err error
		if first, err = q.staticFirst(&sums); err != nil {
			return err
		}
	}
	if first >= 0 && !s.Blind {
		s.Value = q.value(first)
	}
	s.Error = report.Num(staticError(s.Value, a.Value))
	s.Text = q.staticText(a)
	return nil
}

// staticFirst halves the range down to the first position that fits by arithmetic; -1: none does.
func (q *search) staticFirst(sums *arithmetic) (int, error) {
	var failed error
	first := sort.Search(len(q.tried), func(pos int) bool {
		_, st, err := sums.at(q.at(pos))
		failed = cmp.Or(failed, err)
		return st.Fits
	})
	if failed != nil || first == len(q.tried) {
		return -1, failed
	}
	return first, nil
}

// sameUses reports whether the arithmetic says the same of a model at two points.
func sameUses(a, b StaticModel) bool {
	same := func(x, y report.Num) bool { return x == y || math.IsNaN(float64(x)) && math.IsNaN(float64(y)) }
	return same(a.RPMUse, b.RPMUse) && same(a.TPMUse, b.TPMUse) && same(a.OTPMUse, b.OTPMUse) && same(a.OpenUse, b.OpenUse)
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
