package fleet

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"

	"github.com/seed-4fd17b57/simload/sim/plan"
	"github.com/seed-4fd17b57/simload/sim/scenario"
)

func planRunner(sc *scenario.Scenario, _ *Job) runner {
	return func(unit json.RawMessage, stop *atomic.Bool) ([]byte, error) {
		var u plan.Unit
		if err := json.Unmarshal(unit, &u); err != nil {
			return nil, fmt.Errorf("reading a unit: %w", err)
		}
		s, err := u.Run(sc, stop)
		if errors.Is(err, plan.ErrStopped) {
			return nil, ErrStopped
		}
		if err != nil {
			return nil, err
		}
		return json.Marshal(s)
	}
}

// Plan returns an executor for a session of a plan. It ends as [Sweep.Do] does.
func (w *Sweep) Plan(ctx context.Context, stop *atomic.Bool) func([]plan.Unit, func(int, plan.Sample, error)) {
	return func(units []plan.Unit, done func(int, plan.Sample, error)) {
		list := make([]Unit, len(units))
		for i := range units {
			u := &units[i]
			list[i] = Unit{Name: fmt.Sprintf("%s %s, replication %d", u.Variant, u.Point, u.Rep+1), Work: u}
		}
		told := make([]bool, len(units))
		err := w.Do(ctx, list, stop, func(i int, data []byte) {
			var s plan.Sample
			err := json.Unmarshal(data, &s)
			told[i] = true
			done(i, s, err)
		})
		if errors.Is(err, ErrStopped) {
			err = plan.ErrStopped
		}
		if i := slices.Index(told, false); err != nil && i >= 0 {
			done(i, plan.Sample{}, err)
		}
	}
}
