package litellm

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/seed-4fd17b57/simload/mockupstream/catalog"
	"github.com/seed-4fd17b57/simload/sim/scenario/draft"
)

// writer writes the scenario.
type writer struct {
	*config
	models  *catalog.Catalog
	targets []*target
	routes  []route
	page    draft.Page
}

// scenario returns the whole file.
func (w *writer) scenario() []byte {
	body := &w.page
	w.workload()
	w.upstreams()
	w.prices()
	w.stack()
	head := &draft.Page{}
	base := filepath.Base(w.file)
	head.Comment(0, "The gateway of %s, a configuration of LiteLLM, written by simload import litellm. Keys have ids here; no secret was taken over.", base)
	head.Comment(0, "")
	head.Comment(0, "What differs from LiteLLM in general: limits per minute are the router's own there, and are taken here to be the provider's too: write what your provider allows. What exceeds them waits in line (stack.queue), where LiteLLM refuses it.")
	notes := w.sortedNotes()
	if len(notes) > 0 {
		head.Comment(0, "")
		head.Comment(0, "Settings that are not simply taken over:")
		for _, n := range notes {
			head.Comment(0, "- %s", n)
		}
	}
	head.Line(0, "name: %s", draft.Quote(draft.Identifier(strings.TrimSuffix(base, filepath.Ext(base)))))
	head.Line(0, "description: %s", draft.Quote("The gateway of "+base+"."))
	head.Line(0, "seed: 1")
	head.Line(0, "duration: 10m")
	head.Line(0, "warmup: 1m")
	return []byte(head.String() + body.String())
}

// workload writes a demand to start with: a few requests a second, spread over the groups.
func (w *writer) workload() {
	p := &w.page
	p.Line(0, "")
	p.Comment(0, "Who asks what is not in a gateway's configuration: this is a demand to start with. Fit your own with: simload import TRACE --workload-only.")
	p.Line(0, "workload:")
	p.Line(1, "profiles:")
	names := w.groups()
	for i, name := range names {
		p.Line(2, "ask-%d:", i+1)
		p.Line(3, "class: P1")
		p.Line(3, "model: %s", draft.Quote(name))
		p.Line(3, "context: {lognormal: {median: 1k, p95: 4k}}")
		p.Line(3, "output: {lognormal: {median: 150, p95: 500}}")
		p.Line(3, "max_output: 1k")
	}
	p.Line(1, "streams:")
	var mix []string
	for i := range names {
		mix = append(mix, fmt.Sprintf("ask-%d: 1", i+1))
	}
	p.Line(2, "callers:")
	p.Line(3, "rate: 1")
	p.Line(3, "arrivals: poisson")
	p.Line(3, "mix: {%s}", strings.Join(mix, ", "))
}

// groups are the models that callers ask for; of wildcards alone, the first of them.
func (w *writer) groups() []string {
	var names []string
	for _, r := range w.routes {
		names = append(names, r.name)
	}
	if len(names) == 0 {
		names = append(names, w.targets[0].name)
	}
	return names
}

// upstreams writes a vendor for each provider and dialect.
func (w *writer) upstreams() {
	p := &w.page
	p.Line(0, "")
	p.Line(0, "upstreams:")
	var order []string
	byVendor := map[string][]*target{}
	for _, t := range w.targets {
		vendor := w.vendor(t.provider)
		if dialects[t.provider] != t.dialect && spoken(t.provider) {
			vendor += "-" + t.dialect
		}
		if byVendor[vendor] == nil {
			order = append(order, vendor)
		}
		byVendor[vendor] = append(byVendor[vendor], t)
	}
	for _, vendor := range order {
		targets := byVendor[vendor]
		p.Line(1, "%s:", draft.Quote(vendor))
		p.Line(2, "dialect: %s", targets[0].dialect)
		p.Line(2, "models:")
		for _, t := range targets {
			w.model(t)
		}
		p.Line(2, "keys:")
		for _, t := range targets {
			w.keys(t)
		}
	}
}

func (w *writer) model(t *target) {
	p := &w.page
	name, known := figures(t.deployments[0], w.models)
	if !known {
		w.note(t.deployments[0].at, "the catalogue does not know this model: it has latency, sizes and price of %s", name)
	}
	if name == t.name {
		p.Line(3, "%s: {}", draft.Quote(t.name))
		return
	}
	p.Line(3, "%s: {catalogue: %s}", draft.Quote(t.name), draft.Quote(name))
}

// keys writes a key for each deployment of a model.
func (w *writer) keys(t *target) {
	weights := w.weights(t)
	for i, d := range t.deployments {
		var limits []string
		for _, l := range d.limits {
			limits = append(limits, fmt.Sprintf("%s: %d", l.key, l.value))
		}
		if len(limits) == 0 {
			w.note(d.at, "has no limit that the %s dialect knows: %s has none", t.dialect, d.key)
		}
		weight := ""
		if weights[i] != 1 {
			weight = fmt.Sprintf(", weight: %d", weights[i])
		}
		w.page.Line(3, "%s: {models: [%s], limits: {%s: {%s}}%s}", d.key, draft.Quote(t.name), draft.Quote(t.name), strings.Join(limits, ", "), weight)
	}
}

// weights are the deployments' shares: by weight, else by rpm, else by tpm, else all alike. That
// weight goes before rpm is how the documents read; it was not checked in LiteLLM's code.
func (w *writer) weights(t *target) []int64 {
	out := make([]int64, len(t.deployments))
	for _, of := range []func(d *deployment) int64{
		func(d *deployment) int64 { return max(d.weight, 0) },
		func(d *deployment) int64 { return d.limitOf("rpm") },
		func(d *deployment) int64 { return d.limitOf("tpm") },
		func(*deployment) int64 { return 1 },
	} {
		most, even := int64(0), true
		for i, d := range t.deployments {
			out[i] = of(d)
			most = max(most, out[i])
			even = even && out[i] == out[0]
		}
		if most == 0 {
			continue
		}
		for i := range out {
			switch {
			case even:
				out[i] = 1
			case most > 1000 && out[i] > 0:
				out[i] = max((out[i]*1000+most/2)/most, 1)
			}
		}
		return out
	}
	return out
}

// prices writes those that the configuration has.
func (w *writer) prices() {
	var lines []string
	for _, t := range w.targets {
		for _, d := range t.deployments {
			if d.priced {
				lines = append(lines, fmt.Sprintf("%s: {input: %s, output: %s}", draft.Quote(t.name), perMillion(d.input), perMillion(d.output)))
				break
			}
		}
	}
	if len(lines) == 0 {
		return
	}
	w.page.Line(0, "")
	w.page.Line(0, "prices:")
	w.page.Line(1, "models:    # USD per million tokens")
	for _, l := range lines {
		w.page.Line(2, "%s", l)
	}
}

// perMillion writes a price with the six digits that a scenario takes.
func perMillion(perToken float64) string {
	s := strings.TrimRight(fmt.Sprintf("%.6f", perToken*1e6), "0")
	return strings.TrimSuffix(s, ".")
}
