package report

import (
	"math"
	"math/big"
	"time"
)

// shareUnit is the share of everything in the fixed-point numbers of a jain.
const shareUnit = 1 << 30

// shareOf returns served/asked in units of 1/shareUnit, rounded; asked is not 0.
func shareOf(served, asked uint64) uint64 { return (served*shareUnit + asked/2) / asked }

// jain sums what is needed for Jain's index of evenness over n values x (R. Jain,
// D. Chiu, W. Hawe: A Quantitative Measure of Fairness, DEC TR-301, 1984):
//
//	J = (sum x)^2 / (n * sum x^2)
//
// It is 1 when all get the same, k/n when k of n get the same and the others nothing.
// The sums are integers, so that they come out the same in any order.
type jain struct {
	n            int64
	sum, squares wide
}

// add takes in a value below 2^63.
func (j *jain) add(x uint64) {
	j.n++
	j.sum.add(time.Duration(x))
	j.squares.addProduct(int64(x), time.Duration(x))
}

// merge takes in the values of o.
func (j *jain) merge(o *jain) {
	j.n += o.n
	j.sum.merge(o.sum)
	j.squares.merge(o.squares)
}

// index returns J, in (0, 1]; NaN when there are no values or all are 0.
func (j *jain) index() Num {
	if j.squares == (wide{}) {
		return Num(math.NaN())
	}
	above, below := j.sum.big(), j.squares.big()
	above.Mul(above, above)
	below.Mul(below, big.NewInt(j.n))
	f, _ := new(big.Rat).SetFrac(above, below).Float64()
	return Num(f)
}

func (j *jain) carry(t *tape) {
	number(t, &j.n)
	t.sums(&j.sum, &j.squares)
	t.check(j.n > 0 || *j == jain{}, "an index over nothing")
}
