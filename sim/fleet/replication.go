package fleet

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/seed-4fd17b57/simload/sim"
	"github.com/seed-4fd17b57/simload/sim/scenario"
)

// replication is the unit of a sweep of KindRun. Its place among the others is not in it, so that a sweep with more replications takes
// up the results of one with fewer.
type replication struct {
	Variant string `json:"variant"`
	Rep     int    `json:"rep"` // from 0
	Seed    uint64 `json:"seed"`
}

// runOptions are the options of a run that its parts could depend on.
type runOptions struct {
	Wire bool `json:"wire"`
}

// RunJob is the job of a run with these options. Those of sim.Options that a fleet has no use for are left alone: Events, AbortOnFail and
// the wall clock are for one machine.
func RunJob(version string, o *sim.Options) (Job, error) {
	data, err := json.Marshal(runOptions{o.Wire})
	if err != nil {
		return Job{}, fmt.Errorf("writing the options: %w", err)
	}
	return Job{Version: version, Kind: KindRun, Options: data}, nil
}

func runRunner(sc *scenario.Scenario, j *Job) runner {
	var o runOptions
	if err := json.Unmarshal(j.Options, &o); err != nil {
		return failing(fmt.Errorf("reading the options: %w", err))
	}
	return func(unit json.RawMessage, stop *atomic.Bool) ([]byte, error) {
		var u replication
		if err := json.Unmarshal(unit, &u); err != nil {
			return nil, fmt.Errorf("reading a unit: %w", err)
		}
		opt := sim.Options{Mode: scenario.ModeVirtual, Wire: o.Wire, Stop: stop}
		part, err := sim.RunPart(sc, opt, sim.Task{Variant: u.Variant, Rep: u.Rep, Seed: u.Seed})
		if stop.Load() {
			return nil, ErrStopped // what there is of the part is no result
		}
		if err != nil {
			return nil, err
		}
		return json.Marshal(part)
	}
}

// Run is sim.Run with the workers' processors. The sweep is one of [RunJob], of the same scenario and options.
func (w *Sweep) Run(ctx context.Context, sc *scenario.Scenario, o sim.Options) (*sim.Outcome, error) {
	e, err := sim.NewExperiment(sc, o)
	if err != nil {
		return nil, err
	}
	tasks := e.Tasks()
	units := make([]Unit, len(tasks))
	for i, t := range tasks {
		units[i] = Unit{t.String(), replication{t.Variant, t.Rep, t.Seed}}
	}
	var parts []*sim.Part
	var damaged error
	far := sim.Progress{Scenario: sc.Name(), Parts: len(tasks), End: e.Duration, Now: e.Duration, SimulatedFull: e.Duration * time.Duration(len(tasks))}
	err = w.Do(ctx, units, o.Stop, func(i int, data []byte) {
		p := new(sim.Part)
		if err := json.Unmarshal(data, p); err != nil {
			damaged = errors.Join(damaged, fmt.Errorf("reading the result of %v: %w", tasks[i], err))
			return
		}
		p.Task = tasks[i]
		parts = append(parts, p)
		far.Part++
		far.Variant = p.Task.Variant
		far.Requests += p.Requests
		far.Events += p.Events
		far.SimulatedDone += p.Simulated
		if o.Progress != nil {
			o.Progress(far)
		}
	})
	interrupted := errors.Is(err, ErrStopped)
	if err != nil && !interrupted || damaged != nil {
		return nil, errors.Join(err, damaged)
	}
	return e.Assemble(parts, interrupted)
}
