package report

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

func TestMargin(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	for _, c := range []struct {
		expr  string
		value float64
		want  float64
	}{
		{"p99 < 6s", 3, .5},
		{"p99 < 6s", 12, -.5},
		{"p99 < 6s", 6, 0},
		{"p99 < 6s", inf, -1},
		{"p99 < 6s", nan, -1},
		{"throughput >= 10", 20, .5},
		{"throughput >= 10", 5, -.5},
		{"throughput >= 10", inf, 1},
		// A share above a half is measured by what it lacks.
		{"ratio_ok > 99.9%", .9995, .5},
		{"ratio_ok > 99.9%", .998, -.5},
		{"ratio_ok > 99.9%", 1, 1},
		{"ratio_429 < 1%", .005, .5},
		{"duplicate_writes == 0", 0, 1},
		{"duplicate_writes == 0", 3, -1},
		{"requests == 10", 8, -.2},
		{"requests != 10", 8, 1},
		{"requests != 10", 10, -1},
		{"requests < 0", 0, 0},
	} {
		e, err := ParseExpect(c.expr)
		if err != nil {
			t.Fatal(err)
		}
		if got := e.Margin(c.value); math.Abs(got-c.want) > 1e-9 {
			t.Errorf("%s at %v: margin %v, want %v", c.expr, c.value, got, c.want)
		}
	}
}

// Ensure the margin says what the expectation does, stays within -1 and 1, and never falls as a value gets better.
func TestMarginAgreesWithTheExpectation(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		e := Expect{
			Num: Term{Metric: rapid.SampledFrom([]string{"p99", "ratio_ok", "ratio_429", "throughput", "requests"}).Draw(t, "metric")},
			Op:  rapid.SampledFrom([]string{"<", "<=", ">", ">=", "==", "!="}).Draw(t, "op"),
		}
		top := 100.0
		if e.Unit() == UnitShare {
			top = 1
		}
		e.Bound = rapid.Float64Range(0, top).Draw(t, "bound")
		v, w := rapid.Float64Range(0, top).Draw(t, "value"), rapid.Float64Range(0, top).Draw(t, "other")
		m := e.Margin(v)
		if math.IsNaN(m) || m < -1 || m > 1 {
			t.Fatalf("%+v at %v: margin %v", e, v, m)
		}
		if m > 0 && !e.Holds(v) || m < 0 && e.Holds(v) {
			t.Fatalf("%+v at %v: margin %v, holds %v", e, v, m, e.Holds(v))
		}
		better := map[string]bool{"<": w < v, "<=": w < v, ">": w > v, ">=": w > v}[e.Op]
		if better && e.Margin(w) < m-1e-12 {
			t.Fatalf("%+v: margin %v at %v, %v at %v, which is better", e, m, v, e.Margin(w), w)
		}
	})
}
