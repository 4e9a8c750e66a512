package draft

import (
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/seed-4fd17b57/simload/mockupstream/catalog"
	"github.com/seed-4fd17b57/simload/workload"
	"github.com/seed-4fd17b57/simload/workload/fit"
)

// Demand is a fitted trace that is to become a scenario.
type Demand struct {
	Path     string // of the trace; its name stands in comments
	Trace    *fit.Trace
	Fit      *fit.Fit
	Goodness *fit.Goodness
	// Model is the catalogue's model that the requests ask for.
	Model catalog.Model
	// Latency is the model's, where it was measured; nil: the catalogue's.
	Latency *fit.Latency
	// WorkloadOnly leaves out all but the workload.
	WorkloadOnly bool
}

// headroom is how many times the busiest minute the keys' limits are.
const headroom = 4

// YAML returns the scenario.
func (d *Demand) YAML() []byte {
	p := &Page{}
	base := filepath.Base(d.Path)
	c := d.Trace.Counts
	p.Comment(0, "The demand of %s (format %v): %d requests in %v, fitted by simload import.", base, c.Format, len(d.Trace.Rows), d.Trace.Length.Round(time.Second))
	p.Comment(0, "")
	for _, line := range strings.Split(strings.TrimRight(d.Goodness.Text(d.Fit), "\n"), "\n") {
		p.Line(0, "# %s", strings.TrimRight(clean(line), " "))
	}
	if !d.WorkloadOnly {
		p.Line(0, "name: %s", Quote(Identifier(strings.TrimSuffix(trimExt(base), "."))))
		p.Line(0, "description: %s", Quote("Fitted to "+base+"."))
		p.Line(0, "seed: 1")
		p.Line(0, "duration: %s    # the rate below is known for so long; later it stays as it ends", Duration(d.Fit.Length))
		p.Line(0, "warmup: 0s")
	}
	p.Line(0, "")
	p.Line(0, "workload:")
	d.profiles(p)
	d.stream(p)
	if !d.WorkloadOnly {
		d.provider(p)
	}
	return []byte(p.String())
}

// profiles writes the kinds of requests.
func (d *Demand) profiles(p *Page) {
	p.Line(1, "profiles:")
	names := d.names()
	for i := range d.Fit.Kinds {
		k := &d.Fit.Kinds[i]
		p.Line(2, "%s:    # %s", Quote(names[i]), about(k))
		p.Line(3, "class: P1    # a trace does not say what is urgent: P0, P1 or P2")
		p.Line(3, "model: %s", Quote(d.Model.Name))
		goOn := len(k.Rounds.Values) > 0
		if goOn {
			p.Comment(3, "Time between a session's requests, its first prompt, and what each further one adds.")
			empirical(p, 3, "interval", k.Gap, milliseconds)
		}
		lengths(p, 3, "context", k.In)
		if len(k.Shared.Values) > 0 {
			p.Comment(3, "What of the first prompt others had begun with before.")
			lengths(p, 3, "shared_prefix", k.Shared)
		}
		if goOn {
			lengths(p, 3, "growth", k.Growth)
			p.Line(3, "max_context: %d    # the longest prompt", k.MaxIn)
		}
		lengths(p, 3, "output", k.Out)
		p.Line(3, "max_output: %d    # the longest answer; write what your clients ask for (max_tokens)", k.Out.Max())
	}
}

// about says how much a kind is made of.
func about(k *fit.Kind) string {
	text := fmt.Sprintf("%d requests", k.Requests)
	if k.Sessions < k.Requests {
		text += fmt.Sprintf(" of %d sessions", k.Sessions)
	}
	if k.Failed > 0 {
		text += fmt.Sprintf(", %d of them had failed", k.Failed)
	}
	return text
}

// lengths writes a distribution of tokens.
func lengths(p *Page, depth int, key string, l fit.Lengths) { empirical(p, depth, key, l, whole) }

