package fit

import (
	"cmp"
	"slices"
	"strconv"
	"time"

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
// lengths of a session's first prompt.
type Kind struct {
	Name     string // "requests", the recorded name, "other", with "-1", "-2", ... for bands
	Requests int64
	Failed   int64   // of Requests: they have no part in the lengths
	Sessions int64   // that the requests are of; a request that stands by itself counts as one
	Weight   int64   // of the kind in a mix: Sessions, but for what the end of the recording cut
	In       Lengths // first prompts
	Out      Lengths
	// Shared is what of the first prompts was known from before; no values: nothing.
	Shared Lengths
	// Of a kind whose requests go on from each other; no values: they do not.
	Rounds Lengths // requests of a session
	Growth Lengths // tokens that each adds to the prompt before it
	Gap    Lengths // milliseconds between them
	// MaxIn is the longest prompt.
	MaxIn int64
}

// FitKinds divides the sessions of a trace by the names that their requests bear, of which the rare
// ones are put together as "other", each of these by the number of their requests (one, up to three, more),
// since long sessions grow otherwise than short ones, and these by the length of the first prompt into four
// bands where the length of the answers depends on it: within a band prompt and answer are drawn
// independently. A recorded 0 counts as 1 token.
func FitKinds(rows []workload.TraceRow, l *Links) []Kind {
	byName, requests := map[string][][]int{}, map[string]int{}
	for _, s := range l.Sessions {
		name := rows[s[0]].Model
		byName[name] = append(byName[name], s)
		requests[name] += len(s)
	}
	names := make([]string, 0, len(byName))
	for name := range byName {
		names = append(names, name)
	}
	slices.SortFunc(names, func(a, b string) int {
		return cmp.Or(requests[b]-requests[a], cmp.Compare(a, b))
	})
	var kinds []Kind
	var other [][]int
	for i, name := range names {
		if len(names) > 1 && (i >= maxKinds || requests[name] < minOfKind) {
			other = append(other, byName[name]...)
			continue
		}
		kinds = append(kinds, l.divide(cmp.Or(name, "requests"), rows, byName[name])...)
	}
	if len(other) > 0 {
		kinds = append(kinds, l.divide("other", rows, other)...)
	}
	return kinds
}

// divide makes a kind of each class of sessions, or of each of its bands.
func (l *Links) divide(name string, rows []workload.TraceRow, of [][]int) []Kind {
	var kinds []Kind
	for _, class := range l.bySize(rows, of) {
		parts, called := cut(rows, byFirst(rows, class.sessions)), name+class.suffix
		banded := dependent(rows, parts)
		if !banded {
			parts = [][][]int{class.sessions}
		}
		for i, part := range parts {
			k := l.newKind(called, rows, part)
			if banded {
				k.Name += "-" + strconv.Itoa(i+1)
			}
			k.Weight = max(int64(class.share*float64(len(of)*len(part))/float64(len(class.sessions))+0.5), 1)
			kinds = append(kinds, k)
		}
	}
	return kinds
}

// cut cuts sessions sorted by first prompt into bands of about equal size; equal prompts stay together.
func cut(rows []workload.TraceRow, sorted [][]int) [][][]int {
	var parts [][][]int
	from := 0
	for i := 1; i <= bands; i++ {
		to := len(sorted) * i / bands
		for to > from && to < len(sorted) && rows[sorted[to][0]].In == rows[sorted[to-1][0]].In {
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
func dependent(rows []workload.TraceRow, parts [][][]int) bool {
	var all []float64
	for _, part := range parts {
		out := answers(rows, part)
		if len(out) < minOfBand {
			return false
		}
		all = append(all, out...)
	}
	for _, part := range parts {
		if KS(answers(rows, part), all) > matters {
			return true
		}
	}
	return false
}

func answers(rows []workload.TraceRow, sessions [][]int) []float64 {
	var out []float64
	for _, s := range sessions {
		for _, i := range s {
			if !rows[i].Failed {
				out = append(out, float64(rows[i].Out))
			}
		}
	}
	return out
}

func (l *Links) newKind(name string, rows []workload.TraceRow, sessions [][]int) Kind {
	k := Kind{Name: name, Sessions: int64(len(sessions))}
	var in, out, shared []int64
	known := false
	for _, s := range sessions {
		first := &rows[s[0]]
		known = known || first.Prefix > 0
		if !first.Failed {
			in, shared = append(in, max(first.In, 1)), append(shared, first.Prefix)
		}
		for _, i := range s {
			k.Requests++
			k.MaxIn = max(k.MaxIn, rows[i].In)
			if rows[i].Failed {
				k.Failed++
			} else {
				out = append(out, max(rows[i].Out, 1))
			}
		}
	}
	if len(in) == 0 { // all failed: what was asked is known, the answer may not be
		for _, s := range sessions {
			in, shared = append(in, max(rows[s[0]].In, 1)), append(shared, rows[s[0]].Prefix)
		}
	}
	if len(out) == 0 {
		out = []int64{1}
	}
	k.In, k.Out = FitLengths(in), FitLengths(out)
	if known {
		k.Shared = FitLengths(shared)
	}
	l.goOn(&k, rows, sessions)
	return k
}

// goOn fits how requests go on from each other.
func (l *Links) goOn(k *Kind, rows []workload.TraceRow, sessions [][]int) {
	if k.Sessions == k.Requests {
		return
	}
	var growth, gap, weights []int64
	for _, s := range sessions {
		for n := 1; n < len(s); n++ {
			before, r := &rows[s[n-1]], &rows[s[n]]
			growth = append(growth, l.growth(before, r))
			gap = append(gap, (r.At - before.At).Round(time.Millisecond).Milliseconds())
			weights = append(weights, int64(100*l.stands(r.At-before.At)+0.5))
		}
	}
	k.Rounds = l.rounds(rows, sessions)
	k.Growth, k.Gap = fitWeighted(growth, weights), fitWeighted(gap, weights)
}
