package litellm

import (
	"fmt"
	"path/filepath"
	"slices"
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
	first   map[spread]*deployment
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
	weights := w.shares(t)
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

// prices writes those that the configuration has.
func (w *writer) prices() {
	var lines []string
	for _, t := range w.targets {
		if price := w.price(t); price != "" {
			lines = append(lines, fmt.Sprintf("%s: {%s}", draft.Quote(t.name), price))
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

// price writes what a model costs as far as it is said: the rest is the catalogue's. Of deployments
// that differ the first one that says something counts.
func (w *writer) price(t *target) string {
	of := t.deployments[0]
	if i := slices.IndexFunc(t.deployments, func(d *deployment) bool { return d.input >= 0 || d.output >= 0 }); i > 0 {
		of = t.deployments[i]
	}
	var parts []string
	if of.input >= 0 {
		parts = append(parts, "input: "+perMillion(of.input))
	}
	if of.output >= 0 {
		parts = append(parts, "output: "+perMillion(of.output))
	}
	if len(parts) == 1 {
		w.note(of.at, "has one price of two: the other is the catalogue's")
	}
	for _, d := range t.deployments {
		if d.input != of.input || d.output != of.output {
			w.note(d.at, "its price is not that of %s: a model has one price in a scenario, that of the latter", of.at.path)
		}
	}
	return strings.Join(parts, ", ")
}

// perMillion writes a price with the six digits that a scenario takes.
func perMillion(perToken float64) string {
	s := strings.TrimRight(fmt.Sprintf("%.6f", perToken*1e6), "0")
	return strings.TrimSuffix(s, ".")
}
