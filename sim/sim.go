package sim

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"sync/atomic"
	"time"

	"github.com/seed-4fd17b57/simload/report"
	"github.com/seed-4fd17b57/simload/sim/scenario"
)

// Options says how to run a scenario.
type Options struct {
	// Seed overrides the scenario's when not nil.
	Seed *uint64
	// Reps is the number of replications of each variant, each with a seed of its own
	// made from the scenario's; 0 is 1.
	Reps int
	// Events receives every request's life as JSON lines; nil: none. With several
	// variants or replications only the first run is written.
	Events io.Writer
	// Progress is told how far the run is, every few thousand events. It is never
	// called by two goroutines at once, and should return quickly.
	Progress func(Progress)
	// Stop ends the run when set; what was measured is reported as partial.
	Stop *atomic.Bool
	// AbortOnFail ends the run when an expectation can no longer hold.
	AbortOnFail bool
	// Mode is "virtual" or "wall"; "": the scenario's.
	Mode string
	// Wire sends every attempt of a virtual run through the codecs of HTTP. The report is the same.
	Wire bool
	// Wall says what a run on the wall clock talks to.
	Wall WallOptions
	// Tool is written into the report.
	Tool report.Tool
}

// Progress says how far a scenario is. Counts are sums over the runs so far.
type Progress struct {
	Scenario, Variant            string
	Part, Parts                  int // runs begun, and runs in all: variants times replications
	Now, End                     time.Duration
	Requests, Attempts, HTTP429  int64
	Events                       int64
	Pending                      int64         // requests of the present run that have not ended
	SimulatedDone, SimulatedFull time.Duration // over all runs
	Note                         string        // about who carries them out, where that is not this machine
	// Share of the work that is done, where runs are not all as long; 0: that of the simulated time.
	Share float64
}

// Outcome is the result of a scenario.
type Outcome struct {
	Report      *report.Report
	Interrupted bool
	Requests    int64
	Events      int64
	Simulated   time.Duration // demand of all runs
}

// Run runs a scenario: each variant Reps times, on as many processors as there are.
// The report does not depend on their number. Errors are those of building the
// configuration (scenario.Errors) and of reading traces and writing events.
//
// It is [NewExperiment], [RunParts] of all tasks and [Experiment.Assemble], which may as well take place in different
// processes.
func Run(sc *scenario.Scenario, o Options) (*Outcome, error) {
	tasks := tasksOf(variantNames(sc), o.seed(sc), o.Reps)
	parts, err := RunParts(sc, o, tasks)
	if err != nil {
		return nil, err
	}
	e, err := NewExperiment(sc, o)
	if err != nil {
		return nil, err
	}
	return e.Assemble(parts, o.stopped())
}

// stopped reports whether the caller has ended the runs.
func (o *Options) stopped() bool { return o.Stop != nil && o.Stop.Load() }

// task is a run that can begin.
type task struct {
	Task
	set *scenario.Built
}

// RunPart carries out one run of an experiment (see [Experiment.Tasks]), on the caller's goroutine. The part is nil if
// Options.Stop was set before it began. Errors are those of [Run].
func RunPart(sc *scenario.Scenario, o Options, t Task) (*Part, error) {
	parts, err := RunParts(sc, o, []Task{t})
	if err != nil || len(parts) == 0 {
		return nil, err
	}
	return parts[0], nil
}

