package stack_test

import (
	"strings"
	"testing"
	"time"

	"github.com/seed-4fd17b57/simload/stack"
)

// Default, with one target, is valid: only what cannot be guessed has to be filled in.
func TestDefaultIsValid(t *testing.T) {
	cfg := stack.Default()
	cfg.Targets = []stack.Target{target("a", stack.KeyUse{Weight: 1})}
	cfg.Keys = []stack.Key{{ID: "k0"}}
	cfg.Quotas = []stack.Quota{{Name: "q0", RPM: 500, TPM: 30_000}}
	cfg.Routes = []stack.Route{{Name: "r0", Steps: []stack.RouteStep{{}}}}
	if err := cfg.Validate(); err != nil {
		t.Error(err)
	}
	empty := stack.Default()
	if _, err := stack.New(empty); err == nil {
		t.Error("Default without targets and routes is accepted")
	}
}

// Every wrong value is refused by name.
func TestValidateNamesWhatIsWrong(t *testing.T) {
	type edit = func(*stack.Config)
	cases := []struct {
		name   string // in the message
		change edit
	}{
		{"no targets", func(c *stack.Config) { c.Targets = nil; c.Routes = nil }},
		{"no routes", func(c *stack.Config) { c.Routes = nil }},
		{"no kinds", func(c *stack.Config) { c.Kinds = nil }},
		{"context cap of kind default is -1", func(c *stack.Config) { c.Kinds[0].Context = -1 }},
		{"RPM of q0 is -1", limits(-1, 0)},
		{"TPM of q0 is -1", limits(0, -1)},
		{"target a has no keys", func(c *stack.Config) { c.Targets[0].Keys = nil }},
		{"key of target a is 1", func(c *stack.Config) { c.Targets[0].Keys[0].Key = 1 }},
		{"key of target a is -1", func(c *stack.Config) { c.Targets[0].Keys[0].Key = -1 }},
		{"quota of target a is 7", func(c *stack.Config) { c.Targets[0].Keys[0].Quota = 7 }},
		{"key weight of target a is -1", func(c *stack.Config) { c.Targets[0].Keys[0].Weight = -1 }},
		{"all key weights of target a are 0", func(c *stack.Config) { c.Targets[0].Keys[0].Weight = 0 }},
		{"charge of target a is 4", func(c *stack.Config) { c.Targets[0].Charge = 4 }},
		{"context window of target a is -1", func(c *stack.Config) { c.Targets[0].ContextWindow = -1 }},
		{"concurrency of target a start is 0", func(c *stack.Config) {
			c.Targets[0].Concurrency = &stack.ConcurrencyConfig{Controller: "static"}
		}},
		{"steps of route r0 is 0", func(c *stack.Config) { c.Routes[0].Steps = nil }},
		{"steps of route r0 is 5", func(c *stack.Config) { c.Routes[0].Steps = make([]stack.RouteStep, 5) }},
		{"target of route r0 is 1", func(c *stack.Config) { c.Routes[0].Steps[0].Target = 1 }},
		{"output cap of route r0 is -1", func(c *stack.Config) { c.Routes[0].Steps[0].MaxOut = -1 }},
		{"queue bound is 0", func(c *stack.Config) { c.Queue.Bound = 0 }},
		{"queue overflow policy is 9", func(c *stack.Config) { c.Queue.Overflow = 9 }},
		{"queue max wait is -1ns", func(c *stack.Config) { c.Queue.MaxWait = -1 }},
		{`concurrency controller is "reno" (allowed: aimd, gradient2, static, vegas)`, func(c *stack.Config) { c.Concurrency.Controller = "reno" }},
		{"concurrency start is 0", func(c *stack.Config) { c.Concurrency.Start = 0 }},
		{"concurrency start is 2000", func(c *stack.Config) { c.Concurrency.Start = 2000 }},
		{"concurrency min is 0", func(c *stack.Config) { c.Concurrency.Min = 0 }},
		{"concurrency max is 3", func(c *stack.Config) { c.Concurrency.Max = 3 }},
		{"concurrency interval is 0s", func(c *stack.Config) { c.Concurrency.Interval = 0 }},
		{"concurrency low is 5s", func(c *stack.Config) { c.Concurrency.Low = 5 * time.Second }},
		{"concurrency high is 0s", func(c *stack.Config) { c.Concurrency.High = 0 }},
		{"concurrency signal is 3", func(c *stack.Config) { c.Concurrency.Signal = 3 }},
		{"concurrency samples is 0", func(c *stack.Config) { c.Concurrency.Samples = 0 }},
		{"concurrency least samples is 201", func(c *stack.Config) { c.Concurrency.MinSamples = 201 }},
		{"concurrency increase percent is -1", func(c *stack.Config) { c.Concurrency.IncreasePercent = -1 }},
		{"left by a decrease is 100", func(c *stack.Config) { c.Concurrency.DecreasePercent = 100 }},
		{"rotation weights is 2", func(c *stack.Config) { c.Rotation.Weights = 2 }},
		{"exclusion is -1ns", func(c *stack.Config) { c.Rotation.Exclude = -1 }},
		{"RPM headroom is 0", func(c *stack.Config) { c.Budget.RPMHeadroom = 0 }},
		{"TPM headroom is 101", func(c *stack.Config) { c.Budget.TPMHeadroom = 101 }},
		{"budget burst is 0s", func(c *stack.Config) { c.Budget.Burst = 0 }},
		{"slot reserve is 91", func(c *stack.Config) { c.Reserve.Slots = 91 }},
		{"rate reserve is -1", func(c *stack.Config) { c.Reserve.Rate = -1 }},
		{"queue reserve is 91", func(c *stack.Config) { c.Reserve.Queue = 91 }},
		{"attempts is 0", func(c *stack.Config) { c.Retry.Attempts = 0 }},
		{"attempts is 21", func(c *stack.Config) { c.Retry.Attempts = 21 }},
		{"backoff base is 0s", func(c *stack.Config) { c.Retry.Base = 0 }},
		{"backoff cap is 500ms", func(c *stack.Config) { c.Retry.Cap = 500 * time.Millisecond }},
		{"retry budget percent is -1", func(c *stack.Config) { c.Retry.BudgetPercent = -1 }},
		{"retry budget burst is -1", func(c *stack.Config) { c.Retry.BudgetBurst = -1 }},
		{"breaker window is 0s", func(c *stack.Config) { c.Breaker.Window = 0 }},
		{"breaker samples is 0", func(c *stack.Config) { c.Breaker.MinSamples = 0 }},
		{"breaker failure percent is 0", func(c *stack.Config) { c.Breaker.FailurePercent = 0 }},
		{"breaker open time is 0s", func(c *stack.Config) { c.Breaker.OpenFor = 0 }},
		{"breaker longest open time is 1s", func(c *stack.Config) { c.Breaker.OpenMax = time.Second }},
		{"breaker probes is 0", func(c *stack.Config) { c.Breaker.Probes = 0 }},
		{"connect timeout is 0s", func(c *stack.Config) { c.Timeouts.Connect = 0 }},
		{"first-token timeout is 0s", func(c *stack.Config) { c.Timeouts.FirstToken = 0 }},
		{"prefill per token is -1ns", func(c *stack.Config) { c.Timeouts.PrefillPerToken = -1 }},
		{"gap timeout is 0s", func(c *stack.Config) { c.Timeouts.Gap = 0 }},
		{"deadline of P1 is -1ns", func(c *stack.Config) { c.Timeouts.Deadline[stack.P1] = -1 }},
		{"agent cap per minute is -1", func(c *stack.Config) { c.AgentCap.PerMinute = -1 }},
		{"agent cap burst is 0", func(c *stack.Config) { c.AgentCap = stack.AgentCapConfig{PerMinute: 1} }},
		{"agent cap max wait is -1ns", func(c *stack.Config) { c.AgentCap.MaxWait = -1 }},
		{"failures before the next step is 0", func(c *stack.Config) { c.Fallback.After = 0 }},
		{"fallback max wait is -1ns", func(c *stack.Config) { c.Fallback.MaxWait = -1 }},
		{"idempotency policy is 3", func(c *stack.Config) { c.Idempotency = 3 }},
	}
	for _, tc := range cases {
		cfg := plain()
		cfg.Concurrency, cfg.Breaker = stack.Default().Concurrency, stack.Default().Breaker
		tc.change(&cfg)
		_, err := stack.New(cfg)
		if err == nil {
			t.Errorf("%s: accepted", tc.name)
		} else if !strings.Contains(err.Error(), tc.name) {
			t.Errorf("%s: the message is %q", tc.name, err)
		}
	}
}

// All that is wrong is reported at once.
func TestValidateReportsEverything(t *testing.T) {
	cfg := plain()
	cfg.Queue.Bound, cfg.Retry.Attempts, cfg.Targets[0].Keys[0].Key = 0, 0, 5
	if lines := strings.Split(cfg.Validate().Error(), "\n"); len(lines) != 3 {
		t.Errorf("%d lines, want 3: %q", len(lines), lines)
	}
}
