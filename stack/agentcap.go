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
	tat      map[uint32]time.Duration // by agent: when its schedule is empty
	sweepAt  int
}

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
	tat := max(a.tat[agent], now)
	wait := max(0, tat-a.slack-now)
	if a.maxWait > 0 && wait > a.maxWait {
		return -1
	}
	a.tat[agent] = tat + a.interval
	if len(a.tat) > a.sweepAt {
		a.sweep(now)
	}
	return wait
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
