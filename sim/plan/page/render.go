package page

import (
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
		return document(r).RenderTable(w, opt)
	case "markdown":
		return document(r).RenderTitled(w)
	case "json":
		return renderJSON(w, r)
	case "html":
		return renderHTML(w, r)
	}
	return fmt.Errorf("format %q is not one of %s", format, strings.Join(Formats(), ", "))
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
