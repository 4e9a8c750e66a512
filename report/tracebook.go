package report

import (
	"fmt"
	"strings"
)

// TraceBook says what was read of a trace, over the whole run: nothing of a file is dropped
// in silence.
type TraceBook struct {
	Name   string `json:"name"`
	Format string `json:"format"`
	Passes int    `json:"passes"`
	// Rows read and understood; Failed of them are recorded as failed, Unmapped bear a name
	// that no profile is mapped to; Skipped rows were not understood, FirstSkipped says why.
	Rows         int64  `json:"rows"`
	Failed       int64  `json:"failed"`
	Unmapped     int64  `json:"unmapped"`
	Skipped      int64  `json:"skipped"`
	FirstSkipped string `json:"first_skipped,omitempty"`
}

// facts is the trace's line of the page.
func (b *TraceBook) facts() string {
	parts := []string{clean(b.Name) + ": " + clean(b.Format), formCount(b.Rows) + " rows read"}
	for _, c := range []struct {
		n    int64
		what string
	}{{b.Failed, "recorded as failed"}, {b.Unmapped, "with names not mapped"}, {b.Skipped, "NOT understood and skipped"}} {
		if c.n > 0 {
			parts = append(parts, fmt.Sprintf("%s %s", formCount(c.n), c.what))
		}
	}
	if b.FirstSkipped != "" {
		parts = append(parts, "the first: "+clean(b.FirstSkipped))
	}
	return strings.Join(parts, "   ")
}

// tracesSection is there if traces were replayed.
func tracesSection(r *Report) (s section) {
	s.label = "Traces"
	for i := range r.Variants {
		for k := range r.Variants[i].Traces {
			if line := r.Variants[i].Traces[k].facts(); i == 0 || line != r.Variants[0].Traces[k].facts() {
				s.lines = append(s.lines, line)
			}
		}
	}
	return s
}

func (b *TraceBook) carry(t *tape) {
	t.texts(&b.Name, &b.Format, &b.FirstSkipped)
	number(t, &b.Passes)
	t.counts(&b.Rows, &b.Failed, &b.Unmapped, &b.Skipped)
}
