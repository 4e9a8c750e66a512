package report

import (
	"fmt"
	"strings"
	"testing"

	hdr "github.com/HdrHistogram/hdrhistogram-go"
)

// Ensure the log holds the report's own histograms: the same counts and percentiles, and
// those that the report tells.
func TestHlogReadsBack(t *testing.T) {
	longTest(t)
	for _, r := range []*Report{recordedReport(t, 1), recordedReport(t, 3), nastyReport(t)} {
		got := readHlog(t, renderString(t, r, "hlog", Options{}))
		tags := map[string]bool{}
		at := 0
		for i := range r.Variants {
			for _, l := range r.Variants[i].Latency {
				if l.HDR == "" {
					continue
				}
				h := got[at]
				at++
				checkHlog(t, h, &l)
				if h.EndTimeMs() != int64(r.Scenario.DurationS*1000) || h.StartTimeMs() != 0 {
					t.Errorf("%s from %d to %d ms", h.Tag(), h.StartTimeMs(), h.EndTimeMs())
				}
				if tags[h.Tag()] || strings.ContainsAny(h.Tag(), ", \r\n\t") || len(h.Tag()) > 1000 {
					t.Errorf("tag %q", h.Tag())
				}
				tags[h.Tag()] = true
			}
		}
		if at != len(got) || at == 0 {
			t.Errorf("%d histograms, want %d", len(got), at)
		}
	}
}

func checkHlog(t *testing.T, h *hdr.Histogram, l *Latency) {
	t.Helper()
	own, err := hdr.Decode([]byte(l.HDR))
	if err != nil {
		t.Fatal(err)
	}
	if h.TotalCount() != l.Count {
		t.Errorf("%s counts %d, the report %d", h.Tag(), h.TotalCount(), l.Count)
	}
	for _, p := range []float64{0, 1, 10, 25, 50, 75, 90, 95, 99, 99.9, 99.99, 100} {
		if a, b := h.ValueAtPercentile(p), own.ValueAtPercentile(p); a != b {
			t.Errorf("%s p%g is %d, of the report's histogram %d", h.Tag(), p, a, b)
		}
	}
	for _, p := range percentilePoints {
		// The report tells no latency beyond the exact maximum, which a histogram does not know.
		ms := min(float64(h.ValueAtPercentile(p.percent))/1000, float64(l.MaxMS))
		if told := float64(p.of(l)); ms != told && (ms-told)/told > 1e-5 {
			t.Errorf("%s %s is %v ms, the report says %v", h.Tag(), p.name, ms, told)
		}
	}
}

func TestHlogColumns(t *testing.T) {
	r := recordedReport(t, 1)
	all := &r.Variants[0].Latency[0]
	h, err := hdr.Decode([]byte(all.HDR))
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(renderString(t, r, "hlog", Options{}), "\n")
	if !strings.Contains(lines[0], "microseconds; Interval_Max in seconds") || lines[1] != "#[Histogram log format version 1.3]" {
		t.Errorf("head %q", lines[:2])
	}
	cells := strings.Split(lines[4], ",")
	if cells[0] != "Tag=2000-agents/base/all/total" || cells[1] != "0.000000" || cells[2] != "600.000000" {
		t.Errorf("columns %q", cells[:4])
	}
	if want := fmt.Sprintf("%.6f", float64(h.Max())/1e6); cells[3] != want {
		t.Errorf("Interval_Max %s, want %s s", cells[3], want)
	}
}

// Ensure a histogram that cannot be read is named and harms no other.
func TestHlogNamesWhatItCannotRead(t *testing.T) {
	r := recordedReport(t, 1)
	whole := len(readHlog(t, renderString(t, r, "hlog", Options{})))
	r.Variants[0].Latency[0].HDR = "HISTF"
	got := renderString(t, r, "hlog", Options{})
	if !strings.Contains(got, "#[2000-agents/base/all/total: its histogram cannot be read]\n") || len(readHlog(t, got)) != whole-1 {
		t.Errorf("%d of %d histograms: %.600s", len(readHlog(t, got)), whole, got)
	}
}
