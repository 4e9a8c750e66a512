package page

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/seed-4fd17b57/simload/report"
	"github.com/seed-4fd17b57/simload/sim/plan"
)

// Formats returns the names that [Render] knows.
func Formats() []string { return []string{"table", "markdown", "json", "html"} }

// Render writes a planning report in one of [Formats].
func Render(w io.Writer, r *plan.Report, format string, opt report.Options) error {
	switch format {
	case "table":
		return renderTable(w, r, opt)
	case "markdown":
		d := document(r)
		d.Command(reproduce, command(r)...)
		return d.RenderTitled(w)
	case "json":
		return renderJSON(w, r)
	case "html":
		return renderHTML(w, r)
	}
	return fmt.Errorf("format %q is not one of %s", format, strings.Join(Formats(), ", "))
}

const reproduce = "Reproduce"

// renderTable writes the tables, and a command that can be copied: where a word of it is longer than a line, which a document would shorten,
// it stands on a line of its own, for the terminal to break.
func renderTable(w io.Writer, r *plan.Report, opt report.Options) error {
	d, words := document(r), command(r)
	if longest(words) <= cmp.Or(max(opt.Width, 0), 80)-commandMargin {
		d.Command(reproduce, words...)
		return d.RenderTable(w, opt)
	}
	if err := d.RenderTable(w, opt); err != nil {
		return err
	}
	whole := strings.Join(words, " ")
	if _, err := fmt.Fprintf(w, "%s\n  %s\n", reproduce, report.Clean(whole, 8*len(whole))); err != nil {
		return fmt.Errorf("writing the command: %w", err)
	}
	return nil
}

// commandMargin is what of a document's line is no room for a command.
const commandMargin = 16

// longest is the length in bytes, columns at most, of the longest word of a command, or flag with its value.
func longest(words []string) int {
	n := 0
	for i, word := range words {
		n = max(n, len(word))
		if i > 0 && strings.HasPrefix(words[i-1], "--") {
			n = max(n, len(words[i-1])+1+len(word))
		}
	}
	return n
}

func renderJSON(w io.Writer, r *plan.Report) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(r); err != nil {
		return fmt.Errorf("writing a planning report: %w", err)
	}
	return nil
}
