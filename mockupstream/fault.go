package mockupstream

import (
	"math"
	"time"
)

// never is an instant that does not come.
const never = time.Duration(math.MaxInt64)

// fault is the live state of a Fault: its present or next occurrence.
type fault struct {
	cfg          Fault
	from, until  time.Duration
	active       bool
	models, keys []bool // nil: all
	quotas       []int  // of a limit cut
}

// hits is what the active faults do to one call. The zero value is nothing.
type hits struct {
	status                                             int32 // of a scripted error; 0: none
	burst                                              int32 // index of the burst's fault, plus 1
	errorStatus                                        int16 // of an error in the stream; 0: none
	refuse, blackhole, lostReply, broken, stall, broke bool
	slow                                               float64 // factor; 0: none
}

// turn moves the script on to now: faults that are over end, those that are due begin.
// At one instant ends come before beginnings.
func (p *Provider) turn(now time.Duration) {
	for p.nextEdge <= now {
		at := p.nextEdge
		cut := false
		for i := range p.faults {
			f := &p.faults[i]
			if f.active && f.until <= at {
				f.active = false
				cut = cut || f.cfg.Kind == FaultCutLimit
				f.next()
			}
		}
		p.active, p.nextEdge = p.active[:0], never
		for i := range p.faults {
			f := &p.faults[i]
			if !f.active && f.from <= at {
				f.active = true
				cut = cut || f.cfg.Kind == FaultCutLimit
			}
			if f.active {
				p.active = append(p.active, int32(i))
				p.nextEdge = min(p.nextEdge, f.until)
			} else {
				p.nextEdge = min(p.nextEdge, f.from)
			}
		}
		if cut {
			p.cutLimits(at)
		}
	}
}

// next moves a fault that is over to its next occurrence.
func (f *fault) next() {
	if f.cfg.Every == 0 || f.from > never-2*f.cfg.Every {
		f.from, f.until = never, never
		return
	}
	f.from += f.cfg.Every
	f.until = f.from + f.cfg.For
}

// cutLimits sets every quota's limits by the cuts that are active.
func (p *Provider) cutLimits(now time.Duration) {
	for i := range p.factors {
		p.factors[i] = 1
	}
	for _, i := range p.active {
		f := &p.faults[i]
		for _, q := range f.quotas {
			p.factors[q] *= f.cfg.Factor
		}
	}
	for i := range p.quotas {
		p.quotas[i].scale(now, p.factors[i])
	}
}

// disturb says what the active faults do to a call. Of two errors or two bursts the
// first in the script counts; slow-downs multiply.
func (p *Provider) disturb(hash uint64, c *Call) hits {
	var h hits
	for _, i := range p.active {
		f := &p.faults[i]
		if f.cfg.Kind == FaultCutLimit || !f.matches(c) || !chance(hash, uint64(i), f.cfg.Share) {
			continue
		}
		switch f.cfg.Kind {
		case FaultBurst429:
			if h.burst == 0 {
				h.burst = i + 1
			}
		case FaultError:
			if h.status == 0 {
				h.status = int32(f.cfg.Status)
			}
		case FaultSlowdown:
			h.slow = max(h.slow, 1) * f.cfg.Factor
		case FaultBlackhole:
			h.blackhole = true
		case FaultRefuseConnection:
			h.refuse = true
		case FaultLostResponse:
			h.lostReply = c.Write
		case FaultBrokenStream:
			h.broken = true
		case FaultStall:
			h.stall = true
		case FaultStreamError:
			if h.errorStatus == 0 {
				h.errorStatus = int16(f.cfg.Status)
			}
		case FaultNoCredit:
			h.broke = true
		}
	}
	return h
}

func (f *fault) matches(c *Call) bool {
	return (f.models == nil || f.models[c.Model]) && (f.keys == nil || f.keys[c.Key])
}

// retryAfter is what a burst tells the client at now.
func (f *fault) retryAfter(now time.Duration) (time.Duration, bool) {
	switch f.cfg.Mode {
	case RetryAfterAbsent:
		return 0, false
	case RetryAfterWrong:
		return (f.until - now) / 10, true
	}
	return f.cfg.RetryAfter, true
}

// newFaults readies the script.
func newFaults(cfg *Config) []fault {
	faults := make([]fault, len(cfg.Faults))
	for i, c := range cfg.Faults {
		f := fault{cfg: c, from: c.At, until: c.At + c.For}
		f.models, f.keys = set(c.Models, len(cfg.Models)), set(c.Keys, len(cfg.Keys))
		if c.Kind == FaultCutLimit {
			f.quotas = cutQuotas(cfg, &f)
		}
		faults[i] = f
	}
	return faults
}

// cutQuotas returns the quotas that any matching key's calls of any matching model count against.
func cutQuotas(cfg *Config, f *fault) []int {
	hit := make([]bool, len(cfg.Quotas))
	for k := range cfg.Keys {
		for m := range cfg.Models {
			if !f.matches(&Call{Key: k, Model: m}) {
				continue
			}
			for _, q := range append(cfg.Keys[k].usual(m), cfg.Keys[k].longer(m)...) {
				hit[q] = true
			}
		}
	}
	var quotas []int
	for q, ok := range hit {
		if ok {
			quotas = append(quotas, q)
		}
	}
	return quotas
}

func set(members []int, n int) []bool {
	if members == nil {
		return nil
	}
	s := make([]bool, n)
	for _, m := range members {
		s[m] = true
	}
	return s
}
