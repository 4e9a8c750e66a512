package workload

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"
)

// Ensure draws whose seeds, sources, numbers or purposes are neighbours do not know
// of each other: pairs of them fill a 16 x 16 grid evenly (chi-square, 99.9 %), and
// normal variates from them do not correlate (99.9 %).
func TestDrawsOfNeighboursAreIndependent(t *testing.T) {
	type point struct {
		seed   uint64
		source int
		p      purpose
		number uint64
	}
	neighbours := map[string]func(point) point{
		"seed":    func(x point) point { x.seed++; return x },
		"source":  func(x point) point { x.source++; return x },
		"number":  func(x point) point { x.number++; return x },
		"purpose": func(x point) point { x.p++; return x },
	}
	bound := distuv.ChiSquared{K: 255}.Quantile(0.999)
	for name, neighbour := range neighbours {
		t.Run(name, func(t *testing.T) {
			var cells, units [256]int
			n, product := 0, 0.0
			draw := func(x point) (hashed, drawn, normal float64) {
				d := newDice(x.seed)
				base := d.base(x.source)
				return unit(base, x.p, x.number), d.seeded(base, x.p, x.number).Float64(), d.seeded(base, x.p, x.number).NormFloat64()
			}
			for seed := range uint64(16) {
				for source := range 64 {
					for number := range uint64(64) {
						x := point{2 * seed, 2 * source, forContext, 2 * number}
						u, f, z := draw(x)
						u2, f2, z2 := draw(neighbour(x))
						units[int(u*16)*16+int(u2*16)]++
						cells[int(f*16)*16+int(f2*16)]++
						product += z * z2
						n++
					}
				}
			}
			for what, grid := range map[string]*[256]int{"hashes": &units, "generator": &cells} {
				if got := chiSquare(grid[:], n); got > bound {
					t.Errorf("%s: chi-square of 255 degrees is %v, want at most %v", what, got, bound)
				}
			}
			if r := product / float64(n); math.Abs(r) > z999/math.Sqrt(float64(n)) {
				t.Errorf("correlation is %v over %d pairs", r, n)
			}
		})
	}
}

func chiSquare(cells []int, n int) float64 {
	want, sum := float64(n)/float64(len(cells)), 0.0
	for _, c := range cells {
		sum += (float64(c) - want) * (float64(c) - want) / want
	}
	return sum
}

// Ensure successive draws of one source have the distribution they are drawn from.
func TestDrawsOfASource(t *testing.T) {
	d := newDice(7)
	exponential, normal := make([]float64, 50_000), make([]float64, 50_000)
	e := Must(Exponential(1))
	for i := range exponential {
		exponential[i] = d.draw(&e, d.base(3), forInterval, uint64(i))
		normal[i] = d.seeded(d.base(3), forEstimate, uint64(i)).NormFloat64()
	}
	checkCDF(t, "exponential", exponential, distuv.Exponential{Rate: 1}.CDF)
	checkCDF(t, "normal", normal, distuv.UnitNormal.CDF)
}

// Ensure a number too large for a token count is held, not wrapped.
func TestRoundTokens(t *testing.T) {
	tests := []struct {
		in   float64
		want int64
	}{{0, 0}, {0.4, 0}, {0.5, 1}, {1.5, 2}, {1e300, maxTokens}, {math.Inf(1), maxTokens}}
	for _, tt := range tests {
		if got := roundTokens(tt.in); got != tt.want {
			t.Errorf("roundTokens(%v) = %d, want %d", tt.in, got, tt.want)
		}
	}
}
