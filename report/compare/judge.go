package compare

import (
	"fmt"
	"slices"

	"github.com/seed-4fd17b57/simload/report"
)

// Reports compares what two report files hold, BASE and NEW: one report or several, of which those of one scenario are
// compared. They have to be canonical (see report.Canonical), as those of files are. A *Refusal says why they are not
// comparable; any other error is one of the options.
func Reports(base, next []*report.Report, o Options) (*Result, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	matched, missing, err := pairs(base, next)
	if err != nil {
		return nil, err
	}
	res := &Result{Schema: Schema, Alpha: o.Alpha, Unmatched: missing, strict: o.Strict}
	refused := &Refusal{Forceable: true}
	compared := 0
	for _, p := range matched {
		why := objections(p.base, p.next)
		if len(why) > 0 && !o.Force {
			if len(matched) > 1 {
				why[0] = "scenario " + report.Clean(p.base.Scenario.Name, nameWidth) + ": " + why[0]
			}
			refused.Reasons = append(refused.Reasons, why...)
			continue
		}
		s := compareScenario(p, &o)
		s.Forced = append(s.Forced, why...)
		compared += len(s.Variants)
		res.Scenarios = append(res.Scenarios, s)
	}
	if len(refused.Reasons) > 0 {
		return nil, refused
	}
	if compared == 0 {
		return nil, refuse("no variant is in both: BASE has %s, NEW %s", variantNames(matched[0].base), variantNames(matched[0].next))
	}
	res.settle()
	return res, nil
}

func variantNames(r *report.Report) string {
	out := "none"
	for i := range r.Variants {
		if name := report.Clean(r.Variants[i].Name, nameWidth); i == 0 {
			out = name
		} else {
			out += ", " + name
		}
	}
	return report.Clean(out, 200)
}

func compareScenario(p pair, o *Options) Scenario {
	s := Scenario{
		Name: p.base.Scenario.Name, Base: origin(p.base), New: origin(p.next),
		Forced: []string{}, Notes: append([]string{}, remarks(p.base, p.next)...), Variants: []Variant{}, Unmatched: []Missing{},
	}
	find := func(r *report.Report, name string) *report.Variant {
		i := slices.IndexFunc(r.Variants, func(v report.Variant) bool { return v.Name == name })
		if i < 0 {
			return nil
		}
		return &r.Variants[i]
	}
	several := len(p.base.Variants) > 1 || len(p.next.Variants) > 1
	for i := range p.base.Variants {
		b := &p.base.Variants[i]
		n := find(p.next, b.Name)
		if n == nil {
			s.Unmatched = append(s.Unmatched, Missing{"variant " + b.Name, "base", "NEW does not have it: whether it became worse is not known"})
			continue
		}
		s.Variants = append(s.Variants, compareVariant(p, b, n, o, several))
	}
	for i := range p.next.Variants {
		if n := &p.next.Variants[i]; find(p.base, n.Name) == nil {
			s.Unmatched = append(s.Unmatched, Missing{"variant " + n.Name, "new", "BASE does not have it: there is nothing to compare it with"})
		}
	}
	return s
}

func origin(r *report.Report) Origin {
	s := &r.Scenario
	runs := 1
	for i := range r.Variants {
		runs = max(runs, len(r.Variants[i].Replications))
	}
	return Origin{
		Scenario: s.Name, File: s.File, SHA256: s.SHA256, DemandSHA256: s.DemandSHA256, Seed: s.Seed, Replications: runs,
		Mode: modeOf(s), Target: s.Target, Overrides: s.Overrides, Status: r.Verdict.Status, Tool: r.Tool,
	}
}