// RunParts carries out some runs of an experiment, on as many processors as there are, and returns those that began, in
// the order of the tasks. Options.Events receives the life of the experiment's first run alone, if that is among them.
// Errors are those of [Run].
func RunParts(sc *scenario.Scenario, o Options, list []Task) ([]*Part, error) {
	if err := checkRedis(sc, &o); err != nil {
		return nil, err
	}
	tasks, expects, err := build(sc, list)
	if err != nil {
		return nil, err
	}
	m := &meter{tell: o.Progress, scenario: sc.Name(), tasks: tasks}
	g := newGuard(expects, &o)
	mode := o.Clock(sc)
	each := inParallel
	if mode == scenario.ModeWall {
		if err := checkStores(tasks, &o.Wall); err != nil {
			return nil, err
		}
		each = inTurn // at once they would be in each other's way
	}
	parts, errs := make([]*Part, len(tasks)), make([]error, len(tasks))
	each(len(tasks), func(i int) {
		if !g.stopped() {
			parts[i], errs[i] = tasks[i].execute(mode, &o, m.watch(i), g)
		}
	})
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	return slices.DeleteFunc(parts, func(p *Part) bool { return p == nil }), nil
}

// Clock is the mode of the runs: the option, or the scenario's.
func (o *Options) Clock(sc *scenario.Scenario) string {
	if o.Mode == "" {
		return sc.Mode()
	}
	return o.Mode
}

// seed is that of the first replication: the option, or the scenario's.
func (o *Options) seed(sc *scenario.Scenario) uint64 {
	if o.Seed == nil {
		return sc.Seed()
	}
	return *o.Seed
}

// build makes tasks ready to begin, and returns the scenario's expectations.
func build(sc *scenario.Scenario, list []Task) ([]task, []report.Expect, error) {
	variants := make(map[string]*scenario.Variant) // asked, never walked
	for _, v := range sc.Variants() {
		variants[v.Name] = v
	}
	var tasks []task
	var expects []report.Expect
	for _, one := range list {
		v, ok := variants[one.Variant]
		if !ok {
			return nil, nil, fmt.Errorf("run %d: the scenario has no variant %q", one.Index, one.Variant)
		}
		t, err := newTask(v, one)
		if err != nil {
			return nil, nil, err
		}
		if len(tasks) == 0 {
			expects = t.set.Expect
		}
		tasks = append(tasks, t)
	}
	return tasks, expects, nil
}

// newTask is one run of a variant.
func newTask(v *scenario.Variant, t Task) (task, error) {
	built, err := v.Build(t.Seed)
	if err != nil {
		return task{}, err
	}
	built.Report.Name, built.Report.Seed = built.Name, t.Seed
	return task{t, built}, nil
}

// execute runs a task and closes its records.
func (t *task) execute(mode string, o *Options, observe func(*run), g *guard) (part *Part, err error) {
	r, err := t.open(mode, o)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, r.close()) }()
	r.stop = g.stopped
	r.observe = observe
	if len(g.limits) > 0 {
		r.counted = g.check
	}
	if t.Index == 0 && o.Events != nil {
		r.log = report.NewEventWriter(o.Events, &t.set.Report)
	}
	if r.wall != nil {
		err = r.executeWall()
	} else {
		err = r.execute()
	}
	if r.log != nil {
		err = errors.Join(err, r.log.Close())
	}
	if err = errors.Join(err, r.work.Close()); err != nil {
		return nil, fmt.Errorf("running %s: %w", t.Variant, err)
	}
	r.observe(r)
	r.rec.Close(r.closing())
	part = &Part{
		Task: t.Task, Requests: r.requests, Events: r.events, Simulated: min(r.now, t.set.Workload.Duration), rec: r.rec,
	}
	if r.halted {
		part.Ended = g.reason()
	}
	if r.wall != nil {
		part.Harness = r.wall.watch.harness()
	}
	return part, nil
}

// open makes the run of a task.
func (t *task) open(mode string, o *Options) (*run, error) {
	if mode == scenario.ModeWall {
		return newWall(t.set, &o.Wall)
	}
	r, err := newRun(t.set)
	if err == nil && o.Wire {
		r.wire = newWireLink(t.set, r.prov)
	}
	return r, err
}

// close gives back what a run on the wall clock holds.
func (r *run) close() error {
	if r.wall == nil {
		return nil
	}
	return r.wall.close()
}
