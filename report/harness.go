package report

import "fmt"

// Harness says how the harness itself did in a run on the wall clock, with its own mock in the same
// process. In virtual time there is none.
type Harness struct {
	Issued int64 `json:"issued"` // requests
	// Lag is from the instant at which an agent was to ask until it did.
	LagP50MS           Num   `json:"lag_p50_ms"`
	LagP99MS           Num   `json:"lag_p99_ms"`
	LagMaxMS           Num   `json:"lag_max_ms"`
	CPUShare           Num   `json:"cpu_share"` // of all processors, 0 to 1
	GCPauseMaxMS       Num   `json:"gc_pause_max_ms"`
	Descriptors        int64 `json:"descriptors"`                   // open at most
	DescriptorsAllowed int64 `json:"descriptors_allowed,omitempty"` // 0: unknown
	// Of a run that several processes carried: how each of them did. The figures above are the worst of theirs, but for Issued.
	Workers []Worker `json:"workers,omitempty"`
	// StartSkewMS is the time between the first and the last worker's beginning, with the uncertainty of their clocks.
	StartSkewMS Num `json:"start_skew_ms,omitempty"`
	// Reasons why the run measured the harness rather than the upstream; empty: it did not.
	Reasons []string `json:"reasons,omitempty"`
}

// Join takes the worse of two runs.
func (h *Harness) Join(o *Harness) {
	h.Issued += o.Issued
	h.LagP50MS, h.LagP99MS, h.LagMaxMS = max(h.LagP50MS, o.LagP50MS), max(h.LagP99MS, o.LagP99MS), max(h.LagMaxMS, o.LagMaxMS)
	h.CPUShare, h.GCPauseMaxMS = max(h.CPUShare, o.CPUShare), max(h.GCPauseMaxMS, o.GCPauseMaxMS)
	h.Descriptors = max(h.Descriptors, o.Descriptors)
	h.StartSkewMS = max(h.StartSkewMS, o.StartSkewMS)
	h.Workers = append(h.Workers, o.Workers...)
	h.Reasons = append(h.Reasons, o.Reasons...)
}

// fact is a line about the harness.
func (h *Harness) fact() string {
	s := fmt.Sprintf("harness: schedule lag p50 %s, p99 %s, max %s ms   CPU %s%s%%   GC pause %s ms   descriptors %d",
		formMS(h.LagP50MS), formMS(h.LagP99MS), formMS(h.LagMaxMS), formPercent(float64(h.CPUShare)), thin, formMS(h.GCPauseMaxMS), h.Descriptors)
	if n := h.shares(); n > 0 {
		s += fmt.Sprintf("   worst of %d workers, started within %s ms", n, formMS(h.StartSkewMS))
	}
	return s
}

func formMS(n Num) string { return fmt.Sprintf("%.2f", float64(n)) }