// milliseconds writes so many of them as a duration.
func milliseconds(n int64) string { return Duration(time.Duration(n) * time.Millisecond) }

// empirical writes a distribution, each value in some form.
func empirical(p *Page, depth int, key string, l fit.Lengths, form func(int64) string) {
	if len(l.Values) == 1 {
		p.Line(depth, "%s: %s", key, form(l.Values[0]))
		return
	}
	p.Line(depth, "%s:", key)
	p.Line(depth+1, "empirical:")
	values, weights := make([]string, len(l.Values)), make([]string, len(l.Values))
	for i := range l.Values {
		values[i], weights[i] = form(l.Values[i]), whole(l.Counts[i])
	}
	p.Flow(depth+2, "values", values)
	p.Flow(depth+2, "weights", weights)
}

// stream writes the arrivals.
func (d *Demand) stream(p *Page) {
	a := &d.Fit.Arrivals
	p.Line(1, "streams:")
	p.Line(2, "recorded:")
	names := d.names()
	if len(d.Fit.Kinds) == 1 {
		p.Line(3, "profile: %s", Quote(names[0]))
	} else {
		var mix []string
		for i := range d.Fit.Kinds {
			mix = append(mix, fmt.Sprintf("%s: %d", Quote(names[i]), d.Fit.Kinds[i].Weight))
		}
		p.Line(3, "mix: {%s}", strings.Join(mix, ", "))
	}
	switch a.Kind {
	case workload.ArrivalsGamma:
		p.Line(3, "arrivals: gamma")
	case workload.ArrivalsWeibull:
		p.Line(3, "arrivals: weibull")
	default:
		p.Line(3, "arrivals: poisson")
	}
	if a.CV > 0 {
		p.Line(3, "cv: %s    # of the gaps, beside what the rate does", Number(a.CV))
	}
	if a.Tick > 0 {
		p.Line(3, "tick: %s    # the recorded instants are multiples of it; remove it for arrivals in between", Duration(a.Tick))
	}
	d.rate(p)
	d.sessions(p)
	if s := d.Fit.Clients; s != nil {
		p.Comment(3, "The trace names %d sessions or agents, which have %d of the requests: %d at the median, %d at the 95th percentile; the busiest tenth has %.0f %% of them. Requests of one come %v apart (median; 95th percentile %v).",
			s.Count, s.Requests, s.PerSession[0], s.PerSession[1], 100*s.Top, rounded(s.Gap[0]), rounded(s.Gap[1]))
		p.Line(3, "clients: %d", min(s.Count, 10_000_000))
	}
}

// sessions writes how many requests go on from each other.
func (d *Demand) sessions(p *Page) {
	if d.Fit.Links.GoOn == 0 {
		return
	}
	p.Comment(3, "Requests of a session: each arrival goes to the one that has been due for longest, or begins one. So arrivals are as recorded, with sessions or without.")
	p.Line(3, "sessions:")
	names := d.names()
	for i := range d.Fit.Kinds {
		if k := &d.Fit.Kinds[i]; len(k.Rounds.Values) > 0 {
			lengths(p, 4, Quote(names[i]), k.Rounds)
		}
	}
}

func (d *Demand) rate(p *Page) {
	steps := d.Fit.Arrivals.Steps
	if len(steps) == 1 {
		p.Line(3, "rate: %s", Number(steps[0].Rate))
		return
	}
	p.Line(3, "rate:    # requests per second, in %d parts", len(steps))
	for i, s := range steps {
		if i > 0 {
			p.Line(4, "- {at: %s, rate: %s}", Duration(s.At), Number(steps[i-1].Rate))
		}
		p.Line(4, "- {at: %s, rate: %s}", Duration(s.At), Number(s.Rate))
	}
}

