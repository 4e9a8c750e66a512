package workload

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"
)

// replay is where a trace stands before its coming row.
type replay struct {
	trace  Trace
	source int
	client uint32
	number uint64
	reader *TraceReader
	row    TraceRow // the coming row, if ready
	ready  bool
	done   bool

	pass    int           // from 0
	offset  time.Duration // of the pass, in the trace's time
	arrived int64         // rows of the pass
	last    time.Duration // instant of its last row
	past    TraceCounts   // of the passes before

	name    string // that was looked up last
	profile int    // what it is mapped to
	mapped  bool
	unknown int64 // rows with a name that is not mapped

	sessions sessionMap
}

func newReplay(t *Trace, source, client int) (replay, error) {
	reader, err := t.Open()
	if err != nil {
		return replay{}, err
	}
	r := replay{trace: *t, source: source, client: uint32(client), reader: reader, profile: t.Profile, mapped: true}
	r.trace.Models = slices.Clone(t.Models)
	if r.sessions, err = newSessionMap(t.Sessions, reader.Counts().Format); err != nil {
		return replay{}, errors.Join(fmt.Errorf("reading trace %s: %w", t.Path, err), reader.Close())
	}
	if r.row, r.ready = reader.Next(); !r.ready {
		return replay{}, errors.Join(r.empty(), reader.Close())
	}
	return r, nil
}

// empty says why there is no row.
func (r *replay) empty() error {
	if err := r.reader.Err(); err != nil {
		return err
	}
	c := r.reader.Counts()
	why := ""
	if c.Failed > 0 {
		why = fmt.Sprintf(", all %d failed when they were recorded", c.Failed)
	}
	if c.Skipped > 0 {
		why += fmt.Sprintf(", %d were skipped, the first for %s", c.Skipped, c.FirstSkipped)
	}
	return fmt.Errorf("reading trace %s: there is no row to replay%s", r.trace.Path, why)
}

func (w *Workload) nextOfReplay(r *replay) (Demand, bool) {
	at, client, ok := r.coming(w.duration)
	for ; ok && !w.share.hasArrival(w.share.byNumber(r.trace.Clients), client, r.number); at, client, ok = r.coming(w.duration) {
		w.profileOf(r) // what is not mapped is counted, whoever asks it
		r.step()
	}
	if !ok {
		return Demand{}, false
	}
	p := w.profileOf(r)
	d := Demand{
		Source: r.source, Client: client, Profile: p,
		Task: uint32(r.number), Op: uint32(r.number >> 32), Intended: at,
		In: r.row.In, Out: r.row.Out, Prefix: r.row.Prefix, Shared: r.row.Prefix > 0,
	}
	w.complete(&d, &w.profiles[p], w.dice.base(r.source), r.number)
	r.step()
	return d, true
}

// coming returns the instant of the coming row and which client asks it, false at the end.
func (r *replay) coming(duration time.Duration) (at time.Duration, client uint32, ok bool) {
	if !r.done && (r.ready || r.advance()) {
		at, ok = scale(r.offset, r.row.At, r.trace.Speed)
	}
	if !ok || at >= duration {
		r.done = true
		return 0, 0, false
	}
	turn := r.number
	if r.row.HasSession && !r.trace.ClientsInTurn {
		turn = r.row.Session
	}
	return at, r.client + uint32(turn%uint64(r.trace.Clients)), true
}

// step moves the replay behind its coming row.
func (r *replay) step() {
	r.number++
	r.arrived++
	r.last = r.row.At
	r.ready = false
}

// advance reads the coming row, of the next pass if this one is over.
func (r *replay) advance() bool {
	r.row, r.ready = r.reader.Next()
	if r.ready || r.reader.Err() != nil {
		return r.ready
	}
	r.pass++
	if r.arrived == 0 || r.trace.Loop >= 0 && r.pass >= r.trace.Loop {
		return false
	}
	if err := r.again(); err != nil {
		r.reader.fail(err)
		return false
	}
	return r.ready
}

// again starts a further pass.
func (r *replay) again() error {
	gap := time.Second
	if n := time.Duration(r.arrived - 1); n > 0 && r.last >= n {
		gap = r.last / n
	}
	if r.last > math.MaxInt64-gap-r.offset {
		return nil // beyond all time: the trace ends here
	}
	reader, err := r.trace.Open()
	if err != nil {
		return err
	}
	r.past = r.past.plus(r.reader.Counts())
	if err := r.reader.Close(); err != nil {
		return errors.Join(err, reader.Close())
	}
	r.reader, r.offset, r.arrived = reader, r.offset+r.last+gap, 0
	if r.row, r.ready = reader.Next(); !r.ready {
		return r.empty()
	}
	return nil
}

// profileOf returns the profile that the coming row's session or name is mapped to.
func (w *Workload) profileOf(r *replay) int {
	if p, ok := r.sessions.of(&r.row); ok {
		return p
	}
	if name := r.row.Model; name != r.name {
		r.name, r.mapped = name, true
		r.profile, r.mapped = w.lookUp(&r.trace, name)
	}
	if !r.mapped {
		r.unknown++
	}
	return r.profile
}

func (w *Workload) lookUp(t *Trace, name string) (profile int, mapped bool) {
	if name == "" {
		return t.Profile, true
	}
	for i := range t.Models {
		if matchName(t.Models[i].Match, name) {
			return t.Models[i].Profile, true
		}
	}
	for i := range w.profiles {
		if strings.EqualFold(w.profiles[i].Name, name) {
			return i, true
		}
	}
	return t.Profile, false
}

// TraceCounts returns what became of the rows of each trace so far, in the order of
// the configuration.
func (w *Workload) TraceCounts() []TraceCounts {
	var all []TraceCounts
	for i := range w.replays {
		r := &w.replays[i]
		c := r.past.plus(r.reader.Counts())
		c.Unmapped = r.unknown
		all = append(all, c)
	}
	return all
}

// plus adds the counts of a later pass.
func (c TraceCounts) plus(d TraceCounts) TraceCounts {
	first := c.FirstSkipped
	if c.Skipped == 0 {
		first = d.FirstSkipped
	}
	return TraceCounts{
		Name: d.Name, Path: d.Path, Format: d.Format, Passes: c.Passes + d.Passes,
		Rows: c.Rows + d.Rows, Failed: c.Failed + d.Failed, Skipped: c.Skipped + d.Skipped, FirstSkipped: first,
	}
}

// scale returns the instant at which a recorded one is replayed; false if it is
// beyond what a Duration holds.
func scale(offset, at time.Duration, speed float64) (time.Duration, bool) {
	if at > math.MaxInt64-offset {
		return 0, false
	}
	at += offset
	if speed == 1 {
		return at, true
	}
	ns := math.Round(float64(at) / speed)
	if ns >= math.MaxInt64 {
		return 0, false
	}
	return time.Duration(ns), true
}
