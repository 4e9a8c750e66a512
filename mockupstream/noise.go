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

// noise draws factors, log-normal of median 1 or as measured. One generator serves all calls: it
// is seeded anew from each call's hash, so that what a call draws does not depend on
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
// normals are always drawn, so that either factor is the same whatever the other's noise.
func (n noise) draw(hash uint64, l *Latency) (first, output float64) {
	if l.FirstTokenSigma == 0 && l.OutputSigma == 0 && l.FirstTokenFactors == nil && l.OutputFactors == nil {
		return 1, 1
	}
	n.pcg.Seed(hash, mix(hash))
	z1, z2 := n.rand.NormFloat64(), n.rand.NormFloat64()
	return factor(z1, l.FirstTokenSigma, l.FirstTokenFactors), factor(z2, l.OutputSigma, l.OutputFactors)
}

// factor makes the noise of a standard normal variate.
func factor(z, sigma float64, measured *Factors) float64 {
	switch {
	case measured != nil:
		return measured.At(z)
	case sigma > 0:
		return math.Exp(sigma * z)
	}
	return 1
}
