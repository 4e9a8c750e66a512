package litellm

import (
	"fmt"
	"strings"

	"github.com/seed-4fd17b57/simload/sim/scenario/draft"
)

// unlimited is the concurrency of a model of which nothing is said.
const unlimited = 100_000

// mostAttempts is what the stack makes of a request at most.
const mostAttempts = 20

// stack writes the client stack as the router is set up.
func (w *writer) stack() {
	p, s := &w.page, &w.settings
	p.Line(0, "")
	p.Line(0, "stack:")
	w.routeLines()
	p.Comment(1, "The router knows no classes, no caps of agents, no headroom, no budget of retries and no adaptive concurrency.")
	p.Line(1, "agent_cap: {per_minute: 0}")
	p.Line(1, "reserve: {slots: 0%%, rate: 0%%, queue: 0%%}")
	p.Line(1, "budget: {rpm_headroom: 100%%, tpm_headroom: 100%%}")
	weights := "fixed"
	if s.strategy != "" && s.strategy != "simple-shuffle" {
		weights = "remaining"
	}
	switch {
	case s.noCooldowns:
		p.Line(1, "rotation: {weights: %s, exclude: 0s}    # disable_cooldowns", weights)
		p.Line(1, "breaker: {enabled: false}")
	case s.cooldown >= 0:
		p.Line(1, "rotation: {weights: %s, exclude: %s}    # cooldown_time", weights, seconds(s.cooldown))
	default:
		p.Line(1, "rotation: {weights: %s, exclude: 5s}    # cooldown_time by default", weights)
	}
	w.retry()
	w.timeouts()
	w.concurrency()
	p.Line(0, "")
	p.Line(0, "expect:    # what must hold; the exit code is 99 if one of these fails")
	p.Line(1, "- ratio_429 < 10%%")
}

// routeLines writes the groups that are more than a model of the same name.
func (w *writer) routeLines() {
	p := &w.page
	first := true
	for _, r := range w.routes {
		if len(r.steps) == 1 && r.steps[0].name == r.name {
			continue
		}
		if first {
			p.Line(1, "routes:    # groups and aliases: the model asked first, then what stands in")
			first = false
		}
		var steps []string
		for _, t := range r.steps {
			steps = append(steps, draft.Quote(t.name))
		}
		p.Line(2, "%s: [%s]", draft.Quote(r.name), strings.Join(steps, ", "))
	}
}

// retry writes retries: each group of a chain of fallbacks has its own in LiteLLM.
func (w *writer) retry() {
	p, s := &w.page, &w.settings
	base := ""
	if s.retryAfter > 0 {
		base = fmt.Sprintf(", base: %s, cap: %s", seconds(s.retryAfter), seconds(max(s.retryAfter, 30)))
	}
	if s.retries < 0 {
		p.Comment(1, "num_retries is not set: attempts are the stack's default.")
		p.Line(1, "retry: {budget: 0%%, budget_burst: 0%s}", base)
		return
	}
	steps := int64(1)
	for _, r := range w.routes {
		steps = max(steps, int64(len(r.steps)))
	}
	each := min(s.retries+1, mostAttempts/steps)
	if each <= s.retries {
		p.Comment(1, "num_retries would make %d attempts, with fallbacks; the stack makes %d at most: %d for each of %d steps.", (s.retries+1)*steps, mostAttempts, each, steps)
	}
	p.Line(1, "retry: {attempts: %d, budget: 0%%, budget_burst: 0%s}    # num_retries: %d, for each of up to %d steps", each*steps, base, s.retries, steps)
	p.Line(1, "fallback: {after: %d}", each)
}

// timeouts writes the waits that are set. A stream's is that of its first token.
func (w *writer) timeouts() {
	s := &w.settings
	var parts []string
	first := s.streamTimeout
	if first == 0 {
		first = s.timeout
	}
	if s.timeout > 0 {
		first = min(first, s.timeout)
	}
	if first > 0 {
		parts = append(parts, "first_token: "+seconds(min(first, 86_400)))
	}
	if s.timeout > 0 {
		t := seconds(s.timeout)
		parts = append(parts, fmt.Sprintf("deadline: {P0: %s, P1: %s, P2: %s}", t, t, t))
	}
	if len(parts) == 0 {
		w.page.Comment(1, "No timeout is set: the stack's defaults hold, LiteLLM's are longer.")
		return
	}
	w.page.Comment(1, "A deadline is of a request with all its attempts; LiteLLM's timeout is of each.")
	w.page.Line(1, "timeouts: {%s}", strings.Join(parts, ", "))
}

// concurrency writes what LiteLLM allows at once: of each deployment max_parallel_requests, else
// rpm, else 6 for every 1000 tpm, else the router's default, else without end.
func (w *writer) concurrency() {
	p := &w.page
	p.Line(1, "concurrency: {controller: static, start: %d, max: %d}", unlimited, unlimited)
	first := true
	for _, t := range w.targets {
		sum := int64(0)
		for _, d := range t.deployments {
			n := d.parallel
			switch {
			case n > 0:
			case d.rpm > 0:
				n = d.rpm
			case d.tpm > 0:
				n = max(1, d.tpm*6/1000)
			case w.settings.parallel > 0:
				n = w.settings.parallel
			default:
				n = unlimited
			}
			sum += n
		}
		if sum >= unlimited {
			continue
		}
		if first {
			p.Line(1, "targets:    # what a group may have open: max_parallel_requests, else rpm, else tpm x 6 / 1000")
			first = false
		}
		p.Line(2, "%s: {concurrency: {start: %d, max: %d}}", draft.Quote(t.name), sum, sum)
	}
}
