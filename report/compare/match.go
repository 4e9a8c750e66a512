package compare

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/seed-4fd17b57/simload/report"
)

// nameWidth is the number of columns to which names from reports are cut in sentences.
const nameWidth = 48

// pair is two reports of one scenario.
type pair struct{ base, next *report.Report }

// pairs matches two sets by the scenarios' names; one report on each side needs no names.
func pairs(base, next []*report.Report) ([]pair, []Missing, error) {
	if err := ambiguous(base, next); err != nil {
		return nil, nil, err
	}
	if len(base) == 1 && len(next) == 1 {
		return []pair{{base[0], next[0]}}, []Missing{}, nil
	}
	for _, side := range []struct {
		name string
		all  []*report.Report
	}{{"BASE", base}, {"NEW", next}} {
		for i, r := range side.all {
			if at := indexOf(side.all[:i], r.Scenario.Name); at >= 0 {
				return nil, nil, refuse("%s holds two reports of the scenario %q, and scenarios are matched by name", side.name, report.Clean(r.Scenario.Name, nameWidth))
			}
		}
	}
	var out []pair
	missing := []Missing{}
	for _, b := range base {
		if at := indexOf(next, b.Scenario.Name); at >= 0 {
			out = append(out, pair{b, next[at]})
		} else {
			missing = append(missing, Missing{"scenario " + b.Scenario.Name, "base", "NEW does not have it: whether it became worse is not known"})
		}
	}
	for _, n := range next {
		if indexOf(base, n.Scenario.Name) < 0 {
			missing = append(missing, Missing{"scenario " + n.Scenario.Name, "new", "BASE does not have it: there is nothing to compare it with"})
		}
	}
	if len(out) == 0 {
		return nil, nil, refuse("no scenario is in both, of %d in BASE and %d in NEW", len(base), len(next))
	}
	return out, missing, nil
}

// ambiguous refuses what has no one partner, or is no report at all.
func ambiguous(base, next []*report.Report) error {
	for i, r := range slices.Concat(base, next) {
		side := "BASE"
		if i >= len(base) {
			side = "NEW"
		}
		if r.Schema == Schema {
			return refuse("%s is a comparison (%s), and no report: give the files that it was made of", side, Schema)
		}
		for k := range r.Variants {
			name := r.Variants[k].Name
			if slices.ContainsFunc(r.Variants[:k], func(v report.Variant) bool { return v.Name == name }) {
				return refuse("%s has two variants %q in the scenario %q, and variants are matched by name", side,
					report.Clean(name, nameWidth), report.Clean(r.Scenario.Name, nameWidth))
			}
		}
	}
	return nil
}

func indexOf(all []*report.Report, scenario string) int {
	return slices.IndexFunc(all, func(r *report.Report) bool { return r.Scenario.Name == scenario })
}

// design is how the runs of a variant are set against each other.
type design struct {
	method      Method
	pairs       [][2]int // places of the runs with equal seeds; Ranks has none
	baseN, newN int
	notes       []string
}

// seedsOf returns the seeds of a variant's runs.
func seedsOf(r *report.Report, v *report.Variant) []uint64 {
	if len(v.Replications) == 0 {
		return []uint64{r.Scenario.Seed}
	}
	out := make([]uint64, len(v.Replications))
	for i := range v.Replications {
		out[i] = v.Replications[i].Seed
	}
	return out
}

// designOf pairs the runs of two variants where the seed means the same on both sides, and else takes them for
// two samples.
func designOf(p pair, b, n *report.Variant) design {
	bs, ns := seedsOf(p.base, b), seedsOf(p.next, n)
	d := design{method: Ranks, baseN: len(bs), newN: len(ns)}
	if deterministic(p) {
		for i, seed := range bs {
			if j := slices.Index(ns, seed); j >= 0 {
				d.pairs = append(d.pairs, [2]int{i, j})
			}
		}
	}
	k := len(d.pairs)
	if k == 0 {
		return d
	}
	d.baseN, d.newN, d.method = k, k, Paired
	if k == 1 {
		d.method = Exact
	}
	if len(bs) != k || len(ns) != k {
		d.notes = append(d.notes, fmt.Sprintf("of %d runs of BASE and %d of NEW, %d have the same seeds, and only these are compared", len(bs), len(ns), k))
	}
	return d
}

// deterministic reports whether runs of the same seed met the same demand, in virtual time.
func deterministic(p pair) bool {
	b, n := &p.base.Scenario, &p.next.Scenario
	return b.DemandSHA256 == n.DemandSHA256 && b.DemandSHA256 != "" &&
		modeOf(b) != "wall" && modeOf(n) != "wall" && b.Target == "" && n.Target == ""
}

// values are a metric's values of the runs that are compared, as files have them. Of pairs, those are left
// out of which one side has no value.
type values struct {
	base, next       []float64
	noBase, noNext   int  // runs without a value
	unkeptB, unkeptN bool // the report does not keep it by replication
}

func (d *design) values(t report.Term, b, n *report.Variant) values {
	vb, vn := t.MeasureEach(b), t.MeasureEach(n)
	out := values{unkeptB: vb == nil, unkeptN: vn == nil}
	if vb == nil || vn == nil {
		return out
	}
	add := func(to *[]float64, x float64) { *to = append(*to, six(x)) }
	if d.method == Ranks {
		for _, x := range vb {
			if measured(x) {
				add(&out.base, x)
			}
		}
		for _, x := range vn {
			if measured(x) {
				add(&out.next, x)
			}
		}
		out.noBase, out.noNext = len(vb)-len(out.base), len(vn)-len(out.next)
		return out
	}
	for _, p := range d.pairs {
		x, y := vb[p[0]], vn[p[1]]
		switch okX, okY := measured(x), measured(y); {
		case okX && okY:
			add(&out.base, x)
			add(&out.next, y)
		default:
			out.noBase += one(!okX)
			out.noNext += one(!okY)
		}
	}
	return out
}

func one(yes bool) int {
	if yes {
		return 1
	}
	return 0
}

// measured reports whether there is a value; no metric is negative.
func measured(x float64) bool { return !math.IsNaN(x) && x >= 0 }

// six rounds to the digits that report files have.
func six(x float64) float64 {
	r, err := strconv.ParseFloat(strconv.FormatFloat(x, 'g', 6, 64), 64)
	if err != nil {
		return x
	}
	return r
}

// failures counts the runs in which a latency is a failure.
func failures(xs []float64) int {
	n := 0
	for _, x := range xs {
		n += one(math.IsInf(x, 1))
	}
	return n
}

// Of returns the reports of a scenario among several: one, none, or more where the file is ambiguous.
func Of(all []*report.Report, scenario string) []*report.Report {
	out := []*report.Report{}
	for _, r := range all {
		if r.Scenario.Name == scenario {
			out = append(out, r)
		}
	}
	return out
}
