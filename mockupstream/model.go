package mockupstream

import "time"

// maxLatency bounds what a formula may give, in either part of a latency.
const maxLatency = 365 * 24 * time.Hour

// model is the live state of a Model.
type model struct {
	cfg      Model
	dialect  *dialect
	step     int   // next capacity step
	capacity int64 // -1: unlimited
	running  int64
	cache    cache
	line     *line // nil: calls beyond the capacity are refused
}

// slots brings the capacity up to date and returns it.
func (m *model) slots(now time.Duration) int64 {
	for m.step < len(m.cfg.Capacity) && m.cfg.Capacity[m.step].At <= now {
		m.capacity = m.cfg.Capacity[m.step].Slots
		m.step++
	}
	return m.capacity
}

// place says when a call that arrives at now can start, and whether it is taken at all.
func (m *model) place(now time.Duration) (start time.Duration, ok bool) {
	slots := m.slots(now)
	if m.line != nil {
		return m.line.place(now, slots), true
	}
	return now, slots < 0 || m.running < slots
}

// maxWait is how long a call may wait in line.
func (m *model) maxWait() time.Duration {
	if m.cfg.MaxWait == 0 {
		return defaultMaxWait
	}
	return m.cfg.MaxWait
}

// Written is how many tokens of a prompt, of which cached are read from the prompt cache, the vendor
// writes to it at a price of their own.
func (m *Model) Written(in, cached int64) int64 {
	c := &m.Cache
	if !dialects[m.Dialect].writesCache || c.Block == 0 || in < c.MinTokens {
		return 0
	}
	return max(0, in-in%c.Block-cached)
}

// fits checks a call against the model's own sizes.
func (m *model) fits(c *Call) bool {
	if m.cfg.MaxOutput > 0 && c.MaxOut > m.cfg.MaxOutput {
		return false
	}
	return m.cfg.ContextWindow == 0 || c.In+c.MaxOut <= m.cfg.ContextWindow
}

// output is how many tokens the answer will hold. A call that does not say how many it
// wants at most (MaxOut 0) gets what the model can say.
func (m *model) output(c *Call) int64 {
	out := c.Out
	if c.MaxOut > 0 {
		out = min(out, c.MaxOut)
	} else if m.cfg.MaxOutput > 0 {
		out = min(out, m.cfg.MaxOutput)
	}
	return out
}

// latency returns the time to the first token and from there to the last one, by the
// formula at Latency, with slow as a further factor.
func (m *model) latency(n noise, hash uint64, in, cached, out int64, slow float64) (first, rest time.Duration) {
	l := &m.cfg.Latency
	if m.capacity > 0 {
		running := m.running
		if m.line != nil {
			running = m.line.running(m.capacity)
		}
		slow *= 1 + l.Load*float64(running)/float64(m.capacity)
	}
	firstNoise, outputNoise := n.draw(hash, l)
	prompt := float64(l.Base) + float64(l.PerPromptToken)*float64(in-cached) + float64(l.PerCachedToken)*float64(cached)
	first = bounded(prompt * firstNoise * slow)
	if out > 1 {
		rest = bounded(float64(l.PerOutputToken) * float64(out-1) * outputNoise * slow)
	}
	return first, rest
}

func bounded(ns float64) time.Duration {
	if ns >= float64(maxLatency) {
		return maxLatency
	}
	return time.Duration(ns)
}
