package mockupstream

import (
	"math/bits"
	"slices"
	"time"
)

// fluid is a bucket of output tokens that fills while answers are generated: one token
// when a stream's first token is due, the rest evenly up to its end, as many
// streams at once as there are. Since a plan is fixed at admission, each stream is two
// changes of the rate at known instants (O(log n) at its start, nothing per token). The use
// may go beyond the limit in mid-answer; a new call needs room for one token.
//
//	used' = rate - limit   while used > 0
//
// A stream's rate is rounded down to units (1/period tokens) a nanosecond, and what
// is missing, under a token a minute, is added at its end.
type fluid struct {
	bucket
	rate   uint64 // units per ns that flow in
	flows  []flow // heap by instant: the changes to come
	sorted bool   // the heap is in order throughout
}

// flow is a change of the rate and what is charged at once with it.
type flow struct {
	at     time.Duration
	id     CallID
	rate   uint64
	begins bool
	hi, lo uint64
}

// stream returns a stream's rate in units per ns and what is missing at its end. Where it
// is too fast for a rate, whole is true: all is charged at its first token.
func stream(out int64, length time.Duration) (rate, missing uint64, whole bool) {
	if out <= 1 || length <= 0 {
		return 0, 0, true
	}
	hi, lo := bits.Mul64(uint64(out-1), uint64(time.Minute))
	if hi >= uint64(length) {
		return 0, 0, true
	}
	rate, missing = bits.Div64(hi, lo, uint64(length))
	return rate, missing, rate > 1<<40
}

// start enters an answer of out tokens between first and end.
func (f *fluid) start(id CallID, first, end time.Duration, out int64) {
	if out == 0 {
		return
	}
	rate, missing, whole := stream(out, end-first)
	if whole {
		hi, lo := bits.Mul64(uint64(out), f.period)
		f.push(flow{at: first, id: id, begins: true, hi: hi, lo: lo})
		return
	}
	f.push(flow{at: first, id: id, begins: true, rate: rate, lo: f.period})
	f.push(flow{at: end, id: id, rate: rate, lo: missing})
}

// stop ends an answer at now, before its planned end, and corrects what it was charged to
// produced tokens.
func (f *fluid) stop(now time.Duration, id CallID, first, end time.Duration, out, produced int64) {
	f.drain(now)
	if out == 0 {
		return
	}
	f.remove(id)
	rate, _, whole := stream(out, end-first)
	var hi, lo uint64 // charged so far
	switch {
	case now < first:
	case whole:
		hi, lo = bits.Mul64(uint64(out), f.period)
	default:
		f.rate -= rate
		hi, lo = bits.Mul64(rate, uint64(now-first))
		var carry uint64
		lo, carry = bits.Add64(lo, f.period, 0)
		hi += carry
	}
	dueHi, dueLo := bits.Mul64(uint64(produced), f.period)
	if dueHi > hi || dueHi == hi && dueLo >= lo {
		lo, borrow := bits.Sub64(dueLo, lo, 0)
		f.raise(dueHi-hi-borrow, lo)
		return
	}
	lo, borrow := bits.Sub64(lo, dueLo, 0)
	f.lower(hi-dueHi-borrow, lo)
}

func (f *fluid) raise(hi, lo uint64) {
	var carry uint64
	f.lo, carry = bits.Add64(f.lo, lo, 0)
	f.hi += hi + carry
}

func (f *fluid) lower(hi, lo uint64) {
	lo, borrow := bits.Sub64(f.lo, lo, 0)
	hi, borrow = bits.Sub64(f.hi, hi, borrow)
	if borrow != 0 {
		hi, lo = 0, 0
	}
	f.hi, f.lo = hi, lo
}

// drain brings the use up to date, change by change.
func (f *fluid) drain(now time.Duration) {
	for len(f.flows) > 0 && f.flows[0].at <= now {
		f.apply(f.pop())
	}
	f.move(now)
}

func (f *fluid) apply(c flow) {
	f.move(c.at)
	if c.begins {
		f.rate += c.rate
	} else {
		f.rate -= c.rate
	}
	f.raise(c.hi, c.lo)
}

// move lets the use flow on at the present rate.
func (f *fluid) move(now time.Duration) {
	passed := uint64(now - f.last)
	f.last = now
	if limit := uint64(f.limit); f.rate < limit {
		f.lower(bits.Mul64(limit-f.rate, passed))
	} else {
		f.raise(bits.Mul64(f.rate-limit, passed))
	}
}

// open returns the first time after now, at least from and a multiple of grid, at which
// there is room for one token, if nothing starts or breaks off until then. The use must be up to date.
func (f *fluid) open(now, from, grid time.Duration) time.Duration {
	if hi, lo := f.over(1); from == 0 && hi|lo == 0 {
		return 0
	}
	if !f.sorted {
		slices.SortFunc(f.flows, func(a, b flow) int {
			if a.before(&b) {
				return -1
			}
			return 1
		})
		f.sorted = true
	}
	sim := fluid{bucket: f.bucket, rate: f.rate}
	rest := f.flows
	for at := now + ceilTo(from, grid); ; {
		for len(rest) > 0 && rest[0].at <= at {
			sim.apply(rest[0])
			rest = rest[1:]
		}
		sim.move(at)
		hi, lo := sim.over(1)
		if hi|lo == 0 || at >= never/2 {
			return at - now
		}
		next := never / 2
		if drain := uint64(sim.limit) - sim.rate; sim.rate < uint64(sim.limit) && hi < drain {
			ns, part := bits.Div64(hi, lo, drain)
			if ns < uint64(next-at) {
				next = at + time.Duration(ns+min(1, part))
			}
		}
		if len(rest) > 0 {
			next = min(next, rest[0].at)
		}
		at = now + ceilTo(next-now, grid)
	}
}

func (c *flow) before(d *flow) bool {
	return c.at < d.at || c.at == d.at && (c.id < d.id || c.id == d.id && c.begins && !d.begins)
}

func (f *fluid) push(c flow) {
	f.sorted = false
	f.flows = append(f.flows, c)
	f.up(len(f.flows) - 1)
}

func (f *fluid) pop() flow {
	h := f.flows
	c, last := h[0], len(h)-1
	h[0] = h[last]
	f.flows = h[:last]
	f.sorted = last <= 1
	f.down(0)
	return c
}

// remove takes a stream's changes out.
func (f *fluid) remove(id CallID) {
	for i := 0; i < len(f.flows); {
		if f.flows[i].id != id {
			i++
			continue
		}
		last := len(f.flows) - 1
		f.flows[i] = f.flows[last]
		f.flows = f.flows[:last]
		f.sorted = false
		if i < last {
			f.down(i)
			f.up(i)
			i = 0 // one that was not looked at may have moved up
		}
	}
}

func (f *fluid) up(i int) {
	h := f.flows
	for i > 0 {
		parent := (i - 1) / 2
		if !h[i].before(&h[parent]) {
			return
		}
		h[i], h[parent] = h[parent], h[i]
		i = parent
	}
}

func (f *fluid) down(i int) {
	h := f.flows
	for {
		least := 2*i + 1
		if least >= len(h) {
			return
		}
		if right := least + 1; right < len(h) && h[right].before(&h[least]) {
			least = right
		}
		if !h[least].before(&h[i]) {
			return
		}
		h[i], h[least] = h[least], h[i]
		i = least
	}
}
