package scenario

import (
	"strconv"
	"time"

	"github.com/seed-4fd17b57/simload/stack"
	"github.com/seed-4fd17b57/simload/stack/limit"
)

// stackConfig lays the scenario's stack over the default. Targets, keys and quotas
// are there already.
func (c *compiler) stackConfig() {
	def, s, out := stack.Default(), &c.spec.Stack, &c.out.Stack
	def.Targets, def.Keys, def.Quotas = out.Targets, out.Keys, out.Quotas
	*out = def
	set(&out.Queue.Bound, s.Queue.Bound)
	if s.Queue.Overflow != nil {
		out.Queue.Overflow = map[string]stack.Overflow{"reject": stack.OverflowReject, "block": stack.OverflowBlock}[*s.Queue.Overflow]
	}
	setDuration(&out.Queue.MaxWait, s.Queue.MaxWait)
	s.Concurrency.onto(&out.Concurrency)
	c.concurrency(&out.Concurrency, "stack", "concurrency")
	c.targets()
	if s.Rotation.Weights != nil {
		out.Rotation.Weights = map[string]stack.Weights{"fixed": stack.WeightsFixed, "remaining": stack.WeightsRemaining}[*s.Rotation.Weights]
	}
	setDuration(&out.Rotation.Exclude, s.Rotation.Exclude)
	setPercent(&out.Budget.RPMHeadroom, s.Budget.RPMHeadroom)
	setPercent(&out.Budget.TPMHeadroom, s.Budget.TPMHeadroom)
	setDuration(&out.Budget.Burst, s.Budget.Burst)
	setPercent(&out.Reserve.Slots, s.Reserve.Slots)
	setPercent(&out.Reserve.Rate, s.Reserve.Rate)
	setPercent(&out.Reserve.Queue, s.Reserve.Queue)
	c.retry()
	c.breaker()
	c.timeouts()
	if s.AgentCap.PerMinute != nil {
		out.AgentCap.PerMinute = int64(*s.AgentCap.PerMinute)
	}
	if s.AgentCap.Burst != nil {
		out.AgentCap.Burst = int64(*s.AgentCap.Burst)
	}
	setDuration(&out.AgentCap.MaxWait, s.AgentCap.MaxWait)
	set(&out.Fallback.After, s.Fallback.After)
	setDuration(&out.Fallback.MaxWait, s.Fallback.MaxWait)
	out.Idempotency = map[string]stack.Idempotency{
		"": stack.IdempotencyKeys, "keys": stack.IdempotencyKeys, "none": stack.IdempotencyNone, "unsafe": stack.IdempotencyUnsafe,
	}[s.Idempotency]
	c.routesOf()
	c.kindsOf()
	c.cacheOf()
	c.routingOf()
	if s.Client == "none" {
		naive(out)
	}
}

func (s *Concurrency) onto(out *stack.ConcurrencyConfig) {
	set(&out.Controller, s.Controller)
	set(&out.Start, s.Start)
	set(&out.Min, s.Min)
	set(&out.Max, s.Max)
	setDuration(&out.Interval, s.Interval)
	setDuration(&out.Low, s.Low)
	setDuration(&out.High, s.High)
	if s.Signal != nil {
		out.Signal = map[string]stack.Signal{
			"first_token": stack.SignalFirstToken, "per_token": stack.SignalPerToken, "total": stack.SignalTotal,
		}[*s.Signal]
	}
	set(&out.Samples, s.Samples)
	set(&out.MinSamples, s.MinSamples)
	setPercent(&out.IncreasePercent, s.Increase)
	setPercent(&out.DecreasePercent, s.DecreaseTo)
	if s.DecreaseOn != nil {
		out.DecreaseOnRate = contains(s.DecreaseOn, "rate")
		out.DecreaseOnOverload = contains(s.DecreaseOn, "overload")
		out.DecreaseOnTimeout = contains(s.DecreaseOn, "timeout")
	}
}

// concurrency checks what the numbers of a controller must be to each other.
func (c *compiler) concurrency(k *stack.ConcurrencyConfig, path ...string) {
	at := func(key string) []string { return append(path[:len(path):len(path)], key) }
	if names := limit.Names(); !contains(names, k.Controller) {
		c.fail(unknownName("controller", k.Controller, names), at("controller")...)
		return
	}
	if k.Controller == "static" {
		return
	}
	number := strconv.Itoa
	switch {
	case k.Min > k.Max:
		c.fail(problem{"min is above max", number(k.Min), "up to max, " + number(k.Max), "lower min or raise max"}, at("min")...)
	case k.Start < k.Min || k.Start > k.Max:
		c.fail(problem{"start is outside of min and max", number(k.Start), number(k.Min) + " to " + number(k.Max), "set start between min and max"}, at("start")...)
	}
	if k.Low > k.High {
		c.fail(problem{"low is above high", k.Low.String(), "up to high, " + k.High.String(), "lower low or raise high"}, at("low")...)
	}
	if k.MinSamples > k.Samples {
		c.fail(problem{"more samples needed than kept", number(k.MinSamples), "up to samples, " + number(k.Samples), "lower min_samples or raise samples"}, at("min_samples")...)
	}
}