func compareVariant(p pair, b, n *report.Variant, o *Options, several bool) Variant {
	d := designOf(p, b, n)
	v := Variant{
		Name: b.Name, Method: d.method, BaseN: d.baseN, NewN: d.newN, Notes: append([]string{}, d.notes...),
		Identical: b.Digest != "" && b.Digest == n.Digest,
		Primary:   []Row{}, Information: []Row{}, Unmatched: []Missing{},
	}
	common := v.profiles(b, n)
	judged := Primary(common)
	if b.Laws.NoBooks || n.Laws.NoBooks {
		judged = slices.DeleteFunc(judged, func(t report.Term) bool { return t.Metric == "duplicate_writes" })
		v.Unmatched = append(v.Unmatched, Missing{"duplicate_writes", "base", "a target keeps its own books: duplicates are not known"})
	}
	named := ""
	if several {
		named = b.Name
	}
	for _, t := range judged {
		v.Primary = append(v.Primary, d.row(t, b, n, o, named))
	}
	told := slices.Clone(v.Primary)
	for _, t := range information(common, judged) {
		r := d.row(t, b, n, o, named)
		if r.moved() && !r.repeats(told) {
			v.Information = append(v.Information, r)
		}
		told = append(told, r)
	}
	return v
}

// profiles returns those that both have, and names the others.
func (v *Variant) profiles(b, n *report.Variant) []report.Profile {
	has := func(o *report.Variant, name string) bool {
		return slices.ContainsFunc(o.Profiles, func(p report.Profile) bool { return p.Name == name })
	}
	var common []report.Profile
	for _, p := range b.Profiles {
		if has(n, p.Name) {
			common = append(common, p)
			continue
		}
		v.Unmatched = append(v.Unmatched, Missing{"profile " + p.Name, "base", "vanished: NEW does not have it, and its latencies are not judged"})
	}
	for _, p := range n.Profiles {
		if !has(b, p.Name) {
			v.Unmatched = append(v.Unmatched, Missing{"profile " + p.Name, "new", "appeared: BASE does not have it, and its latencies are not judged"})
		}
	}
	return common
}

// primary calls f for every judged row.
func (res *Result) primary(f func(s *Scenario, v *Variant, r *Row)) {
	for i := range res.Scenarios {
		s := &res.Scenarios[i]
		for j := range s.Variants {
			for k := range s.Variants[j].Primary {
				f(s, &s.Variants[j], &s.Variants[j].Primary[k])
			}
		}
	}
}

// settle corrects the p values of all judged rows together, and gives the verdicts.
func (res *Result) settle() {
	k := res.correct()
	res.primary(func(_ *Scenario, v *Variant, r *Row) {
		r.settle(k, res.Alpha)
		if r.Verdict == NotEnough {
			v.tooFew(r, res)
		}
	})
	res.Verdict = res.whole()
	res.sentence = res.summary()
	res.Summary = report.Plain(res.sentence)
}

// tooFew says how many replications would do: once for a variant, and of a row that has fewer than the rest. It is the number
// with which each of the tests could become significant, were there no ties in any.
func (v *Variant) tooFew(r *Row, res *Result) {
	what, least := "pairs of runs with the same seed", leastSign
	if v.Method == Ranks {
		what, least = "runs on each side", func(n int) float64 { return leastRank(n, n) }
	}
	need := enough(res.Tests, res.Alpha, least)
	res.Enough = max(res.Enough, need)
	if n := min(v.BaseN, v.NewN); r.N < n {
		r.remark(fmt.Sprintf("%d values, and %d would do", r.N, need))
		return
	}
	text := fmt.Sprintf("not enough replications: %d here, and %d %s would do for %s at %s",
		r.N, need, what, counted(res.Tests, "test"), report.Plain(report.Form(res.Alpha, report.UnitShare)))
	if !slices.Contains(v.Notes, text) {
		v.Notes = append(v.Notes, text)
	}
}

// whole is the verdict on everything.
func (res *Result) whole() Verdict {
	n := res.count()
	for _, v := range []Verdict{Worse, Better, NotEnough} {
		if n[v] > 0 {
			return v
		}
	}
	if n[Same] == 0 {
		return NotEnough
	}
	return Same
}

// count counts the verdicts on metrics; it is asked, never walked.
func (res *Result) count() map[Verdict]int {
	n := map[Verdict]int{}
	res.primary(func(_ *Scenario, _ *Variant, r *Row) { n[r.Verdict]++ })
	return n
}

// ExitCode is that of the program: report.ExitRegression if anything is worse or, with Options.Strict, could not have shown that
// it is for want of replications; and else report.ExitPass.
func (res *Result) ExitCode() int {
	if res.Verdict == Worse || res.strict && (res.Verdict == NotEnough || res.Enough > 0) {
		return report.ExitRegression
	}
	return report.ExitPass
}
