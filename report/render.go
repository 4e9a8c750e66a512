package report

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"
)

// Options of a rendering for people.
type Options struct {
	Width int  // columns; 0: 80; below 40: 40
	Color bool // of words; nothing is said by colour alone
}

// renderer is a format.
type renderer struct {
	name   string
	render func(io.Writer, *Report, Options) error
	// joined writes several reports as one value of the format; nil: they stand one after
	// another, with an empty line between.
	joined func(io.Writer, []*Report) error
}

// renderers by name. A new output is a file of its own and a line here.
var renderers = []renderer{
	{name: "table", render: RenderTable},
	{name: "markdown", render: func(w io.Writer, r *Report, _ Options) error { return RenderMarkdown(w, r) }},
	{name: "json", render: func(w io.Writer, r *Report, _ Options) error { return RenderJSON(w, r) }, joined: RenderJSONArray},
	{name: "html", render: alone(RenderHTML), joined: RenderHTML},
	{name: "csv", render: alone(RenderCSV), joined: RenderCSV},
	{name: "junit", render: alone(RenderJUnit), joined: RenderJUnit},
	{name: "bench", render: alone(RenderBench), joined: RenderBench},
	{name: "hlog", render: alone(RenderHlog), joined: RenderHlog},
	{name: "gha-benchmark", render: alone(RenderGHABenchmark), joined: RenderGHABenchmark},
	{name: "bencher", render: alone(RenderBencher), joined: RenderBencher},
}

// alone renders one report where the format is the same for one and several.
func alone(all func(io.Writer, []*Report) error) func(io.Writer, *Report, Options) error {
	return func(w io.Writer, r *Report, _ Options) error { return all(w, []*Report{r}) }
}

// Register adds a format that not every program links, such as pictures. Several reports are one document
// in it. Call it before anything is rendered, and with a name that is new.
func Register(name string, render func(io.Writer, []*Report) error) {
	renderers = append(renderers, renderer{name: name, render: alone(render), joined: render})
}

// Formats returns the names that Render knows.
func Formats() []string {
	out := make([]string, len(renderers))
	for i := range renderers {
		out[i] = renderers[i].name
	}
	return out
}

// Joined reports whether several reports are one value in a format, so that none can be
// written before all are there.
func Joined(format string) bool {
	i := slices.Index(Formats(), format)
	return i >= 0 && renderers[i].joined != nil
}

// Render writes a report in one of Formats.
func Render(w io.Writer, r *Report, format string, opt Options) error {
	i, err := findFormat(format)
	if err != nil {
		return err
	}
	return renderers[i].render(w, r, opt)
}

// RenderAll writes several reports in one of Formats: as one value where the format has
// one (an array, a list of suites, one table of figures), else one after another.
func RenderAll(w io.Writer, rs []*Report, format string, opt Options) error {
	i, err := findFormat(format)
	if err != nil {
		return err
	}
	if joined := renderers[i].joined; joined != nil {
		return joined(w, rs)
	}
	for n, r := range rs {
		if n > 0 {
			if _, err := io.WriteString(w, "\n"); err != nil {
				return fmt.Errorf("rendering: %w", err)
			}
		}
		if err := renderers[i].render(w, r, opt); err != nil {
			return fmt.Errorf("rendering the report of %s: %w", r.Scenario.Name, err)
		}
	}
	return nil
}

func findFormat(format string) (int, error) {
	i := slices.Index(Formats(), format)
	if i >= 0 {
		return i, nil
	}
	err := fmt.Errorf("format %q is not one of %s", shorten(format, 40), strings.Join(Formats(), ", "))
	if hint := DidYouMean(format, Formats()); hint != "" {
		err = fmt.Errorf("%w; %s", err, hint)
	}
	return i, err
}

// canonical returns the report as it is read back from its file, so that all
// renderings say the same of it before and after: numbers have six digits,
// infinities are gone, and bytes that are no UTF-8 are replaced.
func canonical(r *Report) (*Report, error) {
	var b bytes.Buffer
	if err := RenderJSON(&b, r); err != nil {
		return nil, err
	}
	if r.Schema != Schema {
		return nil, &SchemaError{Found: r.Schema}
	}
	return decodeReport(b.Bytes())
}

// figuresOf returns canonical reports for formats that are figures alone: what was measured by a run that is partial or
// invalid must not be taken for the scenario's, so it goes by another name: "smoke-partial".
func figuresOf(rs []*Report) ([]*Report, error) {
	out, err := canonicals(rs)
	for _, r := range out {
		if s := r.Verdict.Status; err == nil && (s == StatusPartial || s == StatusInvalid) {
			r.Scenario.Name += "-" + s
		}
	}
	return out, err
}

// canonicals returns canonical reports whose scenarios have different names, so that what
// is named after them is unique: the second "smoke" is "smoke #2".
func canonicals(rs []*Report) ([]*Report, error) {
	out := make([]*Report, len(rs))
	for i, r := range rs {
		c, err := canonical(r)
		if err != nil {
			return nil, err
		}
		name := c.Scenario.Name
		taken := func(o *Report) bool { return o.Scenario.Name == name }
		for n := 2; slices.ContainsFunc(out[:i], taken); n++ {
			name = fmt.Sprintf("%s #%d", c.Scenario.Name, n)
		}
		c.Scenario.Name = name
		out[i] = c
	}
	return out, nil
}
