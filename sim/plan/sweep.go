package plan

import (
	"errors"
	"fmt"
	"time"

	"github.com/seed-4fd17b57/simload/sim"
)

// ErrStopped is the result of a run that was interrupted.
var ErrStopped = errors.New("interrupted")

// sweep carries out the runs of a plan.
type sweep struct {
	*Plan
	Session
	points   map[string]*Point // by variant and label, those that all runs are there of; asked, never walked
	order    []*Point          // the same, in the order in which they were wanted
	exec     func(run) result  // carries out one run; tests put another in its place
	progress sim.Progress
	now      phase   // under way
	ahead    []phase // after it
	later    int     // runs of those
	done     float64 // runs that were made, each as much as its phase says
	reps     int     // replications of the points that are wanted now
	runs     int     // of this report, whoever ran them
}

func newSweep(p *Plan, s Session) *sweep {
	if s.Journal == nil {
		s.Journal = &Journal{}
	}
	w := &sweep{Plan: p, Session: s, points: make(map[string]*Point), reps: p.cfg.Reps}
	w.exec = w.execute
	w.progress.Scenario = p.sc.Name()
	w.progress.End = time.Duration(p.sc.Spec.Duration)
	return w
}

// cell is a point to be run for a variant.
type cell struct {
	point   *point
	subject *subject
}

// evaluate runs every replication of the cells that is not there yet, on all processors, and returns their points in
// order. After an interruption the error is ErrStopped, and points are incomplete.
func (w *sweep) evaluate(cells []cell) ([]*Point, error) {
	var todo []run
	resumed := 0
	wanted := make(map[string]bool) // asked, never walked
	for _, c := range cells {
		for rep := range w.reps {
			r := run{c.point, c.subject, rep}
			if _, ok := w.Journal.find(r); ok {
				resumed++
				continue
			}
			if key := sampleKey(c.point.label, c.subject.name, rep); !wanted[key] {
				wanted[key], todo = true, append(todo, r)
			}
		}
	}
	w.expect(len(todo), resumed)
	err := w.carryOut(todo)
	out := make([]*Point, len(cells))
	for i, c := range cells {
		out[i] = w.point(c)
	}
	return out, err
}

// result is what a run gave.
type result struct {
	sample Sample
	err    error
}

func (w *sweep) carryOut(todo []run) error {
	var failed error
	first := len(todo)
	w.spread(todo, func(i int, r result) {
		switch {
		case r.err == nil:
			w.Journal.add(r.sample)
			w.tell(&r.sample)
		case i < first: // of several errors the first in order, whoever came first
			first, failed = i, r.err
		}
	})
	if w.stopped() && (failed == nil || errors.Is(failed, ErrStopped)) {
		return ErrStopped
	}
	if failed == nil {
		failed = w.Journal.err
	}
	return failed
}

// spread has runs carried out, here or by the session's executor.
func (w *sweep) spread(todo []run, done func(i int, r result)) {
	if w.Execute != nil {
		units := make([]Unit, len(todo))
		for i, r := range todo {
			units[i] = w.unit(r)
		}
		w.Execute(units, func(i int, s Sample, err error) {
			if err == nil {
				err = w.answers(&units[i], &s)
			}
			done(i, result{s, err})
		})
		return
	}
	sim.Sweep(len(todo), func(i int) result {
		if w.stopped() {
			return result{err: ErrStopped}
		}
		return w.exec(todo[i])
	}, done)
}

// answers says why a result that came from elsewhere is not that of a unit, if so.
func (w *sweep) answers(u *Unit, s *Sample) error {
	err := w.made(s)
	if err == nil && (s.Point != u.Point || s.Variant != u.Variant || s.Rep != u.Rep) {
		err = fmt.Errorf("it is of %s, variant %s, replication %d", s.Point, s.Variant, s.Rep)
	}
	if err != nil {
		return fmt.Errorf("the result of %s, variant %s, replication %d: %w", u.Point, u.Variant, u.Rep, err)
	}
	return nil
}

func (w *sweep) stopped() bool { return w.Stop != nil && w.Stop.Load() }

// execute carries out one run.
func (w *sweep) execute(r run) result {
	v, err := variantOf(r.point, r.subject)
	if err != nil {
		return result{err: w.misfit(err)}
	}
	u := w.unit(r)
	s, err := u.run(v, r.subject.objectives, w.Stop)
	return result{s, err}
}

// tell passes on how far the plan is.
func (w *sweep) tell(s *Sample) {
	p := &w.progress
	p.Part++
	p.Parts = max(p.Parts, p.Part)
	w.done += w.now.each
	p.Requests += s.Requests
	p.Attempts += s.Attempts
	p.HTTP429 += s.HTTP429
	p.Events += s.Events
	p.SimulatedDone += p.End
	p.Now = p.End
	p.SimulatedFull = p.End * time.Duration(p.Parts)
	p.Share = w.share()
	if w.Progress != nil {
		w.Progress(*p)
	}
}

// point describes a cell by the runs that are there of it.
func (w *sweep) point(c cell) *Point {
	key := sampleKey(c.point.label, c.subject.name, 0)
	if p, ok := w.points[key]; ok {
		return p
	}
	var samples []Sample
	for rep := range w.reps {
		if s, ok := w.Journal.find(run{c.point, c.subject, rep}); ok {
			samples = append(samples, s)
		}
	}
	p := w.describe(c, samples)
	if len(samples) == w.reps {
		w.points[key] = p
		w.order = append(w.order, p)
		w.runs += len(samples)
	}
	return p
}
