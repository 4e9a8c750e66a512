package main

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/seed-4fd17b57/simload/report"
)

// Ensure every format has an extension of its own and a row in the README.
func TestEveryFormatHasAnExtension(t *testing.T) {
	readme, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	ext := map[string]string{}
	for _, e := range extensions {
		if ext[e.format] != "" {
			t.Errorf("%s has %s and %s", e.format, ext[e.format], e.ext)
		}
		ext[e.format] = e.ext
		if got, err := formatOf("dir.json/r"+strings.ToUpper(e.ext), report.Formats()); err != nil || got != e.format {
			t.Errorf("%s asks for %q, %v; want %s", e.ext, got, err, e.format)
		}
	}
	for _, f := range report.Formats() {
		if row := fmt.Sprintf("| `%s` | `%s` |", f, ext[f]); !strings.Contains(string(readme), row) {
			t.Errorf("the README has no row %s", row)
		}
	}
	if len(ext) != len(report.Formats()) {
		t.Errorf("%d formats have extensions, of %d", len(ext), len(report.Formats()))
	}
	for _, path := range []string{"r", "r.pdf", "json", "-"} {
		if got, err := formatOf(path, report.Formats()); err == nil {
			t.Errorf("%s asks for %s", path, got)
		}
	}
}
