package report

import (
	"cmp"
	"math"
	"slices"
	"strings"
)

// Panel is one chart of time series on the run's time axis.
type Panel struct {
	Name  string // fit to be printed, as all names in it
	Note  string
	Unit  Unit
	Log   bool // a logarithmic scale is the readable one
	Worst bool // rows of several intervals take the highest value, not the mean
	Empty string
	Lines []PanelLine
}

// PanelLine is a series, one value per interval; NaN where there is none.
type PanelLine struct {
	Name   string
	Bound  bool // what the others are held against, such as a limit
	Values []float64
}

// panelModels is how many models have panels of their own.
const panelModels = 6

// Panels returns the time series of a variant as they are best drawn, the same for every medium.
func Panels(r *Report, v *Variant) []Panel {
	if v.Series.IntervalS <= 0 || len(v.Series.Columns) == 0 {
		return nil
	}
	s := panels{v: v, lengths: v.lengths(End(r, v))}
	out := []Panel{{Name: "Requests", Note: "that ended, per second", Unit: UnitRate, Lines: s.rates("requests")}}
	out = append(out, Panel{
		Name: "429s and retries", Note: "per second", Unit: UnitRate, Lines: drawn(s.rates("http_429", "retries")),
		Empty: "No 429s and no retries.",
	})
	out = append(out, s.inFlight()...)
	out = append(
		out,
		Panel{Name: "Queue", Note: "requests that wait at the gates, by class", Unit: UnitNumber, Lines: drawn(s.queues()), Empty: "No request waited at a gate."},
		Panel{Name: "TPM use", Note: "of the provider's limit, the worst key of each model", Unit: UnitShare, Worst: true, Lines: s.all("tpm_use"), Empty: "No limit of tokens per minute was charged."},
		Panel{Name: "RPM use", Note: "of the provider's limit, the worst key of each model", Unit: UnitShare, Worst: true, Lines: s.all("rpm_use"), Empty: "No limit of requests per minute was charged."},
		Panel{Name: "Excluded keys", Note: "pairs of key and model that rest after a refusal", Unit: UnitNumber, Lines: drawn(s.plain("excluded_keys", "excluded")), Empty: "No key was excluded."},
		s.p99(),
	)
	return slices.DeleteFunc(out, func(p Panel) bool { return len(p.Lines) == 0 && p.Empty == "" })
}

// panels reads columns by name.
type panels struct {
	v       *Variant
	lengths []float64 // of the intervals, in seconds
}

// End is where a variant's time axis ends, in seconds: with the demand, or where the run was stopped.
func End(r *Report, v *Variant) float64 {
	if v.Interrupted && v.StoppedS < r.Scenario.DurationS {
		return float64(v.StoppedS)
	}
	return float64(r.Scenario.DurationS)
}

// lengths of the intervals; the last one may be cut by the end of the demand or of the run.
func (v *Variant) lengths(end float64) []float64 {
	step := float64(v.Series.IntervalS)
	out := make([]float64, len(v.Series.Columns[0].Values))
	for i := range out {
		out[i] = step
		if left := end - float64(i)*step; left > 0 && left < step {
			out[i] = left
		}
	}
	return out
}

// splitColumn splits limit{gpt-4.1} into its metric and of what it is.
func splitColumn(name string) (metric, of string) {
	metric, of, _ = strings.Cut(name, "{")
	return metric, strings.TrimSuffix(of, "}")
}

func (s *panels) column(name string) []float64 {
	for i := range s.v.Series.Columns {
		if c := &s.v.Series.Columns[i]; c.Name == name {
			return floats(c.Values)
		}
	}
	return nil
}

func floats(values []Num) []float64 {
	out := make([]float64, len(values))
	for i, x := range values {
		out[i] = float64(x)
	}
	return out
}

func (s *panels) plain(name, label string) []PanelLine {
	if values := s.column(name); values != nil {
		return []PanelLine{{Name: label, Values: values}}
	}
	return nil
}

// rates turns counts into counts per second.
func (s *panels) rates(names ...string) []PanelLine {
	labels := map[string]string{"requests": "requests", "http_429": "429s", "retries": "retries"}
	var out []PanelLine
	for _, name := range names {
		for _, l := range s.plain(name, labels[name]) {
			for i := range min(len(l.Values), len(s.lengths)) {
				l.Values[i] /= s.lengths[i]
			}
			out = append(out, l)
		}
	}
	return out
}

