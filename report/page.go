package report

import (
	"fmt"
	"slices"
	"strings"
)

// section is a part of the page, independent of the medium. It has a label and,
// of the rest, what it needs.
type section struct {
	label   string
	aside   string // behind the label
	variant bool   // heads a variant
	facts   []string
	lines   []string // paragraphs
	grid    *grid
	checks  []checked
	command []string // words of a command
}

// checked is an expectation with what it gave in one or several variants.
type checked struct {
	word   string // ok or FAIL
	expr   string
	values []string
	notes  []string
	texts  []string // of the notes, without the variants' names
}

// note adds a note on a variant; equal ones are told once.
func (k *checked) note(variant, text string) {
	i := slices.Index(k.texts, text)
	switch {
	case i < 0 && variant == "":
		k.notes, k.texts = append(k.notes, text), append(k.texts, text)
	case i < 0:
		k.notes, k.texts = append(k.notes, variant+": "+text), append(k.texts, text)
	case variant != "":
		k.notes[i] = strings.TrimSuffix(k.notes[i], ": "+text) + ", " + variant + ": " + text
	}
}

// page lists the sections of a report, in the order of the reader's questions:
// all right? who suffers? why? what does it cost? is it true?
func page(r *Report) []section {
	several := len(r.Variants) > 1
	out := []section{headSection(r), verdictSection(r)}
	if reasons := reasonsSection(r); len(reasons.lines) > 0 {
		out = append(out, reasons)
	}
	bad, open, good := checkSections(r)
	for _, s := range []section{bad, open} {
		if len(s.checks) > 0 {
			out = append(out, s)
		}
	}
	unit := unitOfLatency(r)
	for i := range r.Variants {
		v := &r.Variants[i]
		if several {
			out = append(out, section{label: "Variant " + clean(v.Name), variant: true, facts: loadFacts(v)})
		}
		out = append(out, variantSections(v, unit)...)
	}
	if several {
		out = append(out, sideSections(r)...)
	}
	if len(good.checks) > 0 {
		out = append(out, good)
	}
	if traces := tracesSection(r); len(traces.lines) > 0 {
		out = append(out, traces)
	}
	return append(out, lawsSection(r), reproduceSection(r))
}

func headSection(r *Report) section {
	s := &r.Scenario
	facts := []string{clean(s.Name), fmt.Sprintf("seed %d", s.Seed)}
	if s.Mode != "" {
		facts = append(facts, clean(s.Mode)+" clock")
	}
	if s.Target != "" {
		facts = append(facts, "target "+clean(s.Target))
	}
	span := formSpan(float64(s.DurationS))
	if s.WarmupS > 0 {
		span += ", warm-up " + formSpan(float64(s.WarmupS))
	}
	facts = append(facts, span)
	if s.Agents > 0 {
		facts = append(facts, formCount(int64(s.Agents))+" agents")
	}
	if n := replications(r); n > 1 {
		facts = append(facts, fmt.Sprintf("%d replications", n))
	}
	if r.Tool.Version != "" {
		facts = append(facts, clean("simload "+r.Tool.Version+" "+r.Tool.Arch))
	}
	return section{facts: facts}
}

func replications(r *Report) int {
	n := 0
	for i := range r.Variants {
		n = max(n, len(r.Variants[i].Replications))
	}
	return n
}

// verdictWords are the words that colour repeats.
var verdictWords = map[string]string{
	StatusPass: "PASS", StatusFail: "FAIL", StatusInvalid: "INVALID", StatusPartial: "PARTIAL",
}

func verdictSection(r *Report) section {
	word := verdictWords[r.Verdict.Status]
	if word == "" {
		word = "UNJUDGED"
	}
	held, open := 0, 0
	for i := range r.Verdict.Checks {
		switch c := &r.Verdict.Checks[i]; {
		case c.OK:
			held++
		case r.unjudged(c):
			open++
		}
	}
	s, what := section{label: word}, "expectations"
	if len(r.Variants) > 1 {
		what = "checks"
	}
	switch n := len(r.Verdict.Checks); {
	case n == 0:
		s.facts = append(s.facts, "no expectations")
	case held == n:
		s.facts = append(s.facts, fmt.Sprintf("%d of %d %s", held, n, what))
	case open == n:
		s.facts = append(s.facts, what+" not judged: nothing was measured")
	case open > 0:
		s.facts = append(s.facts, fmt.Sprintf("%d of %d %s failed, %d not judged", n-held-open, n, what, open))
	default:
		s.facts = append(s.facts, fmt.Sprintf("%d of %d %s failed", n-held, n, what))
	}
	if len(r.Variants) == 1 {
		s.facts = append(s.facts, loadFacts(&r.Variants[0])...)
	}
	return s
}

