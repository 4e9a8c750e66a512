package scenario

import (
	"fmt"
	"strconv"
	"time"

	"github.com/seed-4fd17b57/simload/mockupstream"
	"github.com/seed-4fd17b57/simload/report"
	"github.com/seed-4fd17b57/simload/stack"
)

// Limits on the size of all upstreams together.
const (
	MaxModels = 1000
	MaxKeys   = 10_000
	MaxPairs  = 2_000_000 // keys times models
)

// upstreams fills in models, keys, quotas and faults of all vendors, in the stack and
// in the mock alike.
func (c *compiler) upstreams() {
	ups := &c.spec.Upstreams
	if ups.Len() == 0 {
		c.fail(problem{"no upstream", "nothing", "at least one vendor", "add a vendor with models and keys"}, "upstreams")
	}
	for i, name := range ups.Names {
		c.vendorModels(name, ups.Values[i])
	}
	if !c.countKeys() {
		return
	}
	for i, name := range ups.Names {
		c.vendorKeys(i, name, ups.Values[i])
	}
	c.keyless()
	for i, name := range ups.Names {
		c.faults(&c.vendors[i], name, ups.Values[i])
	}
}

func (c *compiler) vendorModels(name string, up *Upstream) {
	v := vendor{pools: make(map[string][]int)}
	c.onlyFor(up, "count_cached", "anthropic", up.CountCached, "upstreams", name, "count_cached")
	v.models[0] = len(c.modelNames)
	if up.Models.Len() == 0 {
		c.fail(problem{"no models", c.found("upstreams", name, "models"), "at least one model", "add a model, such as gpt-4.1: {}"}, "upstreams", name, "models")
	}
	for i, model := range up.Models.Names {
		at := []string{"upstreams", name, "models", model}
		if other, dup := c.models[model]; dup {
			c.fail(problem{
				"a model of two vendors", model, "a name that no other vendor's model has", "it is a model of " + c.out.Upstream.Models[other].Vendor + " already: choose another name, and catalogue: " + model,
			}, at...)
			continue
		}
		if len(c.modelNames) == MaxModels {
			c.fail(problem{"too many models", "more than " + strconv.Itoa(MaxModels), "up to " + strconv.Itoa(MaxModels), "leave some out"}, at...)
			break
		}
		c.models[model] = len(c.modelNames)
		c.modelNames = append(c.modelNames, model)
		c.model(name, up, model, up.Models.Values[i], at)
	}
	v.models[1] = len(c.modelNames)
	c.vendors = append(c.vendors, v)
}

// model adds one model to the upstream, the stack's targets and the report.
func (c *compiler) model(vendor string, in *Upstream, name string, m *Model, at []string) {
	f, known := c.figures(name, m)
	if m.Catalogue != "" && !known {
		c.fail(unknownName("entry of the catalogue", m.Catalogue, c.catalog.Names()), append(at, "catalogue")...)
	}
	if !known && m.Catalogue == "" && (m.Latency.Base == nil || m.Latency.PerOutputToken == nil) {
		c.fail(problem{
			"the catalogue has no model of this name", name, "a model of the catalogue, or latency with base and per_output_token",
			didYouMean(name, c.catalog.Names(), "`simload models` lists the catalogue; write catalogue: NAME to take another entry's figures"),
		}, at...)
	}
	up := mockupstream.Model{
		Name: name, Vendor: vendor, Dialect: dialectOf(in).is,
		ContextWindow: f.contextWindow, MaxOutput: f.maxOutput, Latency: f.latency,
	}
	if m.ContextWindow != nil {
		up.ContextWindow = int64(*m.ContextWindow)
	}
	if m.MaxOutput != nil {
		up.MaxOutput = int64(*m.MaxOutput)
	}
	m.Latency.onto(&up.Latency)
	setDuration(&up.MaxWait, m.QueueWait)
	setDuration(&up.Heartbeat, m.Heartbeat)
	c.onlyFor(in, "queue_wait", "deepseek", m.QueueWait != nil, append(at, "queue_wait")...)
	for _, step := range m.Capacity {
		up.Capacity = append(up.Capacity, mockupstream.CapacityStep{At: time.Duration(step.At), Slots: int64(step.Slots)})
	}
	if m.PromptCache.Given && !m.PromptCache.Off {
		up.Cache = c.promptCache(&m.PromptCache.Form, f.cache, append(at, "prompt_cache"))
	}
	up.Price = f.price // as prices may change it
	c.out.Upstream.Models = append(c.out.Upstream.Models, up)
	c.out.Stack.Targets = append(c.out.Stack.Targets, stack.Target{
		Name: name, Vendor: vendor, ContextWindow: up.ContextWindow, Charge: chargeOf(in, m),
	})
	c.priced = append(c.priced, known)
	c.out.Report.Models = append(c.out.Report.Models, report.ModelInfo{Name: name, Vendor: vendor})
}

