package sim

import (
	"errors"
	"fmt"
	"io"
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
}

// Outcome is the result of a scenario.
type Outcome struct {
	Report      *report.Report
	Interrupted bool
	Requests    int64
	Events      int64
	Simulated   time.Duration // demand of all runs
}

// task is one run of a scenario, and after it what is kept of it.
type task struct {
	variant int
	name    string // of the variant
	seed    uint64
	set     *scenario.Built
	rec     *report.Recorder // nil: it has not run
	harness *report.Harness  // of a run on the wall clock
	agents  int
	err     error

	requests, events int64
	simulated        time.Duration
}

// Run runs a scenario: each variant Reps times, on as many processors as there are.
// The report does not depend on their number. Errors are those of building the
// configuration (scenario.Errors) and of reading traces and writing events.
func Run(sc *scenario.Scenario, o Options) (*Outcome, error) {
	tasks, expects, err := plan(sc, o.seed(sc), max(1, o.Reps))
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
	each(len(tasks), func(i int) {
		t := &tasks[i]
		if !g.stopped() {
			t.err = t.execute(mode, &o, m.watch(i), g, i == 0)
		}
	})
	out := &Outcome{Interrupted: o.Stop != nil && o.Stop.Load()}
	for i := range tasks {
		t := &tasks[i]
		err = errors.Join(err, t.err)
		out.Requests += t.requests
		out.Events += t.events
		out.Simulated += t.simulated
	}
	if err != nil {
		return nil, err
	}
	out.Report, err = assemble(sc, tasks, &o)
	if err != nil {
		return nil, err
	}
	expects, untold := toldBy(o.Wall.Target, expects)
	report.Judge(out.Report, expects, out.Interrupted, invalid(out.Report))
	out.Report.Verdict.Reasons = append(out.Report.Verdict.Reasons, untold...)
	if why := g.reason(); why != "" {
		out.Report.Verdict.Reasons = append(out.Report.Verdict.Reasons, why)
	}
	return out, nil
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

// invalid says why the harness was the bottleneck, if it was.
func invalid(r *report.Report) []string {
	var list []string
	for i := range r.Variants {
		if h := r.Variants[i].Harness; h != nil {
			list = append(list, h.Reasons...)
		}
	}
	return list
}

// toldBy leaves out the expectations about what only an upstream of ours can tell, and says so.
func toldBy(target string, expects []report.Expect) (judged []report.Expect, untold []string) {
	if target == "" {
		return expects, nil
	}
	for _, e := range expects {
		if e.Num.Metric == "duplicate_writes" || e.Num.Metric == "early_retries" {
			untold = append(untold, "not judged: "+e.Text+" (the target keeps its own books)")
			continue
		}
		judged = append(judged, e)
	}
	return judged, untold
}

// plan lays out the runs, variant by variant.
func plan(sc *scenario.Scenario, seed uint64, reps int) ([]task, []report.Expect, error) {
	var tasks []task
	var expects []report.Expect
	for v, variant := range sc.Variants() {
		for rep := range reps {
			t, err := newTask(variant, ReplicationSeed(seed, rep))
			if err != nil {
				return nil, nil, err
			}
			if len(tasks) == 0 {
				expects = t.set.Expect
			}
			t.variant = v
			tasks = append(tasks, t)
		}
	}
	return tasks, expects, nil
}

// newTask is one run of a variant.
func newTask(v *scenario.Variant, seed uint64) (task, error) {
	built, err := v.Build(seed)
	if err != nil {
		return task{}, err
	}
	built.Report.Name, built.Report.Seed = built.Name, seed
	return task{name: v.Name, seed: seed, set: built}, nil
}

// execute runs a task and closes its records.
func (t *task) execute(mode string, o *Options, observe func(*run), g *guard, first bool) (err error) {
	r, err := t.open(mode, o)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, r.close()) }()
	r.stop = g.stopped
	r.observe = observe
	if len(g.limits) > 0 {
		r.counted = g.check
	}
	if first && o.Events != nil {
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
		return fmt.Errorf("running %s: %w", t.name, err)
	}
	r.observe(r)
	t.rec, t.agents = r.rec, r.work.Clients()
	t.requests, t.events, t.simulated = r.requests, r.events, min(r.now, t.set.Workload.Duration)
	r.rec.Close(r.closing())
	if r.wall != nil {
		t.harness = r.wall.watch.harness()
	}
	return nil
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

// Head returns where the report of a run will say that it comes from, which is known before it: the scenario, the demand, the
// seed, the clock and the target. The error tells a trace that cannot be read.
func Head(sc *scenario.Scenario, o *Options) (report.Scenario, error) {
	seed := o.seed(sc)
	demand, err := sc.DemandSHA256(seed)
	if err != nil {
		return report.Scenario{}, fmt.Errorf("hashing the demand: %w", err)
	}
	return report.Scenario{
		Name: sc.Name(), File: sc.File, Description: sc.Spec.Description, SHA256: sc.SHA256(), DemandSHA256: demand,
		Seed: seed, Mode: o.Clock(sc), Target: o.Wall.Target, Overrides: sc.Sets, Agents: sc.Agents(),
		DurationS: report.Num(time.Duration(sc.Spec.Duration).Seconds()), WarmupS: report.Num(time.Duration(sc.Spec.Warmup).Seconds()),
	}, nil
}

// assemble makes the report of the runs that took place.
func assemble(sc *scenario.Scenario, tasks []task, o *Options) (*report.Report, error) {
	head, err := Head(sc, o)
	if err != nil {
		return nil, err
	}
	rep := &report.Report{Schema: report.Schema, Tool: o.Tool, Scenario: head}
	for i := 0; i < len(tasks); {
		var pooled *report.Recorder
		var harness *report.Harness
		v := tasks[i].variant
		for ; i < len(tasks) && tasks[i].variant == v; i++ {
			if h := tasks[i].harness; harness == nil {
				harness = h
			} else if h != nil {
				harness.Join(h)
			}
			switch rec := tasks[i].rec; {
			case rec == nil: // stopped before its turn
			case pooled == nil:
				pooled = rec
			default:
				pooled.Merge(rec)
			}
		}
		if pooled != nil {
			rep.Variants = append(rep.Variants, pooled.Variant())
			if last := &rep.Variants[len(rep.Variants)-1]; harness != nil {
				last.Harness, last.Digest = harness, "" // the order of events is the clock's
			}
		}
	}
	return rep, nil
}
