package workload

import (
	"fmt"
	"math"
	"slices"
	"sort"
)

// table holds the numbers of an empirical distribution.
type table struct {
	values []float64
	sums   []float64 // see distKind; nil for equally likely values
}

// Empirical draws one of the values, as likely as its weight; without weights all
// are equally likely. Weights are relative and need not add up to 1; at least one is
// above 0.
func Empirical(values, weights []float64) (Dist, error) {
	if len(values) == 0 {
		return Dist{}, fmt.Errorf("empirical: values is empty")
	}
	if err := checkNumbers("values", values); err != nil {
		return Dist{}, fmt.Errorf("empirical: %w", err)
	}
	if len(weights) == 0 {
		d := Dist{kind: distValues, tab: &table{values: slices.Clone(values)}}
		return d, checkMean(d)
	}
	if len(weights) != len(values) {
		return Dist{}, fmt.Errorf("empirical: %d weights for %d values", len(weights), len(values))
	}
	if err := checkNumbers("weights", weights); err != nil {
		return Dist{}, fmt.Errorf("empirical: %w", err)
	}
	t := &table{}
	sum := 0.0
	for i, weight := range weights {
		if weight == 0 {
			continue // never drawn
		}
		sum += weight
		t.values = append(t.values, values[i])
		t.sums = append(t.sums, sum)
	}
	if sum == 0 || math.IsInf(sum, 0) {
		return Dist{}, fmt.Errorf("empirical: weights add up to %v", sum)
	}
	d := Dist{kind: distWeighted, tab: t}
	return d, checkMean(d)
}

// Quantiles is given by knots of its distribution function: values[i] is the quantile
// of probs[i], and between two knots it is evenly spread. Below the first knot it is
// the first value, above the last the last. There are at least two knots; probs rise
// within 0 to 1, values do not fall.
func Quantiles(probs, values []float64) (Dist, error) {
	if len(probs) != len(values) {
		return Dist{}, fmt.Errorf("quantiles: %d probs for %d values", len(probs), len(values))
	}
	if len(probs) < 2 {
		return Dist{}, fmt.Errorf("quantiles: %d knots, need at least 2", len(probs))
	}
	if err := checkNumbers("probs", probs); err != nil {
		return Dist{}, fmt.Errorf("quantiles: %w", err)
	}
	if err := checkNumbers("values", values); err != nil {
		return Dist{}, fmt.Errorf("quantiles: %w", err)
	}
	for i := range probs {
		switch {
		case probs[i] > 1:
			return Dist{}, fmt.Errorf("quantiles: probs[%d] is %v, must be 0 to 1", i, probs[i])
		case i > 0 && probs[i] <= probs[i-1]:
			return Dist{}, fmt.Errorf("quantiles: probs[%d] is %v, must be above the %v before it", i, probs[i], probs[i-1])
		case i > 0 && values[i] < values[i-1]:
			return Dist{}, fmt.Errorf("quantiles: values[%d] is %v, below the %v before it", i, values[i], values[i-1])
		}
	}
	d := Dist{kind: distQuantiles, tab: &table{values: slices.Clone(values), sums: slices.Clone(probs)}}
	return d, checkMean(d)
}

// weighted returns the value at share u, 0 to 1, of the sum of the weights.
func (t *table) weighted(u float64) float64 {
	last := len(t.sums) - 1
	at := u * t.sums[last]
	i := sort.Search(last, func(i int) bool { return t.sums[i] > at })
	return t.values[i]
}

// quantile returns the value at probability u.
func (t *table) quantile(u float64) float64 {
	last := len(t.sums) - 1
	switch {
	case u <= t.sums[0]:
		return t.values[0]
	case u >= t.sums[last]:
		return t.values[last]
	}
	i := sort.Search(last, func(i int) bool { return t.sums[i] > u })
	share := (u - t.sums[i-1]) / (t.sums[i] - t.sums[i-1])
	return t.values[i-1] + float64(share*(t.values[i]-t.values[i-1]))
}

func (t *table) valueMean() float64 {
	sum, before := 0.0, 0.0
	if t.sums == nil {
		for _, v := range t.values {
			sum += v
		}
		return sum / float64(len(t.values))
	}
	for i, v := range t.values {
		sum += float64((t.sums[i] - before) * v)
		before = t.sums[i]
	}
	return sum / before
}

func (t *table) quantileMean() float64 {
	last := len(t.sums) - 1
	mean := float64(t.sums[0]*t.values[0]) + float64((1-t.sums[last])*t.values[last])
	for i := 1; i <= last; i++ {
		mean += float64((t.sums[i] - t.sums[i-1]) * (t.values[i-1] + t.values[i]) / 2)
	}
	return mean
}

func checkNumbers(name string, vs []float64) error {
	for i, v := range vs {
		if err := checkNumber(fmt.Sprintf("%s[%d]", name, i), v); err != nil {
			return err
		}
	}
	return nil
}

// checkMean refuses finite numbers whose mean overflows.
func checkMean(d Dist) error {
	if m := d.Mean(); math.IsInf(m, 0) || math.IsNaN(m) {
		return fmt.Errorf("values are too large: their mean overflows")
	}
	return nil
}
