package report

import (
	"bytes"
	"strings"
	"testing"
)

// Ensure a document is set as reports are: names cannot break lines, and a table of numbers that is too wide is cut.
func TestTitledDocument(t *testing.T) {
	var d Document
	d.Facts("", "name", "first fact", "bad\nfact")
	d.Lines("Label", "a paragraph", "a second\x1b[31m")
	d.Heading("Part", "of it")
	cols := []TableColumn{{Head: "a"}}
	row := []string{"1"}
	for range 12 {
		cols, row = append(cols, TableColumn{Head: "some column"}), append(row, "22")
	}
	d.Table("Numbers", "aside", cols, [][]string{row})
	d.Table("Empty", "", cols, nil)
	d.Command("Run", "simload", "plan", "--vary", "x=1..2")
	var table, md bytes.Buffer
	if err := d.RenderTable(&table, Options{Width: 60}); err != nil {
		t.Fatal(err)
	}
	if err := d.RenderTitled(&md); err != nil {
		t.Fatal(err)
	}
	for _, out := range []string{table.String(), md.String()} {
		if strings.Contains(out, "\x1b") || strings.Contains(out, "bad\nfact") || strings.Contains(out, "Empty") {
			t.Errorf("not clean: %q", out)
		}
	}
	for _, line := range strings.Split(table.String(), "\n") {
		if len(line) > 60 {
			t.Errorf("%d columns: %q", len(line), line)
		}
	}
	if n := strings.Count(table.String(), "some column"); n != 12 {
		t.Errorf("%d of 12 columns are there", n)
	}
	if !strings.HasPrefix(md.String(), "# name\n") || !strings.Contains(md.String(), "### Numbers") {
		t.Errorf("Markdown %q", md.String())
	}
}

func TestFormMargin(t *testing.T) {
	for in, want := range map[float64]string{.204: "+20.4 %", -.5: "-50.0 %", 0: "0 %"} {
		if got := strings.ReplaceAll(FormMargin(in), thin, " "); got != want {
			t.Errorf("%v: %q, want %q", in, got, want)
		}
	}
}
