package limit

import "time"

// vegasProbe is how many windows pass between two renewals of the base.
const vegasProbe = 30

// vegas keeps a short queue at the target, estimated from how much longer answers take
// than without load. Once per window:
//
//	queue = ceil(limit * (1 - base/rtt))     rtt: mean signal of the window; base: the least rtt
//	l     = max(1, floor(log10(limit)))
//	queue <= l        limit += 6*l           no queue: hurry
//	queue <  3*l      limit += l             alpha
//	queue >  6*l      limit -= l             beta
//
// and between 3*l and 6*l it rests. A window with a new base only takes it.
//
// Source: TCP Vegas (Brakmo, O'Malley and Peterson, "TCP Vegas: New Techniques for
// Congestion Detection and Avoidance", 1994) in the form of VegasLimit of Netflix
// concurrency-limits, its README and source, for alpha, beta, the threshold and the steps.
//
// What is different, and why:
//   - The source renews the base by taking whatever the present latency is. Under
//     steady load that has the queue in it, and with every renewal the queue that
//     counts as none is one longer (its issue 165). Here the base is renewed every 30
//     windows from a window at half the limit, in which the queue has drained (the idea
//     of Envoy's minimum round trip and of BBR's ProbeRTT), and then the limit is put
//     back. That costs a sixtieth of the throughput at most, if an answer is short
//     against the interval. Where the limit was not reached, or is at Min already,
//     there is nothing to drain, and the window counts as it is. The source
//     counts 15 to 30 times the limit in samples, at random; here there is no
//     randomness, and a probe lasts a window.
//   - The source subtracts l for a drop. Clients that add and subtract by steps keep the
//     distance they have (INV-24), and hundreds too many take minutes. Here a failure that
//     means overload cuts the limit to DecreasePercent, as TCP does at a loss and as
//     aimd, at most once per interval and not for what was sent before the last
//     decrease (INV-23).
//   - The source takes every answer's duration; here only successes bring a signal
//     (INV-26): a fast refusal would be the base for ever.
//   - The source holds still while less than half the limit is in flight; here while
//     the limit was not reached in the window (INV-24).
//
// What stays: steps down by l are slow where capacity is lost and nothing refuses. And the
// least of noisy means is below their mean, which reads as a queue: with noise of a
// share x of the signal's window mean, the limit stays below about 6*l/x.
type vegas struct {
	cfg             Config
	win             window
	limit           int
	base            time.Duration // 0: not known yet
	age             int           // windows since the base was renewed
	restore         int           // limit to go back to after the probe; 0: none is under way
	raised, lowered int64
}

func newVegas(c Config) *vegas {
	return &vegas{cfg: c, win: newWindow(c), limit: min(max(c.Start, c.Min), c.Max)}
}

func (v *vegas) Limit() int                      { return v.limit }
func (v *vegas) Counts() (raised, lowered int64) { return v.raised, v.lowered }
func (v *vegas) Busy(time.Duration)              { v.win.busy = true }

func (v *vegas) Success(now, sent, signal time.Duration) {
	w, ok := v.win.add(now, sent, signal)
	if !ok {
		return
	}
	v.age++
	switch {
	case v.restore > 0:
		v.renew(w.mean)
		if w.busy { // else the limit is not what binds, and grows when it does
			v.set(now, v.restore)
		}
		v.restore = 0
	case v.age >= vegasProbe:
		v.probe(now, w)
	case v.base == 0 || w.mean < v.base:
		v.base = w.mean
	case w.busy:
		v.set(now, v.limit+v.step(w.mean))
	}
}

func (v *vegas) Failure(now, sent time.Duration) {
	if v.win.mayCut(now, sent) {
		v.restore = 0
		v.set(now, min(v.limit-1, v.limit*v.cfg.DecreasePercent/100))
		v.win.lowered(now) // at Min too: a window with an overload in it raises nothing
	}
}

// probe renews the base at once where there is no queue of ours to drain, and else goes
// down to half the limit for a window.
func (v *vegas) probe(now time.Duration, w verdict) {
	low := max(v.cfg.Min, v.limit/2)
	if !w.busy || low == v.limit {
		v.renew(w.mean)
		return
	}
	v.restore = v.limit
	v.set(now, low)
}

func (v *vegas) renew(base time.Duration) { v.base, v.age = base, 0 }

// step is what the window's mean adds to the limit.
func (v *vegas) step(rtt time.Duration) int {
	l := log10(v.limit)
	queue := v.limit - int(share(int64(v.limit), v.base, rtt))
	switch {
	case queue <= l:
		return 6 * l
	case queue < 3*l:
		return l
	case queue > 6*l:
		return -l
	}
	return 0
}

// set moves the limit, within its bounds.
func (v *vegas) set(now time.Duration, to int) {
	to = min(max(to, v.cfg.Min), v.cfg.Max)
	before := v.limit
	v.limit = to
	switch {
	case to > before:
		v.raised++
	case to < before:
		v.lowered++
		v.win.lowered(now)
	}
}

// log10 is the common logarithm rounded down, at least 1. It counts digits: that of 1000
// in floating point is a little less than 3.
func log10(n int) int {
	l := 0
	for ; n >= 10; n /= 10 {
		l++
	}
	return max(1, l)
}