// provider writes an upstream that does not get in the way, and a stack to begin with.
func (d *Demand) provider(p *Page) {
	longest, longestOut := int64(0), int64(0)
	for i := range d.Fit.Kinds {
		longest, longestOut = max(longest, d.Fit.Kinds[i].In.Max(), d.Fit.Kinds[i].MaxIn), max(longestOut, d.Fit.Kinds[i].Out.Max())
	}
	requests, tokens := d.Trace.Peak(longestOut)
	p.Line(0, "")
	p.Comment(0, "Assumed, not in the trace: one key whose limits are %d times the busiest minute. Write what you have.", headroom)
	p.Line(0, "upstreams:")
	p.Line(1, "%s:", Quote(d.Model.Vendor))
	p.Line(2, "dialect: %v", d.Model.Dialect)
	p.Line(2, "models:")
	p.Line(3, "%s:%s", Quote(d.Model.Name), map[bool]string{true: " {}"}[d.plainModel(longest, longestOut)])
	if d.caches() {
		p.Line(4, "prompt_cache: on    # prompts begin as earlier ones did")
	}
	d.sizes(p, longest, longestOut)
	if d.Latency != nil {
		latency(p, 4, d.Latency)
	}
	p.Line(2, "keys:")
	p.Line(3, "main:")
	p.Line(4, "count: 1")
	p.Line(4, `limits: {"*": {%s}}`, limits(d.Model.Dialect.String(), generous(headroom*requests), generous(headroom*tokens)))
	p.Line(0, "")
	p.Comment(0, "The client stack, at its defaults but for the cap of each agent: the trace's clients are not agents.")
	p.Line(0, "stack:")
	p.Line(1, "agent_cap: {per_minute: 0}")
	p.Line(0, "")
	p.Line(0, "expect:    # what must hold; the exit code is 99 if one of these fails")
	p.Line(1, "- ratio_429 < 1%%")
}

func (d *Demand) plainModel(in, out int64) bool {
	return d.Latency == nil && d.fits(in, out) && !d.caches()
}

// caches reports whether the model's prompt cache has something to do.
func (d *Demand) caches() bool {
	return d.Model.Cache.Block > 0 && (d.Fit.Prefix > 0 || d.Fit.Links.GoOn > 0)
}

// fits reports whether the longest prompt and answer fit the model as the catalogue has it.
func (d *Demand) fits(in, out int64) bool {
	return (d.Model.ContextWindow == 0 || in+out <= d.Model.ContextWindow) && (d.Model.MaxOutput == 0 || out <= d.Model.MaxOutput)
}

func (d *Demand) sizes(p *Page, in, out int64) {
	if d.fits(in, out) {
		return
	}
	p.Comment(4, "larger than the catalogue's: the trace has prompts of up to %d tokens and answers of up to %d", in, out)
	p.Line(4, "context_window: %d", max(in+out, d.Model.ContextWindow))
	p.Line(4, "max_output: %d", max(out, d.Model.MaxOutput))
}

// limits writes the limits that a dialect has.
func limits(dialect string, rpm, tpm int64) string {
	switch dialect {
	case "deepseek":
		return "concurrency: 10000"
	case "openrouter":
		return fmt.Sprintf("rpm: %d", rpm)
	}
	return fmt.Sprintf("rpm: %d, tpm: %d", rpm, tpm)
}

// names are the profiles' names, by kind.
func (d *Demand) names() []string {
	texts := make([]string, len(d.Fit.Kinds))
	for i := range d.Fit.Kinds {
		texts[i] = d.Fit.Kinds[i].Name
	}
	return apart(texts, Identifier)
}

// trimExt removes what a trace's name ends in.
func trimExt(base string) string {
	for _, ext := range []string{".gz", ".zst", ".csv", ".jsonl", ".ndjson", ".json"} {
		base = strings.TrimSuffix(base, ext)
	}
	return base
}

// rounded is a duration with about three digits.
func rounded(d time.Duration) time.Duration {
	unit := time.Duration(1)
	for d/unit >= 1000 {
		unit *= 10
	}
	return d.Round(unit)
}
