package report

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// group sums the counts of the selected requests.
func (v *Variant) group(by By) (Group, string) {
	if by == (By{}) {
		t := &v.Totals
		return Group{
			Requests: t.Requests, Succeeded: t.Succeeded, Failed: t.Failed, DeadLettered: t.DeadLettered,
			Rejected: t.Rejected, Cancelled: t.Cancelled, InFlight: t.InFlight, Attempts: t.Attempts,
			HTTP429: t.HTTP429, TokensIn: t.TokensIn, TokensCached: t.TokensCached, TokensOut: t.TokensOut,
		}, ""
	}
	rows, note := pick(v.Groups, func(g *Group) By { return g.By }, by)
	sum := Group{By: by}
	for _, g := range rows {
		sum.Requests += g.Requests
		sum.Succeeded += g.Succeeded
		sum.Failed += g.Failed
		sum.DeadLettered += g.DeadLettered
		sum.Rejected += g.Rejected
		sum.Cancelled += g.Cancelled
		sum.InFlight += g.InFlight
		sum.Attempts += g.Attempts
		sum.HTTP429 += g.HTTP429
		sum.TokensIn += g.TokensIn
		sum.TokensCached += g.TokensCached
		sum.TokensOut += g.TokensOut
		sum.Served += g.Served
		sum.ServedTokens += g.ServedTokens
	}
	return sum, note
}

// pick returns the rows that together make up a group: those that match the
// selection and name the fewest further fields (rows per profile and class make
// up a profile). Without any the note says why, naming what there is.
func pick[T any](rows []T, by func(*T) By, sel By) (out []*T, note string) {
	best := math.MaxInt
	for i := range rows {
		b := by(&rows[i])
		if !b.within(sel) {
			continue
		}
		switch w := b.weight(); {
		case w < best:
			best, out = w, append(out[:0], &rows[i])
		case w == best:
			out = append(out, &rows[i])
		}
	}
	if out != nil {
		return out, ""
	}
	return nil, missing(rows, by, sel)
}

func missing[T any](rows []T, by func(*T) By, sel By) string {
	want := sel.fields()
	for i, name := range selectorKeys[:4] {
		if want[i] == "" {
			continue
		}
		var have []string
		for j := range rows {
			b := by(&rows[j])
			if f := b.fields()[i]; f != "" && !slices.Contains(have, f) {
				have = append(have, f)
			}
		}
		switch {
		case have == nil:
			return fmt.Sprintf("this is not measured by %s", name)
		case !slices.Contains(have, want[i]):
			slices.Sort(have)
			more := ""
			if n := len(have) - 8; n > 0 {
				have, more = have[:8], fmt.Sprintf(" and %d more", n)
			}
			for k := range have {
				have[k] = clip(have[k], 40)
			}
			return fmt.Sprintf("no %s %s here, only %s%s", name, clip(want[i], 40), strings.Join(have, ", "), more)
		}
	}
	if len(rows) == 0 {
		return "nothing was measured"
	}
	return "this combination is not measured"
}

// fields in the order of selectorKeys.
func (b By) fields() [4]string { return [4]string{b.Profile, b.Class, b.Model, b.Key} }

// within says whether a row belongs to a selection.
func (b By) within(sel By) bool {
	have, want := b.fields(), sel.fields()
	for i, w := range want {
		if w != "" && have[i] != w {
			return false
		}
	}
	return true
}

// weight orders the ways to cut up a group, coarsest first; no two cuts weigh the same.
func (b By) weight() int {
	w := 0
	for i, f := range b.fields() {
		if f != "" {
			w += [4]int{16, 17, 36, 40}[i]
		}
	}
	return w
}
