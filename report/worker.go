package report

// States of a worker at the end.
const (
	WorkerDone    = "done"
	WorkerLost    = "lost"    // no sign of life for too long
	WorkerFailed  = "failed"  // it said that it could not go on
	WorkerStopped = "stopped" // the run was ended before its time
	WorkerMock    = "mock"    // it carried no share: the mock was there
)

// Worker is one of the processes that carried a run on the wall clock. Of one that was lost only what it told while it was
// there is known.
type Worker struct {
	Name     string `json:"name"`
	Share    int    `json:"share"` // of the demand, from 1; 0: none
	State    string `json:"state"`
	Agents   int64  `json:"agents"` // and clients of streams and traces
	Requests int64  `json:"requests"`
	// As of Harness.
	LagP50MS     Num `json:"lag_p50_ms"`
	LagP99MS     Num `json:"lag_p99_ms"`
	LagMaxMS     Num `json:"lag_max_ms"`
	CPUShare     Num `json:"cpu_share"`
	GCPauseMaxMS Num `json:"gc_pause_max_ms"`
	// OffsetMS is its clock less the coordinator's, true to OffsetErrorMS; StartMS how much later than agreed it began, by the
	// coordinator's clock.
	OffsetMS      Num `json:"clock_offset_ms"`
	OffsetErrorMS Num `json:"clock_offset_error_ms"`
	StartMS       Num `json:"start_ms"`
	// Gaps is how many signs of life were missing, SilenceS the longest time without one.
	Gaps     int64 `json:"heartbeat_gaps"`
	SilenceS Num   `json:"silence_s"`
}

// workers is the number of processes that carried the shares of a run; 0: it was one process's.
func workers(r *Report) int {
	n := 0
	for i := range r.Variants {
		if h := r.Variants[i].Harness; h != nil {
			n = max(n, h.shares())
		}
	}
	return n
}

// shares is the number of shares that the demand was divided into; 0: it was not.
func (h *Harness) shares() int {
	n := 0
	for i := range h.Workers {
		n = max(n, h.Workers[i].Share)
	}
	return n
}

// workerSection is there if several processes carried the run.
func workerSection(v *Variant) section {
	g := &grid{cols: []column{
		{head: "worker", text: true},
		{head: "share", drop: 6},
		{head: "state", text: true},
		{head: "agents", drop: 4},
		{head: "requests", drop: 3},
		{head: "lag p50", drop: 8},
		{head: "lag p99"},
		{head: "lag max", drop: 7},
		{head: "CPU %", drop: 1},
		{head: "clock offset", drop: 2},
		{head: "started", drop: 5},
		{head: "missing beats", drop: 9},
	}}
	if v.Harness == nil {
		return section{grid: g}
	}
	for i := range v.Harness.Workers {
		w := &v.Harness.Workers[i]
		share, agents, requests := "", "", ""
		lag := [3]string{}
		if w.Share > 0 {
			share, agents, requests = formCount(int64(w.Share)), formCount(w.Agents), formCount(w.Requests)
			lag = [3]string{formMS(w.LagP50MS), formMS(w.LagP99MS), formMS(w.LagMaxMS)}
		}
		offset, started, gaps := "", "", ""
		if w.OffsetErrorMS > 0 {
			offset = formMS(w.OffsetMS) + " ±" + thin + formMS(w.OffsetErrorMS)
			started = formMS(w.StartMS)
		}
		if w.Gaps > 0 {
			gaps = formCount(w.Gaps)
		}
		g.add(shorten(clean(w.Name), nameLong), share, clean(w.State), agents, requests, lag[0], lag[1], lag[2], formPercent(float64(w.CPUShare)), offset, started, gaps)
	}
	return section{label: "Workers", aside: "ms; lag: from when an agent was to ask until it did; started: after the instant that was agreed", grid: g}
}