// promptCache lays what the scenario says of a prompt cache over what the catalogue knows.
func (c *compiler) promptCache(form *promptCacheForm, cache mockupstream.PromptCache, at []string) mockupstream.PromptCache {
	missing := func(name string, given bool) {
		if !given && cache.Block == 0 {
			c.fail(problem{"missing key " + name, "no " + name + ", and no prompt cache in the catalogue", "prompt_cache with min, block and ttl", "add " + name + ":"}, at...)
		}
	}
	if *form == (promptCacheForm{}) && cache.Block == 0 {
		c.fail(problem{"the catalogue has no prompt cache of this model", c.found(at...), "off, or a map with min, block and ttl", "write for example {min: 1024, block: 128, ttl: 5m}"}, at...)
		return cache
	}
	missing("min", form.Min != nil)
	missing("block", form.Block != nil)
	missing("ttl", form.TTL != nil)
	if form.Min != nil {
		cache.MinTokens = int64(*form.Min)
	}
	if form.Block != nil {
		cache.Block = int64(*form.Block)
	}
	setDuration(&cache.TTL, form.TTL)
	return cache
}

func (l *Latency) onto(out *mockupstream.Latency) {
	setDuration(&out.Base, l.Base)
	setDuration(&out.PerPromptToken, l.PerPromptToken)
	setDuration(&out.PerCachedToken, l.PerCachedToken)
	setDuration(&out.PerOutputToken, l.PerOutputToken)
	setDuration(&out.Refusal, l.Refusal)
	l.FirstTokenNoise.onto(&out.FirstTokenSigma, &out.FirstTokenFactors)
	l.OutputNoise.onto(&out.OutputSigma, &out.OutputFactors)
	setNumber(&out.Load, l.Load)
}

// countKeys bounds the size of the table of keys and models before it is made.
func (c *compiler) countKeys() bool {
	total := 0
	for i, vendor := range c.spec.Upstreams.Names {
		keys := &c.spec.Upstreams.Values[i].Keys
		for k, pool := range keys.Names {
			n := 1
			if keys.Values[k].Count != nil {
				n = *keys.Values[k].Count
			}
			if total += n; total > MaxKeys || total*len(c.modelNames) > MaxPairs {
				c.fail(problem{
					"too many keys", strconv.Itoa(total) + " keys for " + strconv.Itoa(len(c.modelNames)) + " models",
					fmt.Sprintf("up to %d keys, and %d pairs of key and model", MaxKeys, MaxPairs), "lower count",
				}, "upstreams", vendor, "keys", pool)
				return false
			}
		}
	}
	return true
}

// keyless notes models that no key may be used for, or only keys of weight 0.
func (c *compiler) keyless() {
	for i := range c.out.Stack.Targets {
		t := &c.out.Stack.Targets[i]
		if c.vendorOf(i).broken {
			continue
		}
		var sum int64
		for _, use := range t.Keys {
			sum += use.Weight
		}
		switch at := []string{"upstreams", t.Vendor, "models", t.Name}; {
		case len(t.Keys) == 0:
			c.fail(problem{"no key may be used for this model", "no key", "at least one key of " + t.Vendor, "add the model to the models of a pool"}, at...)
		case sum == 0:
			c.fail(problem{"all keys of this model have weight 0", "weights of 0", "at least one weight above 0", "raise the weight of a pool of upstreams." + t.Vendor + ".keys"}, at...)
		}
	}
}

func (c *compiler) vendorOf(model int) *vendor {
	for i := range c.vendors {
		if model < c.vendors[i].models[1] {
			return &c.vendors[i]
		}
	}
	return &c.vendors[len(c.vendors)-1]
}

// vendorModel returns the index of a model if it is the vendor's.
func (c *compiler) vendorModel(v *vendor, name string) (int, bool) {
	m, ok := c.models[name]
	return m, ok && m >= v.models[0] && m < v.models[1]
}

func setDuration(to *time.Duration, from *Duration) {
	if from != nil {
		*to = time.Duration(*from)
	}
}

func setNumber(to *float64, from *Number) {
	if from != nil {
		*to = float64(*from)
	}
}
