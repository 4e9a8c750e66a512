package sim

import (
	"fmt"
	"slices"
	"time"

	"github.com/seed-4fd17b57/simload/report"
	"github.com/seed-4fd17b57/simload/sim/scenario"
)

// Experiment is a scenario with what it is to be run with: the runs that it consists of, and all that the report needs
// beside what they gave. Its form in JSON goes where the runs go.
type Experiment struct {
	Tool     report.Tool     `json:"tool"`
	Scenario report.Scenario `json:"scenario"` // as the report names it
	// Of the demand, and of its part that is not measured; in the JSON of Scenario they are rounded.
	Duration time.Duration `json:"duration_ns"`
	Warmup   time.Duration `json:"warmup_ns"`
	Expect   []string      `json:"expect"`
	Variants []string      `json:"variants"`
	Reps     int           `json:"reps"`
}

// Task is one run of an experiment.
type Task struct {
	Index   int    `json:"index"` // in the experiment, from 0
	Variant string `json:"variant"`
	Rep     int    `json:"rep"` // from 0
	Seed    uint64 `json:"seed"`
}

// String names it for people, as file formats and messages count: from 1.
func (t Task) String() string {
	return fmt.Sprintf("run %d (variant %s, replication %d)", t.Index+1, t.Variant, t.Rep+1)
}

// NewExperiment is what [Run] would run. The error tells a trace that cannot be read, or a [StoreError] a Redis server that would not be used.
func NewExperiment(sc *scenario.Scenario, o Options) (*Experiment, error) {
	if err := checkRedis(sc, &o); err != nil {
		return nil, err
	}
	head, err := Head(sc, &o)
	if err != nil {
		return nil, err
	}
	return &Experiment{
		Tool: o.Tool, Scenario: head, Expect: slices.Clone(sc.Variants()[0].Spec.Expect), Variants: variantNames(sc), Reps: max(1, o.Reps),
		Duration: time.Duration(sc.Spec.Duration), Warmup: time.Duration(sc.Spec.Warmup),
	}, nil
}

// RepsMax bounds Options.Reps: each replication keeps its histograms until the end.
const RepsMax = 10_000

// tasksMax bounds the runs of an experiment that was read.
const tasksMax = 1 << 20

// Check says what is wrong with an experiment that was read from somewhere.
func (e *Experiment) Check() error {
	switch {
	case e.Reps < 1 || e.Reps > RepsMax:
		return fmt.Errorf("%d replications are not from 1 to %d", e.Reps, RepsMax)
	case len(e.Variants) == 0 || len(e.Variants)*e.Reps > tasksMax:
		return fmt.Errorf("%d variants with %d replications are not from 1 to %d runs", len(e.Variants), e.Reps, tasksMax)
	}
	_, err := e.expects()
	return err
}

func variantNames(sc *scenario.Scenario) []string {
	var names []string
	for _, v := range sc.Variants() {
		names = append(names, v.Name)
	}
	return names
}

// Tasks lists the runs, variant by variant. The first replication has the experiment's seed, for the others see
// [ReplicationSeed].
func (e *Experiment) Tasks() []Task { return tasksOf(e.Variants, e.Scenario.Seed, e.Reps) }

func tasksOf(variants []string, seed uint64, reps int) []Task {
	var list []Task
	for _, name := range variants {
		for rep := range max(1, reps) {
			list = append(list, Task{len(list), name, rep, ReplicationSeed(seed, rep)})
		}
	}
	return list
}

// MissingError tells the runs that nobody carried out.
type MissingError struct{ Tasks []Task }

// Error implements error.
func (e *MissingError) Error() string {
	return fmt.Sprintf("%d runs are missing, the first is %v", len(e.Tasks), e.Tasks[0])
}

