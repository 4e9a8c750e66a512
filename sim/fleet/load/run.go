package load

import (
	"context"

	"github.com/seed-4fd17b57/simload/sim"
	"github.com/seed-4fd17b57/simload/sim/fleet/bus"
	"github.com/seed-4fd17b57/simload/sim/scenario"
)

// Run is [sim.Run] by workers: variant after variant, replication after replication, as runs on the wall clock take place on one
// machine, and each by all workers. The clock, the target, the seed, the replications, the stop flag and the progress are
// those of o.
func Run(ctx context.Context, b *bus.Bus, sc *scenario.Scenario, o sim.Options, how Options) (*sim.Outcome, error) {
	how.Wall, how.Stop, how.Progress = o.Wall, o.Stop, o.Progress
	e, err := sim.NewExperiment(sc, o)
	if err != nil {
		return nil, err
	}
	stopped := func() bool { return ctx.Err() != nil || o.Stop != nil && o.Stop.Load() }
	var parts []*sim.Part
	for _, t := range e.Tasks() {
		if stopped() {
			break
		}
		part, err := Conduct(ctx, b, sc, t, how)
		if err != nil {
			return nil, err
		}
		if part != nil {
			parts = append(parts, part)
		}
	}
	return e.Assemble(parts, stopped())
}
