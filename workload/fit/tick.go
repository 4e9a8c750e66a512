package fit

import (
	"slices"
	"time"
)

const (
	// tickShare of the steps between instants must be whole multiples of a tick.
	tickShare = 0.95
	// tickSlack is how far from a multiple a step may be, as a part of the tick: clocks jitter.
	tickSlack = 0.02
	// tieShare of the requests must come with another one, or a tick does not matter.
	tieShare = 0.02
	minTick  = time.Millisecond
	maxTick  = 24 * time.Hour // of a stream
	// together are requests that are less apart: those that a run sends at once are a nanosecond.
	together = time.Microsecond
)

// findTick returns the time that all instants are multiples of, give or take a jitter; 0 if
// there is none, or if it is so short that requests do not come together by it. Instants do
// not fall.
func findTick(at []time.Duration) time.Duration {
	var steps []time.Duration
	for i := 1; i < len(at); i++ {
		if step := at[i] - at[i-1]; step >= together {
			steps = append(steps, step)
		}
	}
	if ties := len(at) - 1 - len(steps); float64(ties) < tieShare*float64(len(at)) || len(steps) == 0 {
		return 0
	}
	// Most steps of a busy trace are one tick; those of a quiet one are some.
	sorted := slices.Sorted(slices.Values(steps))
	for _, share := range []float64{0.5, 0.25, 0.1, 0.02, 0} {
		tick := roundTick(sorted[int(share*float64(len(sorted)))])
		if tick >= minTick && tick <= maxTick && multiples(steps, tick) {
			return tick
		}
	}
	return 0
}

// roundTick rounds to two digits: a step of 2.999 s is one of 3 s.
func roundTick(d time.Duration) time.Duration {
	unit := time.Duration(1)
	for d/unit >= 100 {
		unit *= 10
	}
	return (d + unit/2) / unit * unit
}

// multiples reports whether nearly all steps are multiples of the tick.
func multiples(steps []time.Duration, tick time.Duration) bool {
	slack := max(time.Duration(tickSlack*float64(tick)), 1)
	fits := 0
	for _, step := range steps {
		if rest := (step + slack) % tick; step+slack >= tick && rest <= 2*slack {
			fits++
		}
	}
	return float64(fits) >= tickShare*float64(len(steps))
}

// snap moves each instant to the nearest tick.
func snap(at []time.Duration, tick time.Duration) []time.Duration {
	out := make([]time.Duration, len(at))
	for i, t := range at {
		out[i] = (t + tick/2) / tick * tick
	}
	return out
}
