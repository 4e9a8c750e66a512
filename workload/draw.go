package workload

import (
	"math/bits"
	"math/rand/v2"
	"time"

	"github.com/seed-4fd17b57/simload/stack/jitter"
)

// purpose keeps the draws for one request apart from each other.
type purpose uint64

const (
	forInterval purpose = iota
	forContext          // prompt of a first round, or what a further round adds
	forOutput
	forEstimate
	forWrite
	forRounds
	forStart
	forClient
	forProfile
	forState // of a stream's rate
	forTool
	forFanOut
	forSubRounds
	forPatience
	forDeadline
	forShared   // what of a first prompt others have had
	purposeBits = 4
)

const (
	// golden is 2^64 divided by the golden ratio, odd: multiples of it are spread evenly.
	golden = 0x9e3779b97f4a7c15
	// idSalt sets request identities apart from draws.
	idSalt = 0x5851f42d4c957f2d
	// maxTokens bounds every token count, so that sums of them cannot overflow.
	maxTokens = 1 << 40
	// maxRounds bounds the rounds of a phase.
	maxRounds = 1 << 30
	// maxWait bounds a drawn time, 36 years, so that sums of some cannot overflow.
	maxWait = 1 << 60
)

// dice makes each draw a function of (seed, source, purpose, number): a hash of the
// four seeds the one generator anew, so nothing has to be kept per source.
type dice struct {
	root uint64
	pcg  rand.PCG
	rng  *rand.Rand
}

func newDice(seed uint64) *dice {
	d := &dice{root: jitter.Mix(seed + golden)}
	d.rng = rand.New(&d.pcg)
	return d
}

// base returns the hash that all draws of a source start from.
func (d *dice) base(source int) uint64 {
	return jitter.Mix(d.root + uint64(source+1)*golden)
}

// hash returns 64 random bits of a source for a purpose.
func hash(base uint64, p purpose, number uint64) uint64 {
	return jitter.Mix(base + (number<<purposeBits|uint64(p))*golden)
}

// seeded returns the generator, seeded for one draw.
func (d *dice) seeded(base uint64, p purpose, number uint64) *rand.Rand {
	h := hash(base, p, number)
	d.pcg.Seed(h, bits.RotateLeft64(h, 32)^base)
	return d.rng
}

func (d *dice) draw(from *Dist, base uint64, p purpose, number uint64) float64 {
	if from.kind == distConstant {
		return from.a
	}
	return from.Draw(d.seeded(base, p, number))
}

// tokens draws a token count, from 0 on.
func (d *dice) tokens(from *Dist, base uint64, p purpose, number uint64) int64 {
	return roundTokens(d.draw(from, base, p, number))
}

// gap draws a time in seconds: at least a nanosecond, so that instants differ, and
// at most most.
func (d *dice) gap(from *Dist, base, number uint64, most time.Duration) time.Duration {
	ns := d.draw(from, base, forInterval, number) * float64(time.Second)
	if ns >= float64(most) {
		return most
	}
	return min(max(time.Duration(ns+0.5), 1), most)
}

// wait draws a time in seconds, at most maxWait.
func (d *dice) wait(from *Dist, base uint64, p purpose, number uint64) time.Duration {
	ns := d.draw(from, base, p, number) * float64(time.Second)
	if ns >= maxWait {
		return maxWait
	}
	return time.Duration(ns + 0.5)
}

// unit returns a number from 0 up to, but not including, 1.
func unit(base uint64, p purpose, number uint64) float64 {
	return float64(hash(base, p, number)>>11) / (1 << 53)
}

// requestID hashes (seed, client, task, op). Requests of one client never share an
// identity: for a given client this is a permutation of (task, op).
func (d *dice) requestID(client, task, op uint32) uint64 {
	of := jitter.Mix((d.root ^ idSalt) + (uint64(client)+1)*golden)
	return jitter.Mix(of + (uint64(task)<<32|uint64(op))*golden)
}

// roundTokens rounds a drawn number of tokens, or of rounds, to the nearest.
func roundTokens(v float64) int64 {
	if v >= maxTokens {
		return maxTokens
	}
	return int64(v + 0.5) // v is never negative
}
