package report

import (
	"fmt"
	"io"
	"strings"
)

// maxAnnotations is how many errors GitHub shows of one step.
const maxAnnotations = 10

// RenderAnnotations writes what is wrong with reports as workflow commands of GitHub Actions, one on a
// line, which it shows beside a pull request: an error for each expectation that failed and for an invalid
// run, a warning for an interrupted one. At most 10 are written, as no more are shown of a step;
// the last then says how many there are.
func RenderAnnotations(w io.Writer, rs []*Report) error {
	rs, err := canonicals(rs)
	if err != nil {
		return err
	}
	var all []string
	for _, r := range rs {
		all = append(all, annotations(r)...)
	}
	if n := len(all); n > maxAnnotations {
		all = append(all[:maxAnnotations-1], WorkflowCommand("error", "", "simload",
			fmt.Sprintf("%d more; the report has all", n-maxAnnotations+1)))
	}
	for _, a := range all {
		if _, err := io.WriteString(w, a+"\n"); err != nil {
			return fmt.Errorf("writing annotations: %w", err)
		}
	}
	return nil
}

func annotations(r *Report) []string {
	var out []string
	name := label(r.Scenario.Name)
	switch r.Verdict.Status {
	case StatusInvalid:
		out = append(out, WorkflowCommand("error", r.Scenario.File, name+": the run is invalid", reasonsLine(r)))
	case StatusPartial:
		out = append(out, WorkflowCommand("warning", r.Scenario.File, name+": the run is partial", reasonsLine(r)))
	}
	for i := range r.Verdict.Checks {
		c := &r.Verdict.Checks[i]
		if c.OK || r.unjudged(c) {
			continue
		}
		unit := unitOf(c)
		text := clean(c.Expr) + ": " + c.form(unit)
		if c.Variant != "" && len(r.Variants) > 1 {
			text += " in variant " + clean(c.Variant)
		}
		if note := checkNote(c, unit); note != "" {
			text += " (" + note + ")"
		}
		out = append(out, WorkflowCommand("error", r.Scenario.File, name+": an expectation failed", text))
	}
	return out
}

func reasonsLine(r *Report) string {
	var lines []string
	for i, reason := range r.Verdict.Reasons {
		if i == maxReasons {
			lines = append(lines, fmt.Sprintf("and %d more", len(r.Verdict.Reasons)-i))
			break
		}
		lines = append(lines, clean(reason))
	}
	return strings.Join(lines, "\n")
}

// The characters that a workflow command cannot hold as they are, in its message and in a
// property (https://docs.github.com/actions/reference/workflow-commands-for-github-actions;
// the escapes are those of the actions toolkit).
var (
	commandEscapes  = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	propertyEscapes = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
)

// WorkflowCommand is a line that GitHub Actions shows as an annotation: of the kind error, warning or notice, beside the file
// ("": none), with what a command cannot hold escaped.
func WorkflowCommand(kind, file, title, text string) string {
	properties := "title=" + propertyEscapes.Replace(title)
	if file != "" {
		properties = "file=" + propertyEscapes.Replace(label(file)) + "," + properties
	}
	return "::" + kind + " " + properties + "::" + commandEscapes.Replace(strings.ReplaceAll(text, thin, " "))
}
