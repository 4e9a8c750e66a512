package report

import (
	"io"
	"math"
)

// bencherMetric is a value of Bencher's metric format, with the interval it stands in.
type bencherMetric struct {
	Value Num  `json:"value"`
	Lower *Num `json:"lower_value,omitempty"`
	Upper *Num `json:"upper_value,omitempty"`
}

// RenderBencher writes the key figures of reports in Bencher's metric format (BMF): a
// benchmark for each group of a variant, with a measure for each figure, named as expectations
// name it and in its base unit (a time is in seconds; Bencher's own measure "latency" would be
// in nanoseconds). The value is the mean over the replications and the bounds its 95 % interval. A
// figure that was a failure, or was not measured, in a replication is left out.
func RenderBencher(w io.Writer, rs []*Report) error {
	rs, err := figuresOf(rs)
	if err != nil {
		return err
	}
	out := map[string]map[string]bencherMetric{} // encoding/json sorts by name
	for _, r := range rs {
		for i := range r.Variants {
			v := &r.Variants[i]
			for _, row := range v.keyRows() {
				mean, half, ok := row.mean()
				if !ok {
					continue
				}
				m := bencherMetric{Value: Num(mean)}
				if !math.IsNaN(half) {
					low, high := Num(mean-half), Num(mean+half)
					m.Lower, m.Upper = &low, &high
				}
				name := benchmarkName(r, v, row.by)
				if out[name] == nil {
					out[name] = map[string]bencherMetric{}
				}
				out[name][row.metric] = m
			}
		}
	}
	return encodeJSON(w, out)
}
