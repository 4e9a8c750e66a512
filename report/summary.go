package report

import (
	"bytes"
	"fmt"
	"io"
)

// RenderSummary writes reports as Markdown of at most limit bytes, for places that take no
// more. What does not fit is left out section by section from the end of each report, and a
// last line says so. Where not even the head fits, nothing is written.
func RenderSummary(w io.Writer, rs []*Report, limit int) error {
	rs, err := canonicals(rs)
	if err != nil {
		return err
	}
	const cut = "\n_The rest is left out: it would be larger than this page may be._\n"
	var out bytes.Buffer
	for i, r := range rs {
		if i > 0 {
			out.WriteByte('\n')
		}
		whole, err := summarise(&out, r, limit-len(cut)-1) // less the line between two
		if err != nil {
			return err
		}
		if !whole && out.Len() == 0 {
			return nil
		}
		if !whole {
			out.WriteString(cut)
			break
		}
	}
	if _, err := w.Write(out.Bytes()); err != nil {
		return fmt.Errorf("writing a summary: %w", err)
	}
	return nil
}

// summarise adds the sections of a report as long as all of it stays within room, and
// reports whether that were all.
func summarise(out *bytes.Buffer, r *Report, room int) (all bool, err error) {
	sections := page(r)
	for i := range sections {
		var b bytes.Buffer
		if err := writeMarkdown(&b, sections[i:i+1], i); err != nil {
			return false, err
		}
		if out.Len()+b.Len() > room {
			return false, nil
		}
		out.Write(b.Bytes())
	}
	return true, nil
}
