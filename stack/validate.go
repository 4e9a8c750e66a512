package stack

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/seed-4fd17b57/simload/stack/limit"
)

// MaxAttempts bounds RetryConfig.Attempts.
const MaxAttempts = 20

// MaxSteps bounds the steps of a route: the model asked for and three stand-ins.
const MaxSteps = 4

// checker collects what is wrong with a configuration.
type checker struct{ errs []error }

func (c *checker) failf(format string, args ...any) {
	c.errs = append(c.errs, fmt.Errorf(format, args...))
}

func within[T int | int64 | time.Duration](c *checker, name string, v, lo, hi T) {
	if v < lo || v > hi {
		c.failf("%s is %v (allowed: %v to %v)", name, v, lo, hi)
	}
}

// Validate reports everything that is wrong with the configuration, joined.
func (c *Config) Validate() error {
	var k checker
	c.checkParameters(&k)
	c.checkReferences(&k)
	if c.Shared && len(k.errs) == 0 {
		c.checkShared(&k)
	}
	return errors.Join(k.errs...)
}

func (c *Config) checkParameters(k *checker) {
	const day = 24 * time.Hour
	within(k, "queue bound", c.Queue.Bound, 1, 1_000_000)
	within(k, "queue overflow policy", int(c.Queue.Overflow), 0, int(OverflowBlock))
	within(k, "queue max wait", c.Queue.MaxWait, 0, 30*day)
	checkConcurrency(k, "concurrency", &c.Concurrency)
	within(k, "rotation weights", int(c.Rotation.Weights), 0, int(WeightsRemaining))
	within(k, "exclusion", c.Rotation.Exclude, 0, day)
	within(k, "RPM headroom", c.Budget.RPMHeadroom, 1, 100)
	within(k, "TPM headroom", c.Budget.TPMHeadroom, 1, 100)
	within(k, "budget burst", c.Budget.Burst, time.Millisecond, time.Minute)
	within(k, "slot reserve", c.Reserve.Slots, 0, 90)
	within(k, "rate reserve", c.Reserve.Rate, 0, 90)
	within(k, "queue reserve", c.Reserve.Queue, 0, 90)
	within(k, "attempts", c.Retry.Attempts, 1, MaxAttempts)
	within(k, "backoff base", c.Retry.Base, time.Millisecond, time.Hour)
	within(k, "backoff cap", c.Retry.Cap, c.Retry.Base, day)
	within(k, "retry budget percent", c.Retry.BudgetPercent, 0, 1000)
	within(k, "retry budget burst", c.Retry.BudgetBurst, 0, 1_000_000)
	if b := c.Breaker; b.Enabled {
		within(k, "breaker window", b.Window, time.Second, time.Hour)
		within(k, "breaker samples", b.MinSamples, 1, 1_000_000)
		within(k, "breaker failure percent", b.FailurePercent, 1, 100)
		within(k, "breaker open time", b.OpenFor, time.Millisecond, day)
		within(k, "breaker longest open time", b.OpenMax, b.OpenFor, day)
		within(k, "breaker probes", b.Probes, 1, 1000)
	}
	within(k, "connect timeout", c.Timeouts.Connect, time.Millisecond, time.Hour)
	within(k, "first-token timeout", c.Timeouts.FirstToken, time.Millisecond, day)
	within(k, "prefill per token", c.Timeouts.PrefillPerToken, 0, time.Second)
	within(k, "timeout of whole answers", c.Timeouts.Whole, time.Millisecond, day)
	within(k, "gap timeout", c.Timeouts.Gap, time.Millisecond, day)
	for cl, d := range c.Timeouts.Deadline {
		within(k, "deadline of "+Class(cl).String(), d, 0, 30*day)
	}
	within(k, "agent cap per minute", c.AgentCap.PerMinute, 0, 60_000_000)
	if c.AgentCap.PerMinute > 0 {
		within(k, "agent cap burst", c.AgentCap.Burst, 1, 1_000_000)
	}
	within(k, "agent cap max wait", c.AgentCap.MaxWait, 0, 30*day)
	within(k, "failures before the next step", c.Fallback.After, 1, MaxAttempts)
	within(k, "fallback max wait", c.Fallback.MaxWait, 0, day)
	if c.Cache != nil {
		if err := c.Cache.Validate(); err != nil {
			k.failf("cache: %v", err)
		}
	}
	within(k, "idempotency policy", int(c.Idempotency), 0, int(IdempotencyUnsafe))
}

