package scenario

import (
	"time"

	"github.com/seed-4fd17b57/simload/stack"
)

// spellNaive writes "stack: none", of the base and of its variants, as the key that it is short for.
// So it keeps the routes of the map that it is merged into.
func spellNaive(tree *node) {
	spell := func(n *node) {
		i := n.index("stack")
		if i < 0 || n.items[i].kind != scalarNode || n.items[i].text != "none" {
			return
		}
		word := n.items[i]
		m := &node{kind: mapNode, tag: "!!map", line: word.line, column: word.column, set: word.set, parent: n, name: "stack"}
		value := word.clone()
		value.parent, value.name = m, "client"
		m.put("client", value, n.keys[i])
		n.items[i] = m
	}
	spell(tree)
	if overlays := tree.child("variants"); overlays != nil && overlays.kind == mapNode {
		for _, o := range overlays.items {
			if o.kind == mapNode {
				spell(o)
			}
		}
	}
}

// unlimited is a number of requests that no limit of a client stands in the way of.
const unlimited = 1_000_000

// naive makes of a stack what a client without one does: every request goes out at once, on the next key in turn,
// to the first model of its route, once. Of the configuration only routes, time-outs and the prefill that is
// expected of a prompt remain.
func naive(s *stack.Config) {
	for i := range s.Quotas {
		s.Quotas[i] = stack.Quota{Name: s.Quotas[i].Name}
	}
	for i := range s.Routes {
		s.Routes[i].Steps, s.Routes[i].Routing = s.Routes[i].Steps[:1], nil
	}
	for i := range s.Targets {
		s.Targets[i].Concurrency, s.Targets[i].ContextWindow = nil, 0
	}
	for i := range s.Kinds {
		s.Kinds[i].Context = 0
	}
	s.Cache = nil
	s.Queue = stack.QueueConfig{Bound: unlimited, Overflow: stack.OverflowBlock}
	s.Concurrency.Controller, s.Concurrency.Start = "static", unlimited
	s.Rotation = stack.RotationConfig{Weights: stack.WeightsFixed}
	s.Budget.RPMHeadroom, s.Budget.TPMHeadroom = 100, 100
	s.Reserve = stack.ReserveConfig{}
	s.Retry.Attempts, s.Retry.BudgetPercent, s.Retry.BudgetBurst = 1, 0, 0
	s.Breaker.Enabled = false
	s.AgentCap = stack.AgentCapConfig{Burst: 1}
	s.Fallback.MaxWait = time.Duration(0)
	s.Idempotency = stack.IdempotencyNone
}