// Assemble makes the report of an experiment's parts, in whatever order they are given: the very one that [Run] makes in one
// process. Parts may be missing if the experiment was interrupted, or ended by Options.AbortOnFail, and the report is then
// of the others; else the error is a *MissingError. A part twice, of another experiment, or damaged is an error too.
//
// It uses up the parts that come from RunPart: assemble them once. Those that were read from JSON stay as they are.
func (e *Experiment) Assemble(parts []*Part, interrupted bool) (*Outcome, error) {
	sorted, err := e.sorted(parts, interrupted)
	if err != nil {
		return nil, err
	}
	out := Total(sorted)
	out.Interrupted = interrupted
	if out.Report, err = e.pool(sorted); err != nil {
		return nil, err
	}
	expects, err := e.expects()
	if err != nil {
		return nil, err
	}
	expects, untold := toldBy(e.Scenario.Target, expects)
	report.Judge(out.Report, expects, interrupted, invalid(out.Report))
	out.Report.Verdict.Reasons = append(out.Report.Verdict.Reasons, untold...)
	if i := slices.IndexFunc(sorted, func(p *Part) bool { return p.Ended != "" }); i >= 0 {
		out.Report.Verdict.Reasons = append(out.Report.Verdict.Reasons, sorted[i].Ended)
	}
	return out, nil
}

// Total adds up the requests, events and simulated time of parts. It has no report.
func Total(parts []*Part) *Outcome {
	out := &Outcome{}
	for _, p := range parts {
		out.Requests += p.Requests
		out.Events += p.Events
		out.Simulated += p.Simulated
	}
	return out
}

func (e *Experiment) expects() ([]report.Expect, error) {
	var list []report.Expect
	for _, text := range e.Expect {
		x, err := report.ParseExpect(text)
		if err != nil {
			return nil, err
		}
		list = append(list, x)
	}
	return list, nil
}

// sorted puts the parts into the order of the tasks.
func (e *Experiment) sorted(parts []*Part, interrupted bool) ([]*Part, error) {
	tasks := e.Tasks()
	have := make([]*Part, len(tasks))
	ended := interrupted
	for _, p := range parts {
		i := p.Task.Index
		switch {
		case i < 0 || i >= len(tasks) || p.Task != tasks[i]:
			return nil, fmt.Errorf("%v with the seed %d is none of this experiment", p.Task, p.Task.Seed)
		case have[i] != nil:
			return nil, fmt.Errorf("%v is there twice", p.Task)
		}
		have[i] = p
		ended = ended || p.Ended != ""
	}
	var missing []Task
	for i, p := range have {
		if p == nil {
			missing = append(missing, tasks[i])
		}
	}
	if len(missing) > 0 && !ended {
		return nil, &MissingError{missing}
	}
	return slices.DeleteFunc(have, func(p *Part) bool { return p == nil }), nil
}

// pool makes the report of parts that are sorted, before it is judged. A variant of which nothing ran is not in it.
func (e *Experiment) pool(parts []*Part) (*report.Report, error) {
	head := e.Scenario
	head.DurationS, head.WarmupS = report.Num(e.Duration.Seconds()), report.Num(e.Warmup.Seconds())
	rep := &report.Report{Schema: report.Schema, Tool: e.Tool, Scenario: head}
	for i := 0; i < len(parts); {
		var pooled *report.Recorder
		var harness *report.Harness
		first := parts[i].Task
		for ; i < len(parts) && parts[i].Task.Variant == first.Variant; i++ {
			harness = joined(harness, parts[i].Harness)
			rec, err := parts[i].recorder()
			switch {
			case err != nil:
				return nil, fmt.Errorf("%v: %w", parts[i].Task, err)
			case pooled == nil:
				pooled = rec
			case !pooled.SameSetup(rec):
				return nil, fmt.Errorf("%v ran with other models, keys or profiles than %v", parts[i].Task, first)
			default:
				pooled.Merge(rec)
			}
		}
		rep.Variants = append(rep.Variants, pooled.Variant())
		if last := &rep.Variants[len(rep.Variants)-1]; harness != nil {
			last.Harness, last.Digest = harness, "" // the order of events is the clock's
		}
	}
	return rep, nil
}

// joined is the worse of two; it changes what it made, and never a part's.
func joined(sum, h *report.Harness) *report.Harness {
	switch {
	case h == nil:
		return sum
	case sum == nil:
		first := *h
		first.Reasons = slices.Clip(first.Reasons)
		return &first
	}
	sum.Join(h)
	return sum
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
