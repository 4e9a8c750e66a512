package report

import (
	"bytes"
	"fmt"
	"io"
	"math"

	hdr "github.com/HdrHistogram/hdrhistogram-go"
)

// RenderHlog writes the latency distributions of reports as an HdrHistogram log, version 1.3: a
// line for each row of the report that holds a histogram, over the whole run, tagged
//
//	scenario/variant/group/metric      smoke/base/profile=notes/total
//
// with names as tokens. Values are microseconds, as in the report, so that the histograms are
// its very own; for HistogramLogProcessor -outputValueUnitRatio 1000 makes milliseconds of them. The
// column Interval_Max is in seconds: the format's usual factor of a million is from
// nanoseconds to milliseconds. Latencies are those of successes.
func RenderHlog(w io.Writer, rs []*Report) error {
	rs, err := figuresOf(rs)
	if err != nil {
		return err
	}
	var b bytes.Buffer // the library ignores short writes
	if err := writeHlog(hdr.NewHistogramLogWriter(&b), rs); err != nil {
		return fmt.Errorf("writing a histogram log: %w", err)
	}
	if _, err := w.Write(b.Bytes()); err != nil {
		return fmt.Errorf("writing a histogram log: %w", err)
	}
	return nil
}

func writeHlog(out *hdr.HistogramLogWriter, rs []*Report) error {
	for _, head := range []func() error{
		func() error {
			return out.OutputComment("[Latencies of successes by simload, in microseconds; Interval_Max in seconds]")
		},
		out.OutputLogFormatVersion,
		func() error { return out.OutputStartTime(0) },
		out.OutputLegend,
	} {
		if err := head(); err != nil {
			return err
		}
	}
	for _, r := range rs {
		for i := range r.Variants {
			v := &r.Variants[i]
			for j := range v.Latency {
				if err := writeHlogRow(out, r, v, &v.Latency[j]); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// writeHlogRow writes one distribution; a row without a histogram is left out, and one with
// a histogram that cannot be read is named in a comment.
func writeHlogRow(out *hdr.HistogramLogWriter, r *Report, v *Variant, l *Latency) error {
	if l.HDR == "" || l.Count == 0 {
		return nil
	}
	h, err := hdr.Decode([]byte(l.HDR))
	if err != nil {
		return out.OutputComment(fmt.Sprintf("[%s: its histogram cannot be read]", hlogTag(r, v, l)))
	}
	h.SetTag(hlogTag(r, v, l))
	h.SetStartTimeMs(0)
	if d := float64(r.Scenario.DurationS); d > 0 && d < math.MaxInt32 {
		h.SetEndTimeMs(int64(d * 1000))
	}
	return out.OutputIntervalHistogram(h)
}

// hlogTag names a distribution. It holds none of the comma, space and line break that a tag
// may not have, wherever in it: the library looks for them in its middle only.
func hlogTag(r *Report, v *Variant, l *Latency) string {
	return fmt.Sprintf("%s/%s/%s/%s", token(r.Scenario.Name), token(v.Name), hlogGroup(l.By), token(l.Metric))
}

// hlogGroup names the group by all that it is selected by, but for the class of a
// profile, which has only one.
func hlogGroup(by By) string {
	switch {
	case by.Profile != "":
		return groupName(by)
	case by.Model != "" && by.Key != "":
		return "model=" + token(by.Model) + "+key=" + token(by.Key)
	case by.Model != "":
		return "model=" + token(by.Model)
	case by.Key != "":
		return "key=" + token(by.Key)
	case by.Class != "":
		return "class=" + token(by.Class)
	}
	return groupName(by)
}
