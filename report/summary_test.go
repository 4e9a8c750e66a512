package report

import (
	"bytes"
	"strings"
	"testing"
)

func summaryString(t *testing.T, limit int, rs ...*Report) string {
	t.Helper()
	var b bytes.Buffer
	if err := RenderSummary(&b, rs, limit); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// Ensure a summary is the Markdown report where there is room, and never larger than that.
func TestSummaryFits(t *testing.T) {
	longTest(t)
	const said = "The rest is left out"
	for _, f := range fixtures {
		r := f.build(t)
		whole := renderString(t, r, "markdown", Options{})
		if got := summaryString(t, 1<<20, r); got != whole {
			t.Errorf("%s: %s", f.name, firstDifference(got, whole))
		}
		for limit := 0; limit < len(whole)+100; limit += 61 + len(whole)/23 {
			got := summaryString(t, limit, r)
			switch body, _, cut := strings.Cut(got, "\n_"+said); {
			case len(got) > limit:
				t.Errorf("%s: %d bytes, at most %d", f.name, len(got), limit)
			case got != "" && got != whole && !cut:
				t.Errorf("%s at %d: it does not say that it was cut: %.80q", f.name, limit, got)
			case cut && (!strings.HasPrefix(whole, body) || !strings.HasSuffix(body, "\n")):
				t.Errorf("%s at %d: not cut at the end of a section", f.name, limit)
			}
		}
	}
}

func TestSummaryOfSeveral(t *testing.T) {
	a, b := passFixture(t), failFixture(t)
	whole := summaryString(t, 1<<20, a, b)
	if !strings.Contains(whole, "# 2000-agents\n") || !strings.Contains(whole, "\n\n# 2000-agents \\#2\n") {
		t.Errorf("%.300s", whole)
	}
	for limit := len(whole) / 2; limit < len(whole)/2+300; limit += 7 {
		if got := summaryString(t, limit, a, b); len(got) > limit {
			t.Errorf("%d bytes, at most %d", len(got), limit)
		}
	}
	first := len(renderString(t, a, "markdown", Options{}))
	if got := summaryString(t, first+300, a, b); !strings.HasPrefix(whole, got[:first]) || !strings.Contains(got, "left out") {
		t.Errorf("%q", got[first-20:])
	}
}
