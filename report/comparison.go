package report

import (
	"math"
	"slices"
	"strings"
)

// Comparison is one figure of a variant beside that of the first variant, the base.
//
// Base and Value are the figures of all replications together, as the page shows them. Ratio
// is the geometric mean of the ratios of the replications with the same seed (see
// ratioOf), so not quite Value/Base, with its 95 % interval from Low to High. What is undefined is
// null, and Note says why.
type Comparison struct {
	Figure      string `json:"figure"` // a name of MetricNames, in its base unit
	By          By     `json:"by,omitzero"`
	BaseVariant string `json:"base_variant"`
	Variant     string `json:"variant"`
	Base        Num    `json:"base"`
	Value       Num    `json:"value"`
	Ratio       Num    `json:"ratio"`
	Low         Num    `json:"low"`
	High        Num    `json:"high"`
	N           int    `json:"n"` // replications that were paired; 1: no interval
	Note        string `json:"note,omitempty"`
}

// Why the ratio of replicated variants is that of their figures over all replications.
const (
	otherSeeds = "ratio of the means without an interval, as the replications have other seeds than the base's"
	notKept    = "ratio of the means without an interval, as the figure is not kept by replication"
)

// undefined begins the note of a ratio that does not exist.
const undefined = "undefined: "

// compareVariants sets the figures of all variants beside those of the first, in the
// order of the page. A figure that is 0 in all of them is left out.
func compareVariants(r *Report) []Comparison {
	if len(r.Variants) < 2 {
		return nil
	}
	var out []Comparison
	for _, f := range sideFigures(r) {
		values, any := f.values(r)
		if !any {
			continue
		}
		for i := 1; i < len(r.Variants); i++ {
			out = append(out, compareOne(&f, &r.Variants[0], &r.Variants[i], values[0], values[i]))
		}
	}
	return out
}

// compareOne compares base and value, which are those of all replications.
func compareOne(f *sideFigure, of, v *Variant, base, value float64) Comparison {
	c := Comparison{
		Figure: f.name, By: f.by, BaseVariant: of.Name, Variant: v.Name,
		Base: Num(base), Value: Num(value), N: 1,
	}
	bases, values, note := []float64{base}, []float64{value}, ""
	if len(of.Replications) > 1 || len(v.Replications) > 1 {
		b, x := of.each(f.name, f.by), v.each(f.name, f.by)
		switch {
		case !v.pairs(of):
			note = otherSeeds
		case b == nil && x == nil:
			note = notKept
		case b == nil:
			bases = slices.Repeat([]float64{math.NaN()}, len(x))
			values = x
		case x == nil:
			bases, values = b, slices.Repeat([]float64{math.NaN()}, len(b))
		default:
			bases, values = b, x
		}
	}
	q := ratioOf(values, bases, "the figure", "the base")
	c.Ratio, c.Low, c.High, c.N, c.Note = Num(q.value), Num(q.low), Num(q.high), len(values), q.note
	switch {
	case math.IsNaN(q.value) || math.IsInf(q.value, 0):
		c.Ratio, c.Note = Num(math.NaN()), undefined+q.note
	case c.Note == "":
		c.Note = note
	}
	return c
}

// times prints the ratio: x1.38, or that there is none.
func (c *Comparison) times() string {
	switch {
	case !math.IsNaN(float64(c.Ratio)):
		return formTimes(float64(c.Ratio), 1)
	case strings.HasPrefix(c.Note, undefined):
		return "undef."
	}
	return none
}

// formInterval prints an interval, "" when there is none.
func formInterval(low, high float64, form func(float64) string) string {
	if math.IsNaN(low) || math.IsNaN(high) {
		return ""
	}
	return "[" + form(low) + ", " + form(high) + "]"
}

// form prints the value of a check, with its interval if it has one.
func (c *Check) form(unit Unit) string {
	value := formUnit(float64(c.Value), unit)
	if value == none && strings.HasPrefix(c.Note, failureNote) {
		return "fail"
	}
	if c.Interval == nil {
		return value
	}
	inUnit := func(x float64) string { return formUnit(x, unit) }
	return strings.TrimSuffix(value+" "+formInterval(float64(c.Low), float64(c.High), inUnit), " ")
}
