package sim

import (
	"sync/atomic"

	"github.com/seed-4fd17b57/simload/report"
	"github.com/seed-4fd17b57/simload/sim/scenario"
	"github.com/seed-4fd17b57/simload/stack/jitter"
)

// Single is what one run of one variant gave.
type Single struct {
	Variant report.Variant
	// Built is the configuration that ran.
	Built            *scenario.Built
	Requests, Events int64
	Attempts         int64
	HTTP429          int64
	Interrupted      bool
	rec              *report.Recorder
}

// Release gives the memory of the run's latencies to the runs that follow. Variant may not be asked any more.
func (s *Single) Release() { s.rec.Release(&s.Variant) }

// RunSingle runs a variant once, in virtual time and on the caller's goroutine, so that a caller that has
// many runs can spread them as it likes. Stop ends it early; nil: nobody does. Errors are those of [Run].
func RunSingle(v *scenario.Variant, seed uint64, stop *atomic.Bool) (*Single, error) {
	t, err := newTask(v, Task{Variant: v.Name, Seed: seed})
	if err != nil {
		return nil, err
	}
	var last run
	watch := func(r *run) { last.attempts, last.refused = r.attempts, r.refused }
	o := Options{Stop: stop}
	g := newGuard(nil, &o)
	part, err := t.execute(scenario.ModeVirtual, &o, watch, g)
	if err != nil {
		return nil, err
	}
	out := &Single{
		Variant: part.rec.Brief(), Built: t.set,
		Requests: part.Requests, Events: part.Events, Attempts: last.attempts, HTTP429: last.refused, rec: part.rec,
	}
	out.Interrupted = out.Variant.Interrupted
	return out, nil
}

// ReplicationSeed is the seed of replication rep, from 0 on, of a run with Options.Reps: the first
// has the scenario's own. Runs of other configurations with the same seed meet the same demand.
func ReplicationSeed(seed uint64, rep int) uint64 {
	if rep == 0 {
		return seed
	}
	return jitter.Hash(seed, uint64(rep), 0x5eed)
}
