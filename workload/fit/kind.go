package fit

import (
	"cmp"
	"slices"
	"strconv"

	"github.com/seed-4fd17b57/simload/workload"
)

const (
	maxKinds  = 12  // names that get a profile of their own
	minOfKind = 20  // requests of such a name
	bands     = 4   // by the length of the prompt
	minOfBand = 100 // requests of a band
	// matters is how far the lengths of answers of a band must be from those of all, as a
	// Kolmogorov-Smirnov distance, for prompt and answer to be drawn together.
	matters = 0.1
)

// Kind is a part of the requests that are alike: of one model or profile, or of a band of
// prompt lengths.
type Kind struct {
	Name     string // "requests", the recorded name, "other", with "-1", "-2", ... for bands
	Requests int64
	Failed   int64 // of Requests: they have no part in the lengths
	In, Out  Lengths
}

// FitKinds divides the requests by the names that they bear, of which the rare ones are put
// together as "other", and each of these by the length of the prompt into four bands where
// the length of the answer depends on it: within a band prompt and answer are drawn
// independently. A recorded 0 counts as 1 token.
func FitKinds(rows []workload.TraceRow) []Kind {
	byName := map[string][]workload.TraceRow{}
	for _, r := range rows {
		byName[r.Model] = append(byName[r.Model], r)
	}
	names := make([]string, 0, len(byName))
	for name := range byName {
		names = append(names, name)
	}
	slices.SortFunc(names, func(a, b string) int {
		return cmp.Or(len(byName[b])-len(byName[a]), cmp.Compare(a, b))
	})
	var kinds []Kind
	var other []workload.TraceRow
	for i, name := range names {
		if len(names) > 1 && (i >= maxKinds || len(byName[name]) < minOfKind) {
			other = append(other, byName[name]...)
			continue
		}
		kinds = append(kinds, divide(cmp.Or(name, "requests"), byName[name])...)
	}
	if len(other) > 0 {
		kinds = append(kinds, divide("other", other)...)
	}
	return kinds
}

// divide makes one kind of rows, or one for each band.
func divide(name string, rows []workload.TraceRow) []Kind {
	sorted := slices.Clone(rows)
	slices.SortStableFunc(sorted, func(a, b workload.TraceRow) int { return cmp.Compare(a.In, b.In) })
	parts := cut(sorted)
	if !dependent(parts) {
		return []Kind{newKind(name, rows)}
	}
	var kinds []Kind
	for i, part := range parts {
		kinds = append(kinds, newKind(name+"-"+strconv.Itoa(i+1), part))
	}
	return kinds
}

// cut cuts rows sorted by prompt into bands of about equal size; equal prompts stay together.
func cut(sorted []workload.TraceRow) [][]workload.TraceRow {
	var parts [][]workload.TraceRow
	from := 0
	for i := 1; i <= bands; i++ {
		to := len(sorted) * i / bands
		for to > from && to < len(sorted) && sorted[to].In == sorted[to-1].In {
			to++
		}
		if to > from {
			parts = append(parts, sorted[from:to])
			from = to
		}
	}
	return parts
}

// dependent reports whether answers of some band differ from those of all.
func dependent(parts [][]workload.TraceRow) bool {
	var all []float64
	for _, part := range parts {
		out := answers(part)
		if len(out) < minOfBand {
			return false
		}
		all = append(all, out...)
	}
	for _, part := range parts {
		if KS(answers(part), all) > matters {
			return true
		}
	}
	return false
}

func answers(rows []workload.TraceRow) []float64 {
	var out []float64
	for _, r := range rows {
		if !r.Failed {
			out = append(out, float64(r.Out))
		}
	}
	return out
}

func newKind(name string, rows []workload.TraceRow) Kind {
	k := Kind{Name: name, Requests: int64(len(rows))}
	var in, out []int64
	for _, r := range rows {
		if r.Failed {
			k.Failed++
			continue
		}
		in, out = append(in, max(r.In, 1)), append(out, max(r.Out, 1))
	}
	if len(in) == 0 { // all failed: what was asked is known, the answer is not
		for _, r := range rows {
			in = append(in, max(r.In, 1))
		}
		out = []int64{1}
	}
	k.In, k.Out = FitLengths(in), FitLengths(out)
	return k
}
