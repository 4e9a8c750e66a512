package stack

import "time"

// agentCaps limits each agent's rate by itself (B13), by a virtual schedule per
// agent (GCRA). A request beyond the rate is given the instant at which it may go
// on; the instants are handed out in order and are not handed back when a request
// is cancelled.
type agentCaps struct {
	interval time.Duration // between requests; 0: no cap
	slack    time.Duration // how far ahead of its schedule an agent may be
	maxWait  time.Duration
	// When an agent's schedule is empty: in a table for small numbers, which simulations
	// use, in a map for others.
	table   []time.Duration
	tat     map[uint32]time.Duration
	sweepAt int
}

// tabled is the number of agents whose schedules are in the table: at most 8 MB.
const tabled = 1 << 20

func newAgentCaps(cfg AgentCapConfig) agentCaps {
	a := agentCaps{maxWait: cfg.MaxWait, tat: map[uint32]time.Duration{}, sweepAt: 1024}
	if cfg.PerMinute > 0 {
		a.interval = (time.Minute + time.Duration(cfg.PerMinute) - 1) / time.Duration(cfg.PerMinute) // rounded up
		a.slack = a.interval * time.Duration(cfg.Burst-1)
	}
	return a
}

// admit returns how long the agent's next request is to be held back; negative: it
// would be longer than allowed.
func (a *agentCaps) admit(now time.Duration, agent uint32) time.Duration {
	if a.interval == 0 {
		return 0
	}
	if agent < tabled {
		if n := int(agent) + 1 - len(a.table); n > 0 {
			a.table = append(a.table, make([]time.Duration, n)...)
		}
		next, wait := a.step(now, a.table[agent])
		a.table[agent] = next
		return wait
	}
	next, wait := a.step(now, a.tat[agent])
	a.tat[agent] = next
	if len(a.tat) > a.sweepAt {
		a.sweep(now)
	}
	return wait
}

// step returns when the schedule is empty after one more request, and its wait.
func (a *agentCaps) step(now, tat time.Duration) (next, wait time.Duration) {
	at := max(tat, now)
	wait = max(0, at-a.slack-now)
	if a.maxWait > 0 && wait > a.maxWait {
		return tat, -1
	}
	return at + a.interval, wait
}

// sweep forgets agents whose schedule is empty, which is the state of an agent never
// seen: the order of iteration is of no consequence.
func (a *agentCaps) sweep(now time.Duration) {
	for agent, tat := range a.tat {
		if tat <= now {
			delete(a.tat, agent)
		}
	}
	a.sweepAt = max(1024, 2*len(a.tat))
}
