package mockupstream

import (
	"math/bits"
	"time"
)

// stream sends an event stream.
func (v *visit) stream() {
	if !v.open() || !v.until(v.plan.FirstToken) {
		return
	}
	v.buf = v.term.codec.Begin(v.buf[:0], &v.ask, &v.plan, v.used)
	p := newPace(&v.plan, v.used.Out, v.server.cfg.ChunkEvery)
	for p.at < p.end {
		// All that is due goes out in one write, up to the next sign of life.
		for now := v.term.now(); p.at <= min(now, v.sign()) && p.at < p.end && len(v.buf) < burstMax; {
			v.quiet = p.at
			v.tokens(p.step())
		}
		if !v.write(true) || !v.until(p.at) {
			return
		}
	}
	v.quiet = v.plan.End
	v.finish(p)
}

// open sends the head, at once.
func (v *visit) open() bool {
	v.head(-1)
	return v.write(true)
}

// finish sends the last tokens and what the fate puts after them.
func (v *visit) finish(p *pace) {
	if v.plan.Fate != FateStall {
		v.settle(true)
	}
	v.tokens(p.step())
	switch v.plan.Fate {
	case FateBreak:
		v.seen.Gone = !v.write(true)
		v.cut()
	case FateStall:
		if v.write(true) {
			v.until(never)
		}
		return
	case FateError:
		v.buf = v.term.codec.Fail(v.buf, &v.ask, &v.plan)
	default:
		v.buf = v.term.codec.Close(v.buf, &v.ask, &v.plan, v.used)
	}
	v.seen.Gone = !v.write(true)
}

func (v *visit) tokens(from, to int64) {
	if from < to {
		v.buf = v.term.codec.Tokens(v.buf, &v.ask, &v.plan, from, to)
	}
}

// until waits for an instant, and shows signs of life meanwhile. It reports whether the client is
// still there.
func (v *visit) until(at time.Duration) bool {
	for {
		sign := v.sign()
		if sign >= at {
			return v.sleep(at)
		}
		if !v.sleep(sign) {
			return false
		}
		v.quiet = sign
		v.buf = v.term.codec.Beat(v.buf[:0], &v.ask)
		if len(v.buf) == 0 {
			continue // this vendor shows none
		}
		if !v.sent {
			v.head(-1)
		}
		if !v.write(true) {
			return false
		}
	}
}

// sign is when the next sign of life is due if nothing else is sent: a filler, or the heartbeat of
// a stream.
func (v *visit) sign() time.Duration {
	next := never
	if filler := v.quiet + v.server.cfg.FillEvery; filler <= v.plan.FillUntil {
		next = filler
	}
	if v.plan.Heartbeat > 0 && v.ask.Stream && v.sent {
		next = min(next, v.quiet+v.plan.Heartbeat)
	}
	return next
}

// sleep waits for an instant. It reports whether the client is still there.
func (v *visit) sleep(at time.Duration) bool {
	wait := at - v.term.now()
	if wait <= 0 {
		return v.life.Err() == nil
	}
	if v.timed { // lest the deadline of the request ends the watch for the client's leaving
		v.timed = false
		_ = v.out.SetReadDeadline(time.Time{})
	}
	v.timer.Reset(wait)
	select {
	case <-v.timer.C:
		return true
	case <-v.life.Done():
		v.timer.Stop()
		return false
	}
}

// pace says which tokens of a stream are sent when: each at the instant at which it is made, but with
// at least a given time between two events, which hold what was made in between. It follows from the plan
// alone: an event that is late delays none that come after it, and its contents are the same.
type pace struct {
	first, end time.Duration // out tokens are made between the two, evenly
	out        int64
	every      time.Duration
	at         time.Duration // of the next event
	sent       int64         // tokens
}

func newPace(plan *Plan, out int64, every time.Duration) *pace {
	return &pace{first: plan.FirstToken, end: plan.End, out: out, every: every, at: plan.FirstToken}
}

// step returns the tokens of the event at p.at, and moves on to the next one; the last is at the
// stream's end.
func (p *pace) step() (from, to int64) {
	from, to = p.sent, p.due(p.at)
	p.sent = to
	next := p.end
	if to < p.out {
		next = p.made(to + 1)
	}
	p.at = min(p.end, max(p.at+p.every, next))
	return from, to
}

// due is how many tokens are made by an instant: one at the first, the others evenly up to the
// end, as they are billed.
func (p *pace) due(at time.Duration) int64 {
	if at >= p.end || p.out <= 1 {
		return p.out
	}
	more, _ := ratio(p.out-1, int64(at-p.first), int64(p.end-p.first))
	return 1 + more
}

// made is the instant of a token, counted from 1: the first at which it is due.
func (p *pace) made(token int64) time.Duration {
	if token <= 1 {
		return p.first
	}
	after, rest := ratio(int64(p.end-p.first), token-1, p.out-1)
	if rest > 0 {
		after++
	}
	return p.first + time.Duration(after)
}

// ratio returns n*part/whole, rounded down, and the rest; 0 <= part <= whole.
func ratio(n, part, whole int64) (quotient, rest int64) {
	high, low := bits.Mul64(uint64(n), uint64(part))
	q, r := bits.Div64(high, low, uint64(whole))
	return int64(q), int64(r)
}
