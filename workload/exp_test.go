package workload

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

// Ensure exp agrees with the standard library over its whole range.
func TestExp(t *testing.T) {
	for _, x := range []float64{0, math.Copysign(0, -1), 1e-300, 1, -1, 699.99, -699.99, 700, 709, -745, 800, -800, math.Inf(1), math.Inf(-1)} {
		checkExp(t, x)
	}
	if got := exp(math.NaN()); !math.IsNaN(got) {
		t.Errorf("exp(NaN) = %v", got)
	}
	for i := -100_000; i <= 100_000; i++ {
		checkExp(t, float64(i)*1e-4)
	}
	rapid.Check(t, func(t *rapid.T) { checkExp(t, rapid.Float64Range(-750, 750).Draw(t, "x")) })
}

func checkExp(t interface{ Fatalf(string, ...any) }, x float64) {
	got, want := exp(x), math.Exp(x)
	if got != want && math.Abs(got-want) > 1e-15*want {
		t.Fatalf("exp(%v) = %v, want %v", x, got, want)
	}
}

func BenchmarkExp(b *testing.B) {
	x, sum := 0.0, 0.0
	for b.Loop() {
		sum += exp(x)
		x += 1e-9
	}
	_ = sum
}

func BenchmarkMathExp(b *testing.B) {
	x, sum := 0.0, 0.0
	for b.Loop() {
		sum += math.Exp(x)
		x += 1e-9
	}
	_ = sum
}
