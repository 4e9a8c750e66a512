// Package breaker stops sending to a target that fails, and probes it with a few
// requests before it lets all of them through again.
//
// Closed, it counts successes and failures in a sliding window of ten buckets.
// When the share of failures reaches the threshold it opens for a while; then, half
// open, it lets a few probes through. As many successes close it; one failure opens
// it again for twice as long, up to a bound.
package breaker

import "time"

// Config holds the parameters; see stack.BreakerConfig for their meaning.
type Config struct {
	Window           time.Duration
	MinSamples       int
	FailurePercent   int
	OpenFor, OpenMax time.Duration
	Probes           int
}

const buckets = 10

// Breaker is the state of one target. Make one with New.
type Breaker struct {
	cfg     Config
	open    bool
	until   time.Duration // while open: the instant of the first probe
	pause   time.Duration // of the next opening
	probes  int           // in flight, half open
	passed  int           // probes that succeeded
	ok, bad [buckets]int32
	slot    int64 // bucket number now being filled
	opened  int64
	epoch   uint32 // counts openings and closings, so that late outcomes are known as such
}

// New returns a closed breaker.
func New(cfg Config) *Breaker { return &Breaker{cfg: cfg, pause: cfg.OpenFor} }

// State says what the breaker would do with a request.
type State uint8

// States.
const (
	Closed   State = iota // let it through
	Open                  // not before Until
	HalfOpen              // a probe may go
	Probing               // half open, and all probes are under way
)

// State returns the state at now.
func (b *Breaker) State(now time.Duration) State {
	switch {
	case !b.open:
		return Closed
	case now < b.until:
		return Open
	case b.probes+b.passed < b.cfg.Probes:
		return HalfOpen
	}
	return Probing
}

// Until returns the instant at which an open breaker lets the first probe through.
func (b *Breaker) Until() time.Duration { return b.until }

// Opened counts the openings.
func (b *Breaker) Opened() int64 { return b.opened }

// Send notes that a request goes out and returns the token to hand to Record or
// Forget with its outcome.
func (b *Breaker) Send() (token uint32) {
	if b.open {
		b.probes++
	}
	return b.epoch
}

// Forget takes back a request whose outcome says nothing about the target.
func (b *Breaker) Forget(token uint32) {
	if token == b.epoch && b.open {
		b.probes--
	}
}

// Record notes an outcome. One of a request sent before the last change of state
// is not counted.
func (b *Breaker) Record(now time.Duration, token uint32, ok bool) {
	if token != b.epoch {
		return
	}
	if b.open {
		b.probes--
		if !ok {
			b.trip(now)
			return
		}
		if b.passed++; b.passed >= b.cfg.Probes {
			b.close(now)
		}
		return
	}
	b.roll(now)
	if ok {
		b.ok[b.slot%buckets]++
		return
	}
	b.bad[b.slot%buckets]++
	good, bad := 0, 0
	for i := range b.ok {
		good += int(b.ok[i])
		bad += int(b.bad[i])
	}
	if n := good + bad; n >= b.cfg.MinSamples && bad*100 >= n*b.cfg.FailurePercent {
		b.trip(now)
	}
}

func (b *Breaker) trip(now time.Duration) {
	b.open, b.probes, b.passed = true, 0, 0
	b.until = now + b.pause
	b.pause = min(b.pause*2, b.cfg.OpenMax)
	b.opened++
	b.epoch++
}

func (b *Breaker) close(now time.Duration) {
	b.open, b.probes, b.passed = false, 0, 0
	b.pause = b.cfg.OpenFor
	b.epoch++
	b.ok, b.bad = [buckets]int32{}, [buckets]int32{}
	b.roll(now)
}

func (b *Breaker) roll(now time.Duration) {
	s := int64(now / (b.cfg.Window / buckets))
	if s-b.slot >= buckets {
		b.ok, b.bad = [buckets]int32{}, [buckets]int32{}
		b.slot = s
		return
	}
	for b.slot < s {
		b.slot++
		b.ok[b.slot%buckets], b.bad[b.slot%buckets] = 0, 0
	}
}
