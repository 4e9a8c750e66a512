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

type renderer struct {
	name   string
	render func(io.Writer, *Report, Options) error
}

// renderers by name. A new output is a file of its own and a line here.
var renderers = []renderer{
	{"table", RenderTable},
	{"markdown", func(w io.Writer, r *Report, _ Options) error { return RenderMarkdown(w, r) }},
	{"json", func(w io.Writer, r *Report, _ Options) error { return RenderJSON(w, r) }},
	{"html", func(w io.Writer, r *Report, _ Options) error { return RenderHTML(w, r) }},
}

// joined are the formats in which several reports are one document, and not one after another.
var joined = map[string]func(io.Writer, []*Report) error{"html": RenderHTMLPage}

// Register adds a format that not every program links, such as pictures. Several reports are one document
// in it. Call it before anything is rendered, and with a name that is new.
func Register(name string, render func(io.Writer, []*Report) error) {
	joined[name] = render
	renderers = append(renderers, renderer{name, func(w io.Writer, r *Report, _ Options) error { return render(w, []*Report{r}) }})
}

// Joins reports whether several reports are one document in the format, which RenderJoined writes.
func Joins(format string) bool { return joined[format] != nil }

// RenderJoined writes several reports as one document, in a format that Joins.
func RenderJoined(w io.Writer, rs []*Report, format string) error { return joined[format](w, rs) }

// Formats returns the names that Render knows.
func Formats() []string {
	out := make([]string, len(renderers))
	for i := range renderers {
		out[i] = renderers[i].name
	}
	return out
}

// Render writes a report in one of Formats.
func Render(w io.Writer, r *Report, format string, opt Options) error {
	i := slices.Index(Formats(), format)
	if i < 0 {
		err := fmt.Errorf("format %q is not one of %s", shorten(format, 40), strings.Join(Formats(), ", "))
		if hint := didYouMean(format, Formats()); hint != "" {
			err = fmt.Errorf("%w; %s", err, hint)
		}
		return err
	}
	return renderers[i].render(w, r, opt)
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
