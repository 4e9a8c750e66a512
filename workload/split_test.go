package workload

import (
	"math"
	"math/big"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// Ensure totals are dealt by largest remainder, equal ones to the first.
func TestSplit(t *testing.T) {
	tests := []struct {
		total   int64
		weights []float64
		want    []int64
	}{
		{0, []float64{1, 2}, []int64{0, 0}},
		{10, []float64{1}, []int64{10}},
		{10, []float64{1, 1, 1}, []int64{4, 3, 3}},
		{2, []float64{0, 1, 1, 1}, []int64{0, 1, 1, 0}},
		{10, []float64{0.1, 0.2, 0.7}, []int64{1, 2, 7}},
		{100, []float64{47000, 16000, 15800, 12000, 6100, 3100}, []int64{47, 16, 16, 12, 6, 3}},
		{2000, []float64{45, 40, 15}, []int64{900, 800, 300}},
		{7, []float64{5e-324, 1e300}, []int64{0, 7}},
		{math.MaxInt64, []float64{1, 1}, []int64{math.MaxInt64/2 + 1, math.MaxInt64 / 2}},
	}
	for _, tt := range tests {
		got, err := Split(tt.total, tt.weights)
		if err != nil || !reflect.DeepEqual(got, tt.want) {
			t.Errorf("Split(%d, %v) = %v, %v, want %v", tt.total, tt.weights, got, err, tt.want)
		}
	}
}

// Ensure the parts add up, lie within one of their quota, and follow the weights.
func TestSplitIsFair(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		total := rapid.Int64Range(0, 1e9).Draw(t, "total")
		weights := rapid.SliceOfN(rapid.OneOf(rapid.Float64Range(0, 1), rapid.Float64Range(0, 1e9),
			rapid.Map(rapid.IntRange(0, 3), func(n int) float64 { return float64(n) })), 1, 30).Draw(t, "weights")
		parts, err := Split(total, weights)
		sum, all := new(big.Rat), int64(0)
		for _, w := range weights {
			sum.Add(sum, new(big.Rat).SetFloat64(w))
		}
		if sum.Sign() == 0 {
			if err == nil {
				t.Fatal("no weight is above 0, and yet no error")
			}
			return
		}
		for i, w := range weights {
			all += parts[i]
			quota, _ := new(big.Rat).Quo(new(big.Rat).Mul(new(big.Rat).SetFloat64(w), new(big.Rat).SetInt64(total)), sum).Float64()
			if math.Abs(float64(parts[i])-quota) >= 1+1e-6 {
				t.Fatalf("part %d is %d, quota %v", i, parts[i], quota)
			}
			for j, v := range weights {
				if w > v && parts[i] < parts[j] || w == v && parts[i] < parts[j]-1 {
					t.Fatalf("weights %v, %v get %d, %d", w, v, parts[i], parts[j])
				}
			}
		}
		if all != total {
			t.Fatalf("parts add up to %d, want %d", all, total)
		}
	})
}

// Ensure a wrong total or weight is named.
func TestSplitErrors(t *testing.T) {
	for want, weights := range map[string][]float64{
		"weights add up to 0":           {0, 0},
		"weights[1] is not a number":    {1, math.NaN()},
		"weights[0] is -1, must not be": {-1},
	} {
		if _, err := Split(1, weights); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error is %v, want it to contain %q", err, want)
		}
	}
	if _, err := Split(-1, []float64{1}); err == nil || !strings.Contains(err.Error(), "total is -1") {
		t.Errorf("error is %v for a negative total", err)
	}
}

// Ensure fixed-point arithmetic is exact, or to the nearest: checked with big numbers.
func TestFixed(t *testing.T) {
	value := func(f fixed) *big.Int {
		n := new(big.Int).Lsh(new(big.Int).SetUint64(f.whole), 64)
		return n.Add(n, new(big.Int).SetUint64(f.part))
	}
	rapid.Check(t, func(t *rapid.T) {
		f := fixed{rapid.Uint64Range(0, 1<<40).Draw(t, "whole"), rapid.Uint64().Draw(t, "part")}
		g := fixed{rapid.Uint64Range(0, 1<<40).Draw(t, "whole 2"), rapid.Uint64().Draw(t, "part 2")}
		num, den := rapid.Uint64Range(0, 1<<62).Draw(t, "num"), rapid.Uint64Range(1, 1<<62).Draw(t, "den")
		if got, want := value(f.plus(g)), new(big.Int).Add(value(f), value(g)); got.Cmp(want) != 0 {
			t.Fatalf("sum is %v, want %v", got, want)
		}
		want := new(big.Int).Sub(value(f), value(g))
		if f.less(g) != (want.Sign() < 0) {
			t.Fatalf("less is %v", f.less(g))
		}
		if want.Sign() < 0 {
			want.SetInt64(0)
		}
		if got := value(f.minus(g)); got.Cmp(want) != 0 {
			t.Fatalf("difference is %v, want %v", got, want)
		}
		want = new(big.Int).Mul(value(f), new(big.Int).SetUint64(num))
		want.Quo(want.Add(want, new(big.Int).SetUint64(den/2)), new(big.Int).SetUint64(den))
		if got := value(f.times(num, den)); want.BitLen() <= 126 && got.Cmp(want) != 0 {
			t.Fatalf("%v*%d/%d is %v, want %v", value(f), num, den, got, want)
		}
		x := rapid.Float64Range(0, 1e12).Draw(t, "x")
		if got := toFixed(x).float(); got != x && math.Abs(got-x) > 1e-19 {
			t.Fatalf("%v becomes %v", x, got)
		}
		if got := decimal(x).float(); math.Abs(got-x) > 1e-15*x+1e-19 {
			t.Fatalf("%v becomes %v in decimal", x, got)
		}
	})
	if got, want := decimal(0.1), (fixed{0, 1844674407370955162}); got != want {
		t.Errorf("a tenth is %v, want %v", got, want)
	}
}
