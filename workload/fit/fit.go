package fit

import (
	"fmt"
	"time"

	"github.com/seed-4fd17b57/simload/workload"
)

// Fit is the demand of a trace as a workload can draw it.
type Fit struct {
	Arrivals Arrivals
	Kinds    []Kind
	Sessions *Sessions // nil: the trace names none
	Length   time.Duration
	// Prefix is the share of the prompts' tokens that prompts before them had; NaN-free: 0
	// where the format does not tell.
	Prefix float64
}

// New fits a trace. The result is a function of the trace alone.
func New(t *Trace) (*Fit, error) {
	a, err := FitArrivals(t.Instants(), t.Length)
	if err != nil {
		return nil, fmt.Errorf("fitting arrivals: %w", err)
	}
	f := &Fit{Arrivals: a, Kinds: FitKinds(t.Rows), Sessions: FitSessions(t.Rows), Length: t.Length.Truncate(time.Millisecond) + time.Millisecond}
	if a.Tick > 0 { // whole ticks, so that the last one is simulated too
		f.Length = (t.Rows[len(t.Rows)-1].At+a.Tick/2)/a.Tick*a.Tick + a.Tick
	}
	in, prefix := 0.0, 0.0
	for i := range t.Rows {
		in += float64(t.Rows[i].In)
		prefix += float64(t.Rows[i].Prefix)
	}
	if in > 0 {
		f.Prefix = prefix / in
	}
	return f, nil
}

// Config returns the fit as a workload: one stream of the kinds, by their share.
func (f *Fit) Config(seed uint64) (workload.Config, error) {
	stream := f.Arrivals.Stream()
	stream.Mix = &workload.Mix{}
	c := workload.Config{Seed: seed, Duration: f.Length}
	for i, k := range f.Kinds {
		in, err := k.In.Dist()
		if err != nil {
			return c, fmt.Errorf("prompts of %s: %w", k.Name, err)
		}
		out, err := k.Out.Dist()
		if err != nil {
			return c, fmt.Errorf("answers of %s: %w", k.Name, err)
		}
		c.Profiles = append(c.Profiles, workload.Profile{Name: k.Name, Context: in, Output: out})
		stream.Mix.Profiles = append(stream.Mix.Profiles, workload.Weighted{Profile: i, Weight: float64(k.Requests)})
	}
	c.Streams = []workload.Stream{stream}
	return c, nil
}

// Draw returns the requests of one run of the fit, in the form of a trace.
func (f *Fit) Draw(seed uint64) ([]workload.TraceRow, error) {
	c, err := f.Config(seed)
	if err != nil {
		return nil, err
	}
	w, err := workload.New(c)
	if err != nil {
		return nil, err
	}
	var rows []workload.TraceRow
	for d, ok := w.Next(0); ok; d, ok = w.Next(0) {
		rows = append(rows, workload.TraceRow{At: d.Intended, In: d.In, Out: d.Out, Model: f.Kinds[d.Profile].Name})
	}
	return rows, w.Err()
}