func loadFacts(v *Variant) []string {
	rate := func(what string, perS, perMin Num) string {
		return fmt.Sprintf("%s %s req/s, %s tokens/min", what, form3(float64(perS)), formSI(float64(perMin)))
	}
	return []string{
		rate("offered", v.Offered.RequestsPerS, v.Offered.TokensPerMin),
		rate("served", v.Throughput.RequestsPerS, v.Throughput.TokensPerMin),
	}
}

// maxReasons is how many reasons are printed; the JSON has all.
const maxReasons = 12

func reasonsSection(r *Report) section {
	s := section{label: "Why"}
	if r.Verdict.Status == StatusPartial {
		s.label = "Measured"
	}
	for i, reason := range r.Verdict.Reasons {
		if i == maxReasons {
			s.lines = append(s.lines, fmt.Sprintf("and %d more; all in the JSON", len(r.Verdict.Reasons)-i))
			break
		}
		s.lines = append(s.lines, clean(reason))
	}
	return s
}

// lawsSection tells the laws once when they agree in all variants, and else for each.
func lawsSection(r *Report) section {
	s := section{label: "Laws"}
	var facts []string
	same := true
	for i := range r.Variants {
		facts = append(facts, lawFacts(&r.Variants[i].Laws))
		same = same && facts[i] == facts[0]
	}
	for i := range r.Variants {
		v := &r.Variants[i]
		digest := ""
		if v.Digest != "" {
			digest = "digest " + clean(cutHead(v.Digest, 8))
		}
		switch {
		case len(r.Variants) == 1:
			s.lines = append(s.lines, facts[i]+"   "+digest)
		case same && i == 0:
			s.lines = append(s.lines, facts[i])
			fallthrough
		case same:
			s.lines = append(s.lines, shorten(clean(v.Name), nameLong)+": "+digest)
		default:
			s.lines = append(s.lines, shorten(clean(v.Name), nameLong)+": "+facts[i]+"   "+digest)
		}
	}
	if n := len(s.lines); same && n > 2 { // the digests share lines
		s.lines = []string{s.lines[0], strings.Join(s.lines[1:], "   ")}
	}
	for i := range r.Variants {
		if h := r.Variants[i].Harness; h != nil && len(r.Variants) > 1 {
			s.lines = append(s.lines, shorten(clean(r.Variants[i].Name), nameLong)+": "+h.fact())
		} else if h != nil {
			s.lines = append(s.lines, h.fact())
		}
	}
	return s
}

func lawFacts(l *Laws) string {
	pick := func(ok bool, good, bad string) string {
		if ok {
			return good
		}
		return bad
	}
	books := pick(l.BooksAgree, "books agree", "books DISAGREE")
	switch {
	case l.Incomplete:
		books = "books not compared: a worker was lost"
	case l.NoBooks:
		books = "no books to agree with: the target keeps its own"
	}
	return strings.Join([]string{
		pick(l.ConservationOK, "conservation ok", "conservation BROKEN"),
		"Little residual " + formPercent(float64(l.LittleResidual)) + thin + "%",
		books,
	}, "   ")
}

func reproduceSection(r *Report) section {
	s := &r.Scenario
	file := s.File
	if file == "" {
		file = s.Name
	}
	cmd := []string{"simload", "run", shellWord(file), "--seed", fmt.Sprint(s.Seed)}
	if n := replications(r); n > 1 {
		cmd = append(cmd, "--reps", fmt.Sprint(n))
	}
	switch {
	case s.Target != "":
		cmd = append(cmd, "--target", shellWord(s.Target))
	case s.Mode == "wall":
		cmd = append(cmd, "--mode", "wall")
	}
	if n := workers(r); n > 0 {
		cmd = append(cmd, "--workers", fmt.Sprint(n), "--nats", "URL")
	}
	for _, o := range s.Overrides {
		cmd = append(cmd, "--set", shellWord(o))
	}
	out := section{label: "Reproduce", command: cmd}
	if s.SHA256 != "" {
		out.facts = []string{"scenario sha256 " + clean(cutHead(s.SHA256, 16))}
	}
	return out
}

// shellWord quotes a word for a POSIX shell where it must be; a control character
// cannot be printed, and then the command cannot be copied.
func shellWord(w string) string {
	c := clean(w)
	if c != "" && strings.Trim(c, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_@%+=:,./-") == "" {
		return c
	}
	return "'" + strings.ReplaceAll(c, "'", `'\''`) + "'"
}
