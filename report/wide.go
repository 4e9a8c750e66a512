package report

import (
	"math/big"
	"math/bits"
	"time"
)

// wide is an unsigned sum of 128 bits: instants of a billion requests do not fit into 64.
type wide struct {
	hi, lo uint64
}

// add adds a non-negative duration; negative ones count as nothing.
func (w *wide) add(d time.Duration) {
	if d > 0 {
		lo, carry := bits.Add64(w.lo, uint64(d), 0)
		w.lo, w.hi = lo, w.hi+carry
	}
}

// addProduct adds n times a duration; negative factors count as nothing.
func (w *wide) addProduct(n int64, d time.Duration) {
	if n <= 0 || d <= 0 {
		return
	}
	hi, lo := bits.Mul64(uint64(n), uint64(d))
	w.merge(wide{hi: hi, lo: lo})
}

// merge adds another sum.
func (w *wide) merge(o wide) {
	lo, carry := bits.Add64(w.lo, o.lo, 0)
	w.lo, w.hi = lo, w.hi+o.hi+carry
}

// big returns the sum as a signed number of any size.
func (w *wide) big() *big.Int {
	b := new(big.Int).SetUint64(w.hi)
	return b.Lsh(b, 64).Add(b, new(big.Int).SetUint64(w.lo))
}

// seconds returns a sum of durations.
func (w *wide) seconds() float64 {
	return (float64(w.hi)*(1<<64) + float64(w.lo)) / float64(time.Second)
}
