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
	Links    *Links   // of the trace's requests
	Clients  *Clients // nil: the trace names none
	Length   time.Duration
	// Prefix is the share of the prompts' tokens that prompts before them had; 0 where the
	// format does not tell.
	Prefix float64
}

// New fits a trace. The result is a function of the trace alone. The error wraps [ErrRows] if the requests
// are faster than a workload's can be.
func New(t *Trace) (*Fit, error) {
	a, err := FitArrivals(t.Instants(), t.Length)
	if err != nil {
		return nil, fmt.Errorf("fitting arrivals: %w", err)
	}
	links := Link(t)
	f := &Fit{Arrivals: a, Kinds: FitKinds(t.Rows, links), Links: links, Clients: FitClients(t.Rows)}
	f.Length = (t.Length + time.Millisecond - 1).Truncate(time.Millisecond)
	if a.Tick > 0 { // whole ticks, so that the last one is simulated too
		f.Length = (t.Rows[len(t.Rows)-1].At+a.Tick/2)/a.Tick*a.Tick + a.Tick
	}
	if t.Length <= MaxLength {
		f.Length = min(f.Length, MaxLength) // rounding must not make it longer
	}
	f.Prefix = known(t.Rows, 1)
	return f, nil
}

// known is the share of the prompts' tokens that is known from before, told in grains.
func known(rows []workload.TraceRow, grain int64) float64 {
	in, prefix := 0.0, 0.0
	for i := range rows {
		in += float64(rows[i].In)
		prefix += float64(rows[i].Prefix / grain * grain)
	}
	if in == 0 {
		return 0
	}
	return prefix / in
}

// Config returns the fit as a workload: one stream of the kinds, by their share of the sessions.
func (f *Fit) Config(seed uint64) (workload.Config, error) {
	stream := f.Arrivals.Stream()
	stream.Mix = &workload.Mix{}
	c := workload.Config{Seed: seed, Duration: f.Length}
	for i := range f.Kinds {
		k := &f.Kinds[i]
		p, err := k.profile()
		if err != nil {
			return c, fmt.Errorf("lengths of %s: %w", k.Name, err)
		}
		c.Profiles = append(c.Profiles, p)
		stream.Mix.Profiles = append(stream.Mix.Profiles, workload.Weighted{Profile: i, Weight: float64(k.Weight)})
		if len(k.Rounds.Values) == 0 {
			continue
		}
		rounds, err := k.Rounds.Dist()
		if err != nil {
			return c, fmt.Errorf("rounds of %s: %w", k.Name, err)
		}
		stream.Sessions = append(stream.Sessions, workload.Session{Profile: i, Rounds: rounds})
	}
	c.Streams = []workload.Stream{stream}
	return c, nil
}

// profile returns the kind as a profile.
func (k *Kind) profile() (workload.Profile, error) {
	p := workload.Profile{Name: k.Name}
	if len(k.Rounds.Values) > 0 {
		p.MaxContext = k.MaxIn
	}
	for _, d := range []struct {
		of *workload.Dist
		by Lengths
		in float64 // of the unit
	}{{&p.Context, k.In, 1}, {&p.Output, k.Out, 1}, {&p.SharedPrefix, k.Shared, 1}, {&p.Growth, k.Growth, 1}, {&p.Interval, k.Gap, 1e-3}} {
		if len(d.by.Values) == 0 {
			continue
		}
		var err error
		if *d.of, err = d.by.times(d.in); err != nil {
			return p, err
		}
	}
	return p, nil
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
		rows = append(rows, workload.TraceRow{
			At: d.Intended, In: d.In, Out: d.Out, Prefix: d.Prefix, Model: f.Kinds[d.Profile].Name, Conversation: uint64(d.Task) + 1,
		})
	}
	return rows, w.Err()
}
