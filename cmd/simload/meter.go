package main

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/seed-4fd17b57/simload/sim"
	"github.com/seed-4fd17b57/simload/sim/scenario"
)

const (
	meterDelay  = 300 * time.Millisecond // before the first drawing: short runs need none
	meterRedraw = 100 * time.Millisecond // at most 10 drawings per second
	meterLog    = 5 * time.Second        // between lines where nothing can be redrawn
	meterBarMin = 10                     // columns
	meterBarMax = 30
)

// meter draws the progress of a run on stderr: one line that is redrawn on a
// terminal, else a plain line every five seconds. It is for one goroutine at a
// time, as package sim calls it.
type meter struct {
	w      io.Writer
	now    func() time.Time
	screen screen

	start time.Time
	next  time.Time // of the next drawing
	drawn bool      // a line stands on the terminal
}

func newMeter(w io.Writer, now func() time.Time, s screen) *meter {
	m := &meter{w: w, now: now, screen: s, start: now()}
	m.next = m.start.Add(meterLog)
	if s.live {
		m.next = m.start.Add(meterDelay)
	}
	return m
}

// update draws when it is time.
func (m *meter) update(p sim.Progress) {
	m.draw(func(wall time.Duration) string { return m.line(p, wall) })
}

// step draws, when it is time, how far something is that is counted.
func (m *meter) step(what string, done, all int) {
	m.draw(func(time.Duration) string {
		line := fmt.Sprintf("%3d %%  %s %d of %d", 100*done/max(1, all), what, done, all)
		if !m.screen.live {
			return line
		}
		return line[:min(len(line), max(m.screen.widthStderr-1, 0))] // the last column would wrap
	})
}

// draw draws a line when it is time.
func (m *meter) draw(of func(wall time.Duration) string) {
	t := m.now()
	if t.Before(m.next) {
		return
	}
	line := of(t.Sub(m.start))
	if m.screen.live {
		m.next = t.Add(meterRedraw)
		fmt.Fprintf(m.w, "\r%s\x1b[K", line)
		m.drawn = true
		return
	}
	m.next = t.Add(meterLog)
	fmt.Fprintln(m.w, line)
}

// erase removes the line from the terminal.
func (m *meter) erase() {
	if m.drawn {
		fmt.Fprint(m.w, "\r\x1b[K")
		m.drawn = false
	}
}

// line is the progress as text, cut to the terminal.
func (m *meter) line(p sim.Progress, wall time.Duration) string {
	now, end := p.SimulatedDone, p.SimulatedFull
	share := 0.0
	if end > 0 {
		share = min(1, float64(now)/float64(end))
	}
	label := p.Scenario
	if p.Variant != "" && p.Variant != "base" {
		label += "/" + p.Variant
	}
	if p.Parts > 1 {
		label += fmt.Sprintf(" %d/%d", p.Part, p.Parts)
	}
	// Most important first; what does not fit is left out from the end.
	// Numbers are padded, so that the line does not dance.
	full := fmt.Sprintf("%.0f", end.Seconds())
	fields := []string{fmt.Sprintf("%3.0f %%", 100*share), fmt.Sprintf("%*.0f of %s s", len(full), now.Seconds(), full)}
	if now > 0 {
		fields = append(fields, fmt.Sprintf("%5.1f req/s", float64(p.Requests)/now.Seconds()))
	}
	if p.Attempts > 0 {
		fields = append(fields, fmt.Sprintf("429 %5.2f %%", 100*float64(p.HTTP429)/float64(p.Attempts)))
	}
	if share >= 1 && p.Pending > 0 {
		fields = append(fields, fmt.Sprintf("waiting for the last %d", p.Pending))
	} else if share > 0.01 {
		left := time.Duration(float64(wall) * (1 - share) / share)
		fields = append(fields, fmt.Sprintf("ETA %-5s", left.Round(time.Second)))
	}
	if p.Note != "" {
		fields = append(fields, p.Note)
	}
	fields = append(fields, label)
	if !m.screen.live {
		return strings.Join(fields, "  ")
	}
	return fit(fields, share, m.screen.widthStderr-1) // the last column would wrap
}

// fit joins the fields that fit into width, with a bar in front when there is room for one.
func fit(fields []string, share float64, width int) string {
	line := fields[0]
	for _, f := range fields[1:] {
		if len(line)+2+len(f)+meterBarMin+3 > width {
			break
		}
		line += "  " + f
	}
	if room := min(width-len(line)-3, meterBarMax); room >= meterBarMin {
		full := int(share * float64(room))
		line = "[" + strings.Repeat("=", full) + strings.Repeat(" ", room-full) + "] " + line
	}
	return line[:min(len(line), max(width, 0))]
}

// timing is the last line on stderr.
func timing(o *sim.Outcome, wall time.Duration) string {
	if o.Report != nil && o.Report.Scenario.Mode == scenario.ModeWall {
		return fmt.Sprintf("ran %ss on the wall clock (%d requests) in %.2fs", trimZeros(fmt.Sprintf("%.3f", o.Simulated.Seconds())), o.Requests, wall.Seconds())
	}
	return fmt.Sprintf("simulated %ss (%d requests, %s events) in %.2fs",
		trimZeros(fmt.Sprintf("%.3f", o.Simulated.Seconds())), o.Requests, short(o.Events), wall.Seconds())
}

// short writes a count with three or fewer digits before its unit: 950, 2.1k, 2.1M.
func short(n int64) string {
	for _, u := range []struct {
		size int64
		name string
	}{{1e9, "G"}, {1e6, "M"}, {1e3, "k"}} {
		if n >= u.size {
			return fmt.Sprintf("%.1f%s", float64(n)/float64(u.size), u.name)
		}
	}
	return fmt.Sprint(n)
}

func trimZeros(s string) string {
	return strings.TrimRight(strings.TrimRight(s, "0"), ".")
}