// all returns the series of one metric.
func (s *panels) all(metric string) []PanelLine {
	var out []PanelLine
	for i := range s.v.Series.Columns {
		c := &s.v.Series.Columns[i]
		if m, of := splitColumn(c.Name); m == metric && of != "" {
			out = append(out, PanelLine{Name: shorten(clean(of), nameLong), Values: floats(c.Values)})
		}
	}
	return out
}

// queues are those of the classes that profiles have.
func (s *panels) queues() []PanelLine {
	return slices.DeleteFunc(s.all("queue"), func(l PanelLine) bool {
		return len(s.v.Profiles) > 0 && !slices.ContainsFunc(s.v.Profiles, func(p Profile) bool { return p.Class == l.Name })
	})
}

// drawn returns the lines if any of them ever leaves zero.
func drawn(lines []PanelLine) []PanelLine {
	for _, l := range lines {
		if highest(l.Values) > 0 {
			return lines
		}
	}
	return nil
}

// inFlight sets the calls in flight against the limit, for the models that were used most.
func (s *panels) inFlight() []Panel {
	type model struct {
		use   float64
		panel Panel
	}
	var models []model
	for i := range s.v.Series.Columns {
		metric, of := splitColumn(s.v.Series.Columns[i].Name)
		if metric != "in_flight" || of == "" {
			continue
		}
		lines := []PanelLine{{Name: "in flight", Values: floats(s.v.Series.Columns[i].Values)}}
		if limit := s.column("limit{" + of + "}"); limit != nil {
			lines = append(lines, PanelLine{Name: "limit", Bound: true, Values: limit})
		}
		if use := total(lines[0].Values); use > 0 {
			models = append(models, model{use, Panel{Name: "In flight, " + shorten(clean(of), nameLong), Note: "against the limit of concurrency", Unit: UnitNumber, Lines: lines}})
		}
	}
	if models == nil {
		return []Panel{{Name: "In flight", Note: "calls at the provider", Unit: UnitNumber, Lines: drawn(s.plain("in_flight", "in flight")), Empty: "No call was in flight when anybody looked."}}
	}
	slices.SortStableFunc(models, func(a, b model) int { return cmp.Compare(b.use, a.use) })
	var out []Panel
	for _, m := range models[:min(len(models), panelModels)] {
		out = append(out, m.panel)
	}
	return out
}

// p99 is on a logarithmic scale when its values are far apart.
func (s *panels) p99() Panel {
	p := Panel{Name: "p99", Note: "of the requests that ended, by profile", Unit: UnitTime, Worst: true, Lines: s.all("p99_ms"), Empty: "No request ended."}
	low, high := math.Inf(1), 0.0
	for _, l := range p.Lines {
		for i := range l.Values {
			l.Values[i] /= 1000
			if x := l.Values[i]; x > 0 {
				low, high = min(low, x), max(high, x)
			}
		}
	}
	p.Log = high > 20*low
	return p
}

// highest is the highest number, NaN when there is none.
func highest(values []float64) float64 {
	out := math.NaN()
	for _, x := range values {
		if math.IsNaN(out) || x > out {
			out = x
		}
	}
	return out
}

func total(values []float64) float64 {
	sum := 0.0
	for _, x := range values {
		if !math.IsNaN(x) {
			sum += x
		}
	}
	return sum
}

// Window is one time at which a scripted fault was on.
type Window struct {
	Mark     string // a letter, the same for all windows of a fault
	From, To float64
}

// FaultMark is a fault with the letter of its windows.
type FaultMark struct {
	Mark  string // "" when it was on all the time, which is not shown as a window
	Fault *Fault
}

// windowsMost bounds the windows of one fault that are drawn.
const windowsMost = 60

// FaultWindows returns the script with its letters, and the windows to shade within the run's
// duration, in the script's order.
func FaultWindows(r *Report, v *Variant) (marks []FaultMark, windows []Window) {
	end := End(r, v)
	n := 0
	for i := range v.Faults {
		f := &v.Faults[i]
		m := FaultMark{Fault: f}
		from, to, every := float64(f.FromS), float64(f.ToS), float64(f.EveryS)
		if from > 0 || to < end {
			m.Mark = letters(n)
			n++
		}
		for range windowsMost {
			if m.Mark == "" || !(from < end) || !(to > from) {
				break
			}
			windows = append(windows, Window{Mark: m.Mark, From: from, To: min(to, end)})
			if !(every > 0) {
				break
			}
			from, to = from+every, to+every
		}
		marks = append(marks, m)
	}
	return marks, windows
}

// letters are A to Z, then AA.
func letters(n int) string {
	if n < 26 {
		return string(rune('A' + n))
	}
	return letters(n/26-1) + letters(n%26)
}
