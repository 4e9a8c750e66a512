package sim

import (
	"net"
	"time"

	"github.com/seed-4fd17b57/simload/report"
	"github.com/seed-4fd17b57/simload/sim/scenario"
	"github.com/seed-4fd17b57/simload/workload"
)

// Load is a run on the wall clock that several processes carry, each a [Share] of it: the mock that they all talk to, and the recorder
// in which their parts come together.
type Load struct {
	task  Task
	set   *scenario.Built
	rec   *report.Recorder
	host  *mockHost // nil: the upstream is a target
	watch *watch    // of this process, with the mock
}

// NewLoad gets one run of a scenario ready for n processes and, without a target, starts its mock at the listener (nil: on
// loopback), which it closes. Errors are those of [Run], and [*ShareError] if the run cannot be divided so.
func NewLoad(sc *scenario.Scenario, t Task, n int, o *WallOptions, listener net.Listener) (_ *Load, err error) {
	defer func() {
		if err != nil && listener != nil {
			_ = listener.Close() // once more does no harm
		}
	}()
	set, err := built(sc, t)
	if err != nil {
		return nil, err
	}
	for i := range n {
		part, err := built(sc, t)
		if err != nil {
			return nil, err
		}
		if _, err := shareFor(part, workload.Share{Index: i, Count: n}, o); err != nil {
			return nil, err
		}
	}
	set.Report.Wall = true
	l := &Load{task: t, set: set, rec: report.NewShare(set.Report)}
	if o.Target == "" {
		if l.host, err = newMockHost(set, listener, nil); err != nil {
			return nil, err
		}
	}
	return l, nil
}

// MockURL is where the mock can be found; "": there is none.
func (l *Load) MockURL() string {
	if l.host == nil {
		return ""
	}
	return l.host.url
}

// Duration of the demand, and of its part at the beginning that is not measured.
func (l *Load) Duration() (whole, warmup time.Duration) {
	return l.set.Workload.Duration, l.set.Report.Warmup
}

// Begin says when instant 0 is, before it comes: the mock's faults and minutes begin then.
func (l *Load) Begin(origin time.Time) error {
	l.watch = newWatch()
	if l.host == nil {
		return nil
	}
	return l.host.server.ResetAt(origin)
}

// Look is called every so often, to see how this process does.
func (l *Load) Look() { l.watch.look() }

// Warm is called at the end of the warm-up, if the run comes so far.
func (l *Load) Warm() {
	if l.host != nil {
		b := l.host.server.Books()
		l.rec.Warm(report.Run{Books: &b})
	}
}

// LoadEnd is how a run of several processes ended.
type LoadEnd struct {
	Parts       []*SharePart // of those that came to their end, in any order
	Incomplete  bool         // there are others, of which nothing is known but what the mock saw
	Interrupted bool
	Harness     *report.Harness
}

// Own is how this process did, with the mock; nil: it has none. Call it when the run is over.
func (l *Load) Own() *report.Harness {
	if l.host == nil || l.watch == nil {
		return nil
	}
	l.watch.stop()
	return l.watch.harness()
}

// Fits reports whether what a process recorded is a part of this run, as it is if the process was told the same scenario.
func (l *Load) Fits(p *SharePart) bool { return l.rec.SameSetup(p.Recorder) }

// Finish puts the parts together, which have to fit. Harness is how all processes did.
func (l *Load) Finish(end LoadEnd) *Part {
	run := report.Run{Interrupted: end.Interrupted, Incomplete: end.Incomplete}
	if l.host != nil {
		l.host.settle()
		b := l.host.server.Books()
		run.Books = &b
	}
	out := &Part{Task: l.task, Harness: end.Harness, rec: l.rec}
	for _, p := range end.Parts {
		l.rec.Join(p.Recorder)
		out.Requests += p.Requests
		out.Events += p.Events
		out.Simulated = max(out.Simulated, p.Simulated)
	}
	l.rec.Close(run)
	return out
}

// Close shuts the mock down.
func (l *Load) Close() error {
	if l.host == nil {
		return nil
	}
	return l.host.close()
}

// settle gives the mock a moment to notice the last disconnects.
func (h *mockHost) settle() {
	for range 100 {
		if h.server.Books().Running == 0 {
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
}