func checkConcurrency(k *checker, name string, c *ConcurrencyConfig) {
	if !slices.Contains(limit.Names(), c.Controller) {
		k.failf("%s controller is %q (allowed: %s)", name, c.Controller, strings.Join(limit.Names(), ", "))
		return
	}
	within(k, name+" start", c.Start, 1, 1_000_000)
	if c.Controller == "static" {
		return
	}
	within(k, name+" signal", int(c.Signal), 0, int(SignalTotal))
	within(k, name+" min", c.Min, 1, 1_000_000)
	within(k, name+" max", c.Max, c.Min, 1_000_000)
	within(k, name+" start", c.Start, c.Min, c.Max)
	within(k, name+" interval", c.Interval, time.Millisecond, time.Hour)
	within(k, name+" low", c.Low, 0, c.High)
	within(k, name+" high", c.High, time.Nanosecond, 24*time.Hour)
	within(k, name+" samples", c.Samples, 1, 100_000)
	within(k, name+" least samples", c.MinSamples, 1, c.Samples)
	within(k, name+" increase percent", c.IncreasePercent, 0, 1000)
	within(k, name+" percent left by a decrease", c.DecreasePercent, 1, 99)
}

func (c *Config) checkReferences(k *checker) {
	if len(c.Targets) == 0 {
		k.failf("no targets: there is nothing to send to")
	}
	if len(c.Routes) == 0 {
		k.failf("no routes: no request could name a model")
	}
	if len(c.Kinds) == 0 {
		k.failf("no kinds: entry 0 is the default kind")
	}
	for _, kd := range c.Kinds {
		within(k, "context cap of kind "+kd.Name, kd.Context, 0, 1<<40)
	}
	for _, q := range c.Quotas {
		within(k, "RPM of "+q.Name, q.RPM, 0, 1<<40)
		within(k, "TPM of "+q.Name, q.TPM, 0, 1<<40)
		within(k, "OTPM of "+q.Name, q.OTPM, 0, 1<<40)
		within(k, "RPD of "+q.Name, q.RPD, 0, 1<<40)
		within(k, "concurrency of "+q.Name, q.Concurrency, 0, 1_000_000)
		within(k, "quantum of "+q.Name, q.Quantum, 0, time.Minute)
	}
	for i := range c.Targets {
		c.checkTarget(k, &c.Targets[i])
	}
	for _, r := range c.Routes {
		within(k, "number of steps of route "+r.Name, len(r.Steps), 1, MaxSteps)
		if r.Routing != nil {
			within(k, "route for simple requests of "+r.Name, r.Routing.Simple, 0, len(c.Routes)-1)
			if t := r.Routing.Threshold; math.IsNaN(t) || math.IsInf(t, 0) {
				k.failf("threshold of %s is %v (allowed: a finite number)", r.Name, t)
			}
			if n := r.Routing.Simple; n >= 0 && n < len(c.Routes) && c.Routes[n].Routing != nil {
				k.failf("route %s sends simple requests to %s, which routes too", r.Name, c.Routes[n].Name)
			}
		}
		for _, st := range r.Steps {
			within(k, "target of route "+r.Name, st.Target, 0, len(c.Targets)-1)
			within(k, "output cap of route "+r.Name, st.MaxOut, 0, 1<<40)
		}
	}
}

func (c *Config) checkTarget(k *checker, t *Target) {
	if len(t.Keys) == 0 {
		k.failf("target %s has no keys", t.Name)
	}
	var sum int64
	for _, u := range t.Keys {
		within(k, "key of target "+t.Name, u.Key, 0, len(c.Keys)-1)
		within(k, "quota of target "+t.Name, u.Quota, 0, len(c.Quotas)-1)
		within(k, "key weight of target "+t.Name, u.Weight, 0, 10_000)
		sum += u.Weight
	}
	within(k, "charge of target "+t.Name, int(t.Charge), 0, int(ChargeUncached))
	within(k, "context window of target "+t.Name, t.ContextWindow, 0, 1<<40)
	if sum == 0 && len(t.Keys) > 0 {
		k.failf("all key weights of target %s are 0: no key would ever be picked", t.Name)
	}
	if t.Concurrency != nil {
		checkConcurrency(k, "concurrency of target "+t.Name, t.Concurrency)
	}
}
