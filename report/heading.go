package report

import "strings"

// Heading is what a picture of a report says in words. All of it is fit to be printed.
type Heading struct {
	Name    string // of the scenario
	Verdict string // PASS, FAIL ...
	Facts   []string
}

// HeadingOf returns the words over a picture of the report: what was run, and how it went.
func HeadingOf(r *Report) Heading {
	verdict, head := verdictSection(r), headSection(r).facts
	h := Heading{Name: shorten(head[0], nameLong), Verdict: verdict.label}
	for _, fact := range append(verdict.facts[:1:1], head[1:]...) {
		if fact == clean("simload "+r.Tool.Version+" "+r.Tool.Arch) {
			continue // a picture is the same for every build
		}
		h.Facts = append(h.Facts, strings.ReplaceAll(fact, thin, " "))
	}
	return h
}

// VariantName returns a variant's name as a heading.
func VariantName(v *Variant) string { return shorten(clean(v.Name), nameLong) }
