package fleet

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/seed-4fd17b57/simload/sim"
	"github.com/seed-4fd17b57/simload/sim/scenario"
)

// Kinds of sweeps.
const (
	KindPlan = "plan" // units are plan.Unit, results plan.Sample, as JSON
	KindRun  = "run"  // units are replications, results sim.Part, as JSON
)

// runner carries out units of a job. It is called by several goroutines. [ErrStopped]: stop was set.
type runner func(unit json.RawMessage, stop *atomic.Bool) ([]byte, error)

// kinds makes the runner of each kind of sweep.
var kinds = map[string]func(*scenario.Scenario, *Job) runner{
	KindPlan: planRunner, KindRun: runRunner,
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
		versions[i] = fmt.Sprintf("%s left alone, for workers of another version (%s; this is %s)", Number(counts[v], "task"), v, w.Version)
	}
	return versions
}
