package fit

import (
	"fmt"
	"math"
	"strings"
	"text/tabwriter"
	"time"
)

// Text returns the comparison as a table for people.
func (g *Goodness) Text(f *Fit) string {
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 3, ' ', tabwriter.AlignRight)
	fmt.Fprintf(w, "\ttrace\tfit\toff\t\n")
	row := func(name string, p Pair) {
		off := "-"
		if x := 100 * p.Off(); math.Abs(p.Trace) > least && !math.IsNaN(x) && !math.IsInf(x, 0) {
			off = fmt.Sprintf("%+.1f %%", x)
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t\n", name, figure(p.Trace), figure(p.Fit), off)
	}
	row("requests", g.Requests)
	for i, width := range Scales {
		row(fmt.Sprintf("dispersion of arrivals, %v", width), g.Dispersion[i])
	}
	row("CV of gaps", g.GapCV)
	for _, t := range []struct {
		name string
		of   Tokens
	}{{"tokens in", g.In}, {"tokens out", g.Out}} {
		row(t.name+", mean", t.of.Mean)
		for i, p := range t.of.At {
			row(fmt.Sprintf("%s, p%v", t.name, 100*Shares[i]), p)
		}
	}
	g.sessions(row)
	fmt.Fprintf(w, "rank correlation in, out\t%s\t%s\t-\t\n", figure(g.RankCorr.Trace), figure(g.RankCorr.Fit))
	_ = w.Flush() // to memory
	fmt.Fprintf(&b, "The fit's figures are the mean of %d runs.\nKolmogorov-Smirnov distance: gaps %.3f, tokens in %s, tokens out %s", g.Runs, g.GapKS, g.In.ks(), g.Out.ks())
	if g.Sessions != nil {
		fmt.Fprintf(&b, ", requests of a session %.3f, times between them %.3f", g.RoundsKS, g.PausesKS)
	}
	b.WriteByte('\n')
	b.WriteString(f.words())
	b.WriteString(g.unmet(f))
	return b.String()
}

// least is what a figure is at least that a share can be told of: below, it is a rounding error.
const least = 1e-9

// ks writes the distance, or "-".
func (t *Tokens) ks() string {
	if math.IsNaN(t.KS) {
		return "-"
	}
	return fmt.Sprintf("%.3f", t.KS)
}

// promised is how far a figure may be off without a word.
const promised = 0.20

// unmet names what the fit does not have.
func (g *Goodness) unmet(f *Fit) string { return g.unmetArrivals(f) + g.unmetFigures() }

// unmetArrivals names the dispersions that the fit does not have.
func (g *Goodness) unmetArrivals(f *Fit) string {
	var at []string
	even := true
	for i, p := range g.Dispersion {
		if f.Length < enoughWindows*Scales[i] || !(math.Abs(p.Off()) > promised) {
			continue // too short a trace for this scale, or good enough
		}
		at = append(at, Scales[i].String())
		even = even && p.Trace < p.Fit && p.Trace < 1
	}
	switch {
	case len(at) == 0:
		return ""
	case even:
		return fmt.Sprintf("Not met: over %s the trace's arrivals are more even than any of a stream. Agents that ask at a steady pace make such; describe them as agents, or replay the trace.\n", strings.Join(at, ", "))
	}
	return fmt.Sprintf("Not met: the dispersion of arrivals over %s. The rate moves in ways that steps and gaps of one kind do not have; to keep it, replay the trace.\n", strings.Join(at, ", "))
}

// inTail is how many requests must be beyond a quantile for it to say more than chance does.
const inTail = 20

// unmetFigures names the other figures that the fit does not have: requests, tokens, and the means of sessions.
func (g *Goodness) unmetFigures() string {
	var names []string
	note := func(name string, p Pair, slack float64) {
		if math.Abs(p.Fit-p.Trace) > slack && math.Abs(p.Off()) > promised {
			names = append(names, name)
		}
	}
	note("requests", g.Requests, 0)
	for _, t := range []struct {
		name string
		of   *Tokens
	}{{"tokens in", &g.In}, {"tokens out", &g.Out}} {
		note(t.name+" (mean)", t.of.Mean, 1) // a recorded 0 is 1
		for i, p := range t.of.At {
			// A middle that lies between two heaps of lengths may fall on either.
			if (1-Shares[i])*float64(len(t.of.Sorted[0])) >= inTail && (Shares[i] > 0.5 || t.of.KS > matters) {
				note(fmt.Sprintf("%s (p%v)", t.name, 100*Shares[i]), p, 1)
			}
		}
	}
	if s := g.Sessions; s != nil {
		note("sessions", s.Count, 0)
		note("requests of a session (mean)", s.Rounds, 0)
		note("seconds between them (mean)", s.Gap, 0)
	}
	note("tokens in seen before", g.Prefix, 0)
	if len(names) == 0 {
		return ""
	}
	return fmt.Sprintf("Not met, by more than %.0f %%: %s. To keep them, replay the trace.\n", 100*promised, strings.Join(names, ", "))
}

