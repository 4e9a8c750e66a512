package sim

import (
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/seed-4fd17b57/simload/report"
	"github.com/seed-4fd17b57/simload/sim/scenario"
	"github.com/seed-4fd17b57/simload/workload"
)

const (
	originMax  = 30 * time.Second      // to the instant 0 when a share is told of it
	originLook = 20 * time.Millisecond // between looks at the stop flag before it
)

// ShareOptions says which part of a run a process carries.
type ShareOptions struct {
	Part workload.Share
	// Mock is the base URL of the mock that all processes talk to; "": they talk to Wall.Target.
	Mock string
	Wall WallOptions
	// Stop ends the part when set; what was measured is kept, as interrupted. nil: nobody does.
	Stop *atomic.Bool
	// Every is the length of the intervals that Tell is told, the last one as soon as the run ends; on the goroutine of Run.
	Every time.Duration
	Tell  func(Interval)
	// Begin is called when the run begins, on the goroutine of Run; nil: nothing is.
	Begin func()
	// Books, if it is not nil, is shown where the shared limits are kept, --redis in it, before anybody asks there. It may change
	// that, or refuse it.
	Books func(*scenario.SharedBooks) error
}

// Share is one process's part of a run on the wall clock. Its demand is that of its share of the agents and streams, its stack has
// its share of the keys (see shareOf). [Load] is what all parts are put together in.
type Share struct {
	r    *run
	o    ShareOptions
	name string // of the variant
}

// SharePart is what a share gave. Its recorder is for [Load.Join].
type SharePart struct {
	Recorder  *report.Recorder
	Requests  int64
	Events    int64
	Simulated time.Duration // demand
	Agents    int           // and clients of streams and traces, that belong to it
	Harness   report.Harness
}

// NewShare gets a part ready, so that nothing but its clients is left to be made when it begins. Errors are those of
// [Run], and [*ShareError].
func NewShare(sc *scenario.Scenario, t Task, o ShareOptions) (*Share, error) {
	set, err := built(sc, t)
	if err != nil {
		return nil, err
	}
	dealt, err := shareFor(set, o.Part, &o.Wall)
	if err != nil {
		return nil, err
	}
	if set.Shared != nil && o.Books != nil {
		if err := o.Books(set.Shared); err != nil {
			return nil, err
		}
	}
	up := mockAt(set, o.Mock)
	if o.Mock == "" {
		up.ends, up.secrets = targetEndpoints(set, &o.Wall)
		up.ours = false
	}
	r, err := newWallRun(set, up, &o.Wall)
	if err != nil {
		return nil, err
	}
	if set.Shared != nil && !set.Shared.Open {
		if err := r.wall.probe(set); err != nil {
			return nil, errors.Join(err, r.work.Close(), r.close())
		}
	}
	r.rec = report.NewShare(set.Report)
	if !dealt {
		r.wall.alike = int64(o.Part.Count)
	}
	r.wall.pace = newPace(o.Every, o.Tell)
	if o.Stop != nil {
		r.stop = o.Stop.Load
	}
	r.observe = func(r *run) { r.wall.pace.look(r, false) }
	return &Share{r: r, o: o, name: t.Variant}, nil
}

// shareFor is shareOf for a run with options, which may name the store of the books that stacks share.
func shareFor(set *scenario.Built, s workload.Share, o *WallOptions) (dealt bool, err error) {
	if set.Shared != nil && o.Redis != "" {
		set.Shared.Redis = o.Redis
	}
	return shareOf(set, s)
}

// built is the configuration of one run of a scenario.
func built(sc *scenario.Scenario, t Task) (*scenario.Built, error) {
	tasks, _, err := build(sc, []Task{t})
	if err != nil {
		return nil, err
	}
	return tasks[0].set, nil
}

// Agents is how many agents, and clients of streams and traces, belong to the part.
func (s *Share) Agents() int { return s.o.Part.Agents(s.r.work.Clients()) }

// Run waits until origin, the instant 0 of all parts, and carries the part to its end. It is called once. An origin more than half a
// minute away is an error: nothing else runs in the process meanwhile.
func (s *Share) Run(origin time.Time) (part *SharePart, err error) {
	r := s.r
	defer func() { err = errors.Join(err, r.close()) }()
	if wait := time.Until(origin); wait > originMax {
		return nil, errors.Join(fmt.Errorf("the start is %v away: at most %v are waited for", wait.Round(time.Second), originMax), r.work.Close())
	}
	origin = s.waitFor(origin)
	if s.o.Begin != nil {
		s.o.Begin()
	}
	if err := r.connect(origin); err != nil {
		return nil, err
	}
	err = r.executeWall()
	if err = errors.Join(err, r.work.Close()); err != nil {
		return nil, fmt.Errorf("running %s: %w", s.name, err)
	}
	end := r.closing()
	r.rec.Seal(end)
	r.wall.pace.look(r, true)
	return &SharePart{
		Recorder: r.rec, Requests: r.requests, Events: r.events, Simulated: min(r.now, r.set.Workload.Duration),
		Agents: s.Agents(), Harness: *r.wall.watch.harness(),
	}, nil
}

// waitFor waits until origin, by a monotonic clock, as it has a reading of it. It returns the instant 0: origin, or now if the part is to
// end before, so that it begins and ends at once and is closed as any other.
func (s *Share) waitFor(origin time.Time) time.Time {
	for wait := time.Until(origin); wait > 0; wait = time.Until(origin) {
		if s.o.Stop != nil && s.o.Stop.Load() {
			return time.Now()
		}
		time.Sleep(min(wait, originLook))
	}
	return origin
}

// Close gives back what a part holds that is not going to run.
func (s *Share) Close() error { return errors.Join(s.r.work.Close(), s.r.close()) }