func (c *compiler) targets() {
	s, out := &c.spec.Stack, &c.out.Stack
	for i, name := range s.Targets.Names {
		m, ok := c.models[name]
		if !ok {
			c.fail(unknownName("model", name, c.modelNames), "stack", "targets", name)
			continue
		}
		if own := s.Targets.Values[i].Concurrency; own != nil {
			k := out.Concurrency
			own.onto(&k)
			c.concurrency(&k, "stack", "targets", name, "concurrency")
			out.Targets[m].Concurrency = &k
		}
	}
}

func (c *compiler) retry() {
	s, out := &c.spec.Stack.Retry, &c.out.Stack.Retry
	set(&out.Attempts, s.Attempts)
	setDuration(&out.Base, s.Base)
	setDuration(&out.Cap, s.Cap)
	if s.Jitter != nil {
		out.NoJitter = !*s.Jitter
	}
	setPercent(&out.BudgetPercent, s.Budget)
	set(&out.BudgetBurst, s.BudgetBurst)
	if out.Cap < out.Base {
		c.fail(problem{"the longest wait is shorter than the first", out.Cap.String(), "at least base, " + out.Base.String(), "raise cap or lower base"}, "stack", "retry", "cap")
	}
}

func (c *compiler) breaker() {
	s, out := &c.spec.Stack.Breaker, &c.out.Stack.Breaker
	set(&out.Enabled, s.Enabled)
	setDuration(&out.Window, s.Window)
	set(&out.MinSamples, s.MinSamples)
	setPercent(&out.FailurePercent, s.Failures)
	setDuration(&out.OpenFor, s.OpenFor)
	setDuration(&out.OpenMax, s.OpenMax)
	set(&out.Probes, s.Probes)
	if out.OpenMax < out.OpenFor {
		c.fail(problem{"the longest pause is shorter than the first", out.OpenMax.String(), "at least open_for, " + out.OpenFor.String(), "raise open_max or lower open_for"}, "stack", "breaker", "open_max")
	}
}

func (c *compiler) timeouts() {
	s, out := &c.spec.Stack.Timeouts, &c.out.Stack.Timeouts
	setDuration(&out.Connect, s.Connect)
	setDuration(&out.FirstToken, s.FirstToken)
	setDuration(&out.PrefillPerToken, s.PrefillPerToken)
	setDuration(&out.Gap, s.Gap)
	for i, name := range s.Deadline.Names {
		class, ok := classOf(name)
		if !ok {
			c.fail(unknownName("class", name, []string{"P0", "P1", "P2"}), "stack", "timeouts", "deadline", name)
			continue
		}
		out.Deadline[class] = time.Duration(*s.Deadline.Values[i])
	}
}

func classOf(name string) (stack.Class, bool) {
	for class := stack.P0; class < stack.NumClasses; class++ {
		if class.String() == name {
			return class, true
		}
	}
	return 0, false
}

// routesOf makes the routes: those of the file, then one of a single step for each
// model that no route is named after.
func (c *compiler) routesOf() {
	s, out := &c.spec.Stack.Routes, &c.out.Stack
	add := func(r stack.Route) {
		c.routes[r.Name] = len(out.Routes)
		c.routeNames = append(c.routeNames, r.Name)
		out.Routes = append(out.Routes, r)
	}
	for i, name := range s.Names {
		steps := *s.Values[i]
		at := []string{"stack", "routes", name}
		if len(steps) == 0 || len(steps) > stack.MaxSteps {
			c.fail(problem{"not 1 to 4 steps", strconv.Itoa(len(steps)) + " steps", "a list of 1 to " + strconv.Itoa(stack.MaxSteps) + " models", "the model asked for comes first"}, at...)
		}
		r := stack.Route{Name: name}
		for n, step := range steps {
			m, ok := c.models[step.Model]
			if !ok {
				where := append(at[:len(at):len(at)], strconv.Itoa(n))
				if item, _ := c.tree.at(where...); item.kind == mapNode {
					where = append(where, "model")
				}
				c.fail(unknownName("model", step.Model, c.modelNames), where...)
			}
			r.Steps = append(r.Steps, stack.RouteStep{Target: m, MaxOut: int64(step.MaxOutput)})
		}
		add(r)
	}
	for m, name := range c.modelNames {
		if _, taken := c.routes[name]; !taken {
			add(stack.Route{Name: name, Steps: []stack.RouteStep{{Target: m}}})
		}
	}
}

// kindsOf makes the kinds: the default, then those of the profiles.
func (c *compiler) kindsOf() {
	names := []string{"default"}
	c.kinds["default"] = 0
	profiles := &c.spec.Workload.Profiles
	for i, name := range profiles.Names {
		kind := orElse(profiles.Values[i].Kind, name)
		if _, have := c.kinds[kind]; !have {
			c.kinds[kind] = len(names)
			names = append(names, kind)
		}
	}
	caps := &c.spec.Stack.Context
	var all int64
	if d := caps.Get("default"); d != nil {
		all = int64(*d)
	}
	kinds := make([]stack.Kind, len(names))
	for i, name := range names {
		kinds[i] = stack.Kind{Name: name, Context: all}
	}
	for i, name := range caps.Names {
		k, ok := c.kinds[name]
		if !ok {
			c.fail(unknownName("kind", name, names), "stack", "context", name)
			continue
		}
		kinds[k].Context = int64(*caps.Values[i])
	}
	c.out.Stack.Kinds = kinds
}

func set[T any](to, from *T) {
	if from != nil {
		*to = *from
	}
}

func setPercent(to *int, from *Percent) {
	if from != nil {
		*to = int(*from)
	}
}