// sessions writes the rows about sessions.
func (g *Goodness) sessions(row func(string, Pair)) {
	if s := g.Sessions; s != nil {
		row("sessions", s.Count)
		row("requests of a session, mean", s.Rounds)
		for i := range Shares {
			row(fmt.Sprintf("requests of a session, p%v", 100*Shares[i]), s.RoundsAt[i])
		}
		row("seconds between them, mean", s.Gap)
		for i := range Shares {
			row(fmt.Sprintf("seconds between them, p%v", 100*Shares[i]), s.GapAt[i])
		}
	}
	if g.Prefix.Trace > 0 || g.Prefix.Fit > 0 {
		row("% of tokens in seen before", Pair{100 * g.Prefix.Trace, 100 * g.Prefix.Fit})
	}
}

// words says what was fitted, in a line or two.
func (f *Fit) words() string {
	a := &f.Arrivals
	kind := "Poisson"
	if a.CV > 0 {
		kind = fmt.Sprintf("%s of CV %.3g", [...]string{"constant", "Poisson", "Gamma", "Weibull"}[a.Kind], a.CV)
	}
	parts := fmt.Sprintf("a rate in %d parts", len(a.Steps))
	if len(a.Steps) == 1 {
		parts = fmt.Sprintf("a constant rate of %.4g per second", a.Steps[0].Rate)
	}
	text := fmt.Sprintf("Arrivals: %s, %s gaps", parts, kind)
	if a.Tick > 0 {
		text += fmt.Sprintf(", gathered by a tick of %v: gaps are compared in whole ticks", a.Tick)
	}
	text += ".\n"
	return text + f.Links.words()
}

// words says what was made of sessions.
func (l *Links) words() string {
	switch {
	case l.Unrelated > 0:
		return fmt.Sprintf("Sessions: clients only. %.0f %% of the requests of a session have a shorter prompt than the one before: no conversations.\n", 100*l.Unrelated)
	case l.GoOn == 0:
		return ""
	case l.Guessed:
		return fmt.Sprintf("Sessions: %d requests go on from one before. What prompts have in common is not recorded: one that is not shorter than the one before in its session is taken to begin with it.\n", l.GoOn)
	}
	return fmt.Sprintf("Sessions: %d requests go on from one before.\n", l.GoOn)
}

// Text returns the fit as a table for people.
func (l *Latency) Text() string {
	var b strings.Builder
	name := l.Model
	if name == "" {
		name = "all calls"
	}
	fmt.Fprintf(&b, "%s: %d calls; first token %v + %v per token in, noise %s; %v per further token out, noise %s\n",
		name, l.Calls, l.Base.Round(time.Microsecond), l.PerPromptToken, l.FirstToken.words(), l.PerOutputToken, l.Output.words())
	w := tabwriter.NewWriter(&b, 0, 0, 3, ' ', tabwriter.AlignRight)
	fmt.Fprintf(w, "seconds\tmeasured\tfit\toff\t\n")
	for _, t := range []struct {
		name string
		of   Timing
	}{{"first token", l.First}, {"total", l.Total}} {
		for i, p := range t.of.At {
			fmt.Fprintf(w, "%s, p%v\t%s\t%s\t%+.1f %%\t\n", t.name, 100*Shares[i], figure(p.Trace), figure(p.Fit), 100*p.Off())
		}
	}
	_ = w.Flush() // to memory
	fmt.Fprintf(&b, "Kolmogorov-Smirnov distance: first token %.3f, total %.3f; of the noise from log-normal: first token %.3f, tokens out %.3f\n", l.First.KS, l.Total.KS, l.FirstToken.KS, l.Output.KS)
	if l.Calls < 100 {
		fmt.Fprintf(&b, "The 99th percentile of %d calls is little more than the slowest of them.\n", l.Calls)
	}
	if l.OnePrompt {
		b.WriteString("All prompts are about as long: what they cost is in the base.\n")
	}
	if l.NoOutput {
		b.WriteString("Too few answers have two tokens: nothing is known of the time per token.\n")
	}
	return b.String()
}

// words tells noise in short.
func (n *Noise) words() string {
	if n.Factors != nil {
		return "as measured"
	}
	return fmt.Sprintf("%.3f", n.Sigma)
}

// figure writes four significant digits, or "-".
func figure(x float64) string {
	switch {
	case math.IsNaN(x) || math.IsInf(x, 0):
		return "-"
	case math.Abs(x) >= 1000:
		return fmt.Sprintf("%.0f", x)
	}
	return fmt.Sprintf("%.4g", x)
}
