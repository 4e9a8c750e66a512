package fleet

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/seed-4fd17b57/simload/sim"
	"github.com/seed-4fd17b57/simload/sim/plan"
	"github.com/seed-4fd17b57/simload/sim/scenario"
)

// Kinds of sweeps.
const (
	KindPlan = "plan" // units are plan.Unit, results plan.Sample, as JSON
)

// runner carries out units of a job. It is called by several goroutines. [ErrStopped]: stop was set.
type runner func(unit json.RawMessage, stop *atomic.Bool) ([]byte, error)

// kinds makes the runner of each kind of sweep.
var kinds = map[string]func(*scenario.Scenario, *Job) runner{
	KindPlan: planRunner,
}

// runner is that of the job's kind.
func (j *Job) runner(sc *scenario.Scenario) runner {
	open, ok := kinds[j.Kind]
	if !ok {
		return failing(fmt.Errorf("a sweep of an unknown kind, %q", j.Kind))
	}
	return open(sc, j)
}

// failing fails every task of a job.
func failing(err error) runner {
	return func(json.RawMessage, *atomic.Bool) ([]byte, error) { return nil, err }
}

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

// carried opens traces that came with the job, and no others.
func carried(traces map[string][]byte) scenario.Opener {
	return func(path string) (io.ReadCloser, error) {
		data, ok := traces[path]
		if !ok {
			return nil, fmt.Errorf("%s did not come with the sweep", path)
		}
		return io.NopCloser(bytes.NewReader(data)), nil
	}
}

// fault is what is wrong with a task itself: no other worker would do better.
type fault struct {
	error
	usage bool // the scenario is at fault
}

// Unwrap returns the cause.
func (f *fault) Unwrap() error { return f.error }

// usage reports whether an error of a run is the scenario's fault.
func usage(err error) bool {
	var wrong scenario.Errors
	var trace *sim.TraceError
	return errors.As(err, &wrong) || errors.As(err, &trace)
}

// foreign says of which other versions there are tasks, by the counts of subjects, each once.
func (w *worker) foreign(subjects map[string]uint64, told map[string]bool) []string {
	own := strings.TrimSuffix(w.ofVersion(w.Version), "*")
	base := strings.TrimSuffix(w.tasks(), ">")
	counts := make(map[string]uint64) // by version; walked in order
	var versions []string
	for subject, n := range subjects {
		if strings.HasPrefix(subject, own) {
			continue
		}
		version, _, _ := strings.Cut(strings.TrimPrefix(subject, base), ".")
		if counts[version] == 0 && !told[version] {
			versions = append(versions, version)
		}
		counts[version] += n
	}
	slices.Sort(versions)
	for i, v := range versions {
		told[v] = true
		versions[i] = fmt.Sprintf("%d tasks are for workers of another version (%s; this is %s): left alone", counts[v], v, w.Version)
	}
	return versions
}
