package stack_test

import (
	"testing"
	"time"

	"github.com/seed-4fd17b57/simload/stack"
	"github.com/seed-4fd17b57/simload/stack/semcache"
)

// cached is a core with two models, a strong and a cheap one, and a cache.
func cached(t *testing.T, change func(*stack.Config)) *stack.Core {
	t.Helper()
	cfg := stack.Default()
	cfg.Keys, cfg.Quotas = []stack.Key{{ID: "k"}}, []stack.Quota{{Name: "q"}}
	cfg.Targets = []stack.Target{
		{Name: "strong", Vendor: "v", Keys: []stack.KeyUse{{Weight: 1}}},
		{Name: "cheap", Vendor: "v", Keys: []stack.KeyUse{{Weight: 1}}},
	}
	cfg.Routes = []stack.Route{{Name: "strong", Steps: []stack.RouteStep{{}, {Target: 1}}}, {Name: "cheap", Steps: []stack.RouteStep{{Target: 1}}}}
	c := semcache.Default()
	cfg.Cache = &c
	if change != nil {
		change(&cfg)
	}
	core, err := stack.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return core
}

// put submits a request and, if it is sent, answers it; it returns the result and the target.
func put(t *testing.T, c *stack.Core, now time.Duration, r stack.Request, o stack.Outcome) (stack.Result, int) {
	t.Helper()
	c.Submit(now, r)
	target := -1
	for _, e := range c.Effects() {
		switch e.Kind {
		case stack.EffectDone:
			return *e.Result, target
		case stack.EffectSend:
			target = e.Attempt.Target
			c.Finish(now+time.Second, e.Attempt.ID, o)
		}
	}
	for _, e := range c.Effects() {
		if e.Kind == stack.EffectDone {
			return *e.Result, target
		}
	}
	t.Fatal("the request has not ended")
	return stack.Result{}, 0
}

// TestCache_INV60: what was asked before, in other words too, is answered without a call; nobody else's
// answer is, nor one to other parameters, of another model, to a write, or of a call that failed.
func TestCache_INV60(t *testing.T) {
	const question = "What is known about thermal membrane transport in arctic lattice systems?"
	const reworded = "what is known about thermal membrane transport in arctic lattice systems ?"
	base := stack.Request{ID: 1, EstIn: 100, MaxOut: 50, Text: question, Tenant: 1, Params: 1}
	good := stack.Outcome{Kind: stack.Success, Status: 200, Usage: stack.Usage{In: 100, Out: 40}, Value: "the answer"}
	for name, tt := range map[string]struct {
		first, second func(r *stack.Request)
		outcome       stack.Outcome
		hit           bool
	}{
		"the same":            {hit: true, outcome: good},
		"in other words":      {second: func(r *stack.Request) { r.Text = reworded }, hit: true, outcome: good},
		"another question":    {second: func(r *stack.Request) { r.Text = "Prove that the tidal growth of coral is bounded." }, outcome: good},
		"another tenant":      {second: func(r *stack.Request) { r.Tenant = 2 }, outcome: good},
		"other parameters":    {second: func(r *stack.Request) { r.Params = 2 }, outcome: good},
		"another model":       {second: func(r *stack.Request) { r.Route = 1 }, outcome: good},
		"a write":             {second: func(r *stack.Request) { r.Write = true }, outcome: good},
		"a write before":      {first: func(r *stack.Request) { r.Write = true }, outcome: good},
		"with tools":          {second: func(r *stack.Request) { r.Tools = true }, outcome: good},
		"with tools before":   {first: func(r *stack.Request) { r.Tools = true }, outcome: good},
		"no text":             {second: func(r *stack.Request) { r.Text = "" }, outcome: good},
		"an error before":     {outcome: stack.Outcome{Kind: stack.BadRequest, Status: 400}},
		"a part of an answer": {outcome: stack.Outcome{Kind: stack.Success, Status: 200, Usage: stack.Usage{In: 1, Out: 1}, Partial: true}},
	} {
		t.Run(name, func(t *testing.T) {
			c := cached(t, nil)
			first, second := base, base
			second.ID = 2
			if tt.first != nil {
				tt.first(&first)
			}
			if tt.second != nil {
				tt.second(&second)
			}
			if res, _ := put(t, c, 0, first, tt.outcome); res.CacheHit {
				t.Fatal("an empty cache answers")
			}
			res, target := put(t, c, time.Minute, second, good)
			if res.CacheHit != tt.hit || tt.hit && (target >= 0 || res.Value != "the answer" || res.Ending != stack.Succeeded || len(res.Steps) > 0) {
				t.Errorf("hit %t, sent to %d, %+v", res.CacheHit, target, res)
			}
			if c.Pending() != 0 || c.Timers() != 0 {
				t.Errorf("%d pending, %d timers", c.Pending(), c.Timers())
			}
		})
	}
}

// TestCacheForgets: an answer is good for its time to live.
func TestCacheForgets(t *testing.T) {
	c := cached(t, nil)
	r := stack.Request{ID: 1, EstIn: 10, MaxOut: 10, Text: "What is known about it?"}
	good := stack.Outcome{Kind: stack.Success, Status: 200, Usage: stack.Usage{In: 10, Out: 5}}
	for i, tt := range []struct {
		at  time.Duration
		hit bool
	}{{0, false}, {30 * time.Minute, true}, {59 * time.Minute, true}, {62 * time.Minute, false}, {63 * time.Minute, true}} {
		r.ID++
		if res, _ := put(t, c, tt.at, r, good); res.CacheHit != tt.hit {
			t.Errorf("%d: after %v hit %t", i, tt.at, res.CacheHit)
		}
	}
	if n := c.Remembered(); n.Exact != 3 {
		t.Errorf("counts %+v", n)
	}
}

// TestRouting: what is simple goes the cheap way, what is hard the strong one, and what has no text as it
// was asked.
func TestRouting(t *testing.T) {
	good := stack.Outcome{Kind: stack.Success, Status: 200, Usage: stack.Usage{In: 10, Out: 5}}
	c := cached(t, func(cfg *stack.Config) {
		cfg.Cache = nil
		cfg.Routes[0].Routing = &stack.Routing{Simple: 1, Threshold: 0.3}
	})
	for text, want := range map[string]int{
		"What time is it?": 1,
		"Derive the governing equation step by step, compare the alternatives, prove that it is stable and design an experiment: 1. controls 2. costs. Explain why.": 0,
		"": 0,
	} {
		if _, target := put(t, c, 0, stack.Request{ID: 1, EstIn: 50, MaxOut: 10, Text: text}, good); target != want {
			t.Errorf("%q went to %d", text, target)
		}
	}
}
