package report

import (
	"io"
	"math"
	"strings"
)

// ghaBenchmark is one entry of github-action-benchmark's customSmallerIsBetter.
type ghaBenchmark struct {
	Name  string `json:"name"`
	Unit  string `json:"unit"`
	Value Num    `json:"value"`
	Range string `json:"range,omitempty"`
	Extra string `json:"extra,omitempty"`
}

// RenderGHABenchmark writes the key figures of reports as github-action-benchmark reads them with
// tool: customSmallerIsBetter. That tool knows one direction a file, so all are told as figures of
// which less is better: throughput as seconds per success, the share of successes as that of the others.
// The value is the mean over the replications, the range half of its 95 % interval. A figure that
// was a failure, or was not measured, in a replication is left out, for a mean of the others would
// flatter; the share of what did not succeed tells.
func RenderGHABenchmark(w io.Writer, rs []*Report) error {
	rs, err := figuresOf(rs)
	if err != nil {
		return err
	}
	out := []ghaBenchmark{}
	for _, r := range rs {
		for i := range r.Variants {
			v := &r.Variants[i]
			for _, row := range v.keyRows() {
				if b, ok := ghaOf(r, v, &row); ok {
					out = append(out, b)
				}
			}
		}
	}
	return encodeJSON(w, out)
}

func ghaOf(r *Report, v *Variant, row *keyRow) (ghaBenchmark, bool) {
	metric, unit, less, ok := row.lessIsBetter(v)
	if !ok {
		return ghaBenchmark{}, false
	}
	mean, half, ok := less.mean()
	if !ok {
		return ghaBenchmark{}, false
	}
	b := ghaBenchmark{Name: benchmarkName(r, v, row.by) + " " + metric, Unit: unit, Value: Num(mean)}
	if !math.IsNaN(half) {
		b.Range = "± " + numText(Num(half))
	}
	if demand := r.Scenario.DemandSHA256; demand != "" {
		b.Extra = "demand " + label(cutHead(demand, 16))
	}
	return b, true
}

// benchmarkName names a group of a variant for services that keep figures by name:
// smoke/base/profile=notes, with names as tokens.
func benchmarkName(r *Report, v *Variant, by By) string {
	return strings.Join([]string{token(r.Scenario.Name), token(v.Name), groupName(by)}, "/")
}
