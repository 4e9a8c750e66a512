package sim

import (
	"fmt"
	"time"

	"github.com/seed-4fd17b57/simload/report"
)

// What makes a run on the wall clock INVALID: then it measured the harness, not the upstream.
const (
	// lagMax is the schedule lag, the time from when an agent was to ask until it did, that the
	// 99th percentile of requests may have.
	lagMax = 50 * time.Millisecond
	// cpuMax is the share of the processors that this process may use, mock included: above it
	// goroutines wait for each other.
	cpuMax = 0.95
	// pauseMax is how long the garbage collector may stop the world at once.
	pauseMax = 20 * time.Millisecond
	// descriptorsMax is the share of the descriptors allowed to this process that may be open.
	descriptorsMax = 0.9
)

// harnessReasons says why the run measured the harness rather than the upstream, if it did, by what
// was measured of it on a number of processors.
func harnessReasons(h *report.Harness, processors int) []string {
	span := func(ms report.Num) time.Duration { return time.Duration(float64(ms) * float64(time.Millisecond)) }
	var list []string
	if d := span(h.LagP99MS); d > lagMax {
		list = append(list, fmt.Sprintf("the harness was late: 1 %% of the requests were issued %v or more after their instant (allowed %v); fewer agents, or a faster machine", d.Round(time.Millisecond), lagMax))
	}
	if h.CPUShare > cpuMax {
		list = append(list, fmt.Sprintf("the harness was out of processor time: %.0f %% of %d in use (allowed %.0f %%)", float64(h.CPUShare)*100, processors, cpuMax*100))
	}
	if d := span(h.GCPauseMaxMS); d > pauseMax {
		list = append(list, fmt.Sprintf("the garbage collector stopped the harness for %v (allowed %v)", d.Round(time.Millisecond), pauseMax))
	}
	if h.DescriptorsAllowed > 0 && float64(h.Descriptors) > descriptorsMax*float64(h.DescriptorsAllowed) {
		list = append(list, fmt.Sprintf("the harness was out of descriptors: %d of %d open; raise ulimit -n", h.Descriptors, h.DescriptorsAllowed))
	}
	return list
}
