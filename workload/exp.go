package workload

import "math"

// expSteps is how many parts an octave is cut into, 2^expBits.
const (
	expBits  = 8
	expSteps = 1 << expBits
)

// Ln 2/expSteps in two parts: stepHigh has so few bits that its product with any whole
// number that exp uses is exact.
const (
	stepHigh = 0x1.62e42feep-1 / expSteps
	stepLow  = 0x1.a39ef35793c76p-33 / expSteps
)

// roundShift added to a number of moderate size leaves no bits for its fraction, so
// that adding and subtracting it rounds to the nearest whole number.
const roundShift = 0x1.8p52

// powers holds 2^(i/expSteps).
var powers = func() (p [expSteps]float64) {
	for i := range p {
		p[i] = math.Exp2(float64(i) / expSteps)
	}
	return p
}()

// exp returns e^x with a relative error below 1e-15, faster than math.Exp; three
// log-normal draws for each request make that worth its lines. The method is that of
// Tang, "Table-driven implementation of the exponential function" (1989):
// e^x = 2^(k/256) * e^r with the whole k nearest to 256*x/ln 2, a table for the first
// factor and a short series for the second. Products are rounded before they are
// added, so that no architecture fuses them.
func exp(x float64) float64 {
	if !(x > -700 && x < 700) {
		return math.Exp(x)
	}
	n := float64(x*(expSteps/math.Ln2)) + roundShift
	n -= roundShift
	k := int(n)
	r := x - float64(n*stepHigh) - float64(n*stepLow) // |r| <= ln 2 / 512
	square := float64(r * r)
	s := 1.0/2 + float64(r*(1.0/6)) + float64(square*(1.0/24))
	s = r + float64(square*s)
	p := powers[k&(expSteps-1)]
	scale := math.Float64frombits(uint64(1023+(k>>expBits)) << 52) // 2^floor(k/256)
	return (p + float64(p*s)) * scale
}
