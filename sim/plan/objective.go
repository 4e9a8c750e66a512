package plan

import (
	"errors"
	"strconv"
	"strings"

	"github.com/seed-4fd17b57/simload/report"
	"github.com/seed-4fd17b57/simload/sim/scenario"
)

// ParseObjectives reads the arguments of --slo: expectations, with commas between several of one argument. The
// error is of type [scenario.Errors].
func ParseObjectives(args []string) ([]string, error) {
	var out []string
	for _, arg := range args {
		for _, text := range splitObjectives(arg) {
			if text == "" {
				return nil, wrong(fromSLO, "", "an empty expectation", strconv.Quote(arg), "expectations with commas between them", "write for example p99{profile=hypothesis} < 6s")
			}
			e, err := report.ParseExpect(text)
			if err != nil {
				return nil, badObjective(text, err)
			}
			if e.Den != nil && e.Num.Variant != e.Den.Variant {
				return nil, wrong(fromSLO, "", "a ratio of two variants", text, "an expectation of one variant", "plan answers for each variant by itself; \"run\" compares them")
			}
			out = append(out, e.String())
		}
	}
	return out, nil
}

func badObjective(text string, err error) error {
	var ee *report.ExpectError
	if !errors.As(err, &ee) {
		return wrong(fromSLO, "", err.Error(), text, "metric, selector, comparison, value", "write for example p99{profile=hypothesis} < 6s")
	}
	found := "the end of " + text
	if ee.Found != "" {
		found = ee.Found + " in " + text
	}
	hint := ee.Hint
	if hint == "" {
		hint = "write for example p99{profile=hypothesis} < 6s"
	}
	return wrong(fromSLO, "", "not an expectation", found, ee.Allowed, hint)
}

// splitObjectives cuts at commas that are neither in braces nor in quotes.
func splitObjectives(arg string) []string {
	var out []string
	depth, quoted, from := 0, false, 0
	for i, c := range arg {
		switch {
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{':
			depth++
		case c == '}':
			depth--
		case c == ',' && depth <= 0:
			out = append(out, strings.TrimSpace(arg[from:i]))
			from = i + 1
		}
	}
	return append(out, strings.TrimSpace(arg[from:]))
}

// expectSet is the override that makes objectives the scenario's expectations.
func expectSet(objectives []string) string {
	quoted := make([]string, len(objectives))
	for i, o := range objectives {
		quoted[i] = `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(o) + `"`
	}
	return "expect=[" + strings.Join(quoted, ", ") + "]"
}

// objectivesOf picks what is judged of one variant, and says what is not.
func objectivesOf(all []report.Expect, v *scenario.Variant) (own []report.Expect, left []string) {
	for _, e := range all {
		switch {
		case e.Den != nil && e.Num.Variant != e.Den.Variant:
			left = append(left, e.Text+": a ratio of two variants")
		case e.Num.Variant != "" && e.Num.Variant != v.Name:
		default:
			own = append(own, e)
		}
	}
	return own, left
}
