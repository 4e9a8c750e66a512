package mockupstream

import (
	"math"
	"math/rand/v2"
)

// mix is the finaliser of splitmix64: a bijection in which every input bit changes
// every output bit with probability about one half (Steele, Lea and Flood, 2014).
func mix(x uint64) uint64 {
	x ^= x >> 30
	x *= 0xbf58476d1ce4e5b9
	x ^= x >> 27
	x *= 0x94d049bb133111eb
	return x ^ x>>31
}

const golden = 0x9e3779b97f4a7c15 // 2^64 / golden ratio

// callHash is the root of all draws of one attempt.
func callHash(seed, id uint64, attempt int) uint64 {
	return mix(mix(mix(seed+golden)^id)+golden*uint64(attempt+1)) + golden
}

// chance draws once from a call's hash, stream by stream, and is true with the given
// probability, 0 and 1 included.
func chance(hash, stream uint64, probability float64) bool {
	if probability >= 1 {
		return true
	}
	return float64(mix(hash^mix(stream+golden))>>11)*0x1p-53 < probability
}

// noise draws log-normal factors of median 1. One generator serves all calls: it is
// seeded anew from each call's hash, so that what a call draws does not depend on
// what was drawn before it.
type noise struct {
	pcg  *rand.PCG
	rand *rand.Rand
}

func newNoise() noise {
	pcg := rand.NewPCG(0, 0)
	return noise{pcg: pcg, rand: rand.New(pcg)}
}

// draw returns the factors for the first token and for the time per output token. Both
// normals are always drawn, so that either factor is the same whatever the other's sigma.
func (n noise) draw(hash uint64, firstSigma, outputSigma float64) (first, output float64) {
	first, output = 1, 1
	if firstSigma == 0 && outputSigma == 0 {
		return first, output
	}
	n.pcg.Seed(hash, mix(hash))
	z1, z2 := n.rand.NormFloat64(), n.rand.NormFloat64()
	if firstSigma > 0 {
		first = math.Exp(firstSigma * z1)
	}
	if outputSigma > 0 {
		output = math.Exp(outputSigma * z2)
	}
	return first, output
}
