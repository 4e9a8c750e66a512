package workload

import (
	"math"
	"math/big"
	"math/bits"
	"strconv"
)

// fixed is the number whole + part/2^64: an area under a rate, in requests, or a rate
// in requests per second. Sums of areas do not lose what floating point would.
type fixed struct{ whole, part uint64 }

// mostFixed bounds what is converted, so that sums of two do not overflow.
const mostFixed = 1 << 62

// toFixed converts v, at least 0, and holds it at mostFixed.
func toFixed(v float64) fixed {
	if v >= mostFixed {
		return fixed{whole: mostFixed}
	}
	whole := math.Floor(v)
	return fixed{uint64(whole), uint64(math.Ldexp(v-whole, 64))}
}

// decimal converts v, from 0 to mostFixed, as it is written in decimal, to the nearest:
// 0.1 is a tenth, not the binary fraction nearest to it.
func decimal(v float64) fixed {
	exact, ok := new(big.Rat).SetString(strconv.FormatFloat(v, 'g', -1, 64))
	if !ok {
		return fixed{}
	}
	n := new(big.Int).Lsh(exact.Num(), 65)
	n.Quo(n, exact.Denom())
	n.Rsh(n.Add(n, big.NewInt(1)), 1)
	return fixed{new(big.Int).Rsh(n, 64).Uint64(), new(big.Int).And(n, big.NewInt(0).SetUint64(math.MaxUint64)).Uint64()}
}

func (f fixed) float() float64 {
	return float64(f.whole) + math.Ldexp(float64(f.part), -64)
}

func (f fixed) plus(g fixed) fixed {
	part, carry := bits.Add64(f.part, g.part, 0)
	whole, _ := bits.Add64(f.whole, g.whole, carry)
	return fixed{whole, part}
}

// minus returns f - g, 0 if g is larger.
func (f fixed) minus(g fixed) fixed {
	part, borrow := bits.Sub64(f.part, g.part, 0)
	whole, borrow := bits.Sub64(f.whole, g.whole, borrow)
	if borrow != 0 {
		return fixed{}
	}
	return fixed{whole, part}
}

func (f fixed) less(g fixed) bool {
	return f.whole < g.whole || f.whole == g.whole && f.part < g.part
}

// times returns f*num/den to the nearest; den is above 0 and at most 2^63, and the
// result must be below 2^64.
func (f fixed) times(num, den uint64) fixed {
	mid, low := bits.Mul64(f.part, num)
	high, more := bits.Mul64(f.whole, num)
	mid, carry := bits.Add64(mid, more, 0)
	high += carry
	low, carry = bits.Add64(low, den/2, 0)
	mid, carry = bits.Add64(mid, 0, carry)
	high += carry
	if high >= den {
		return fixed{whole: mostFixed}
	}
	whole, rest := bits.Div64(high, mid, den)
	part, _ := bits.Div64(rest, low, den)
	return fixed{whole, part}
}
