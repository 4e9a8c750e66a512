package draft

import (
	"cmp"
	"path/filepath"
	"strings"
	"time"

	"github.com/seed-4fd17b57/simload/mockupstream/catalog"
	"github.com/seed-4fd17b57/simload/workload/fit"
)

// Latency is fitted calls that are to become a scenario.
type Latency struct {
	Path  string
	Calls []fit.Call
	Fits  []*fit.Latency
	// Model is the catalogue's model that gives what was not measured: sizes, prices, load.
	Model   catalog.Model
	Catalog *catalog.Catalog
}

// YAML returns a scenario of one request a second to each model, with tokens as measured.
func (l *Latency) YAML() []byte {
	p := &Page{}
	base := filepath.Base(l.Path)
	p.Comment(0, "Latencies of %s, fitted by simload import latency. Copy each model's latency to where you need it, or run this file: a request a second to each model.", base)
	p.Comment(0, "")
	for _, f := range l.Fits {
		for _, line := range strings.Split(strings.TrimRight(f.Text(), "\n"), "\n") {
			p.Line(0, "# %s", strings.TrimRight(clean(line), " "))
		}
	}
	p.Line(0, "name: %s", Quote(Identifier(trimExt(base))+"-latency"))
	p.Line(0, "seed: 1")
	p.Line(0, "duration: 10m")
	p.Line(0, "")
	p.Line(0, "workload:")
	p.Line(1, "profiles:")
	models := l.models()
	profiles := apart(models, Identifier)
	for i, f := range l.Fits {
		k := fit.CallKind(models[i], callsOf(l.Calls, f.Model))
		p.Line(2, "%s:", Quote(profiles[i]))
		p.Line(3, "class: P1")
		p.Line(3, "model: %s", Quote(models[i]))
		lengths(p, 3, "context", k.In)
		lengths(p, 3, "output", k.Out)
		p.Line(3, "max_output: %d", k.Out.Max())
	}
	p.Line(1, "streams:")
	for _, name := range profiles {
		p.Line(2, "%s: {profile: %s, rate: 1}", Quote(name), Quote(name))
	}
	l.upstream(p, models)
	return []byte(p.String())
}

func (l *Latency) upstream(p *Page, models []string) {
	p.Line(0, "")
	p.Line(0, "upstreams:")
	p.Line(1, "measured:")
	p.Line(2, "dialect: openai")
	p.Line(2, "models:")
	for i, f := range l.Fits {
		k := fit.CallKind(models[i], callsOf(l.Calls, f.Model))
		p.Line(3, "%s:", Quote(models[i]))
		if _, known := l.Catalog.Model(models[i]); !known {
			p.Line(4, "catalogue: %s    # for what was not measured: prices, load, refusals", Quote(l.Model.Name))
		}
		p.Line(4, "context_window: %d", max(k.In.Max()+k.Out.Max(), 1_000_000))
		p.Line(4, "max_output: %d", max(k.Out.Max(), 32_768))
		latency(p, 4, f)
	}
	p.Line(2, "keys:")
	p.Line(3, `main: {limits: {"*": {}}}    # no limits`)
	p.Line(0, "")
	p.Comment(0, "No client stack, and patience for the slowest answer, so that the times are the model's. Write {} to see what the stack makes of them.")
	p.Line(0, "stack:")
	p.Line(1, "client: none")
	p.Line(1, "timeouts: {first_token: %s}", Duration(l.patience()))
}

// patience is twice the time of the slowest first token, in whole seconds.
func (l *Latency) patience() time.Duration {
	slowest := 4 * time.Second
	for _, c := range l.Calls {
		slowest = max(slowest, c.First)
	}
	return min(2*slowest.Truncate(time.Second)+2*time.Second, 24*time.Hour)
}

// models are the names of the models in the scenario, by fit.
func (l *Latency) models() []string {
	texts := make([]string, len(l.Fits))
	for i, f := range l.Fits {
		texts[i] = cmp.Or(f.Model, "measured")
	}
	return apart(texts, Name)
}

func callsOf(calls []fit.Call, model string) []fit.Call {
	var out []fit.Call
	for _, c := range calls {
		if c.Model == model {
			out = append(out, c)
		}
	}
	return out
}

// latency writes what was measured.
func latency(p *Page, depth int, f *fit.Latency) {
	parts := []string{"base: " + exact(f.Base)}
	if f.OnePrompt {
		p.Comment(depth, "All prompts are about as long: base holds what they cost too.")
		parts = append(parts, "per_prompt_token: 0s", "per_cached_token: 0s")
	} else {
		parts = append(parts, "per_prompt_token: "+exact(f.PerPromptToken))
	}
	if !f.NoOutput {
		parts = append(parts, "per_output_token: "+exact(f.PerOutputToken))
	}
	p.Line(depth, "latency:")
	for _, part := range parts {
		p.Line(depth+1, "%s", part)
	}
	noise(p, depth+1, "first_token_noise", &f.FirstToken)
	if !f.NoOutput {
		noise(p, depth+1, "output_noise", &f.Output)
	}
}

// noise writes how a time varies.
func noise(p *Page, depth int, key string, n *fit.Noise) {
	if n.Factors == nil {
		p.Line(depth, "%s: %.4f", key, n.Sigma)
		return
	}
	p.Line(depth, "%s:    # as measured: so many of the calls have at most this factor", key)
	numbers := func(xs []float64) []string {
		out := make([]string, len(xs))
		for i, x := range xs {
			out[i] = Number(x)
		}
		return out
	}
	p.Flow(depth+1, "shares", numbers(n.Factors.Shares))
	p.Flow(depth+1, "factors", numbers(n.Factors.Values))
}

// exact writes a duration to the nanosecond where it is short, else to the microsecond.
func exact(d time.Duration) string {
	if d > time.Millisecond {
		d = d.Round(time.Microsecond)
	}
	return Duration(d)
}
