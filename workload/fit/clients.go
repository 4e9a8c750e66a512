package fit

import (
	"cmp"
	"slices"
	"time"

	"github.com/seed-4fd17b57/simload/workload"
)

// Clients says what the sessions, or agents, are like that a trace names.
type Clients struct {
	Count    int   // different ones
	Requests int64 // of the trace that bear one
	// PerSession are the requests of a session at its median and 95th percentile.
	PerSession [2]int64
	// Gap is the time between a session's requests, at its median and 95th percentile; 0
	// if no session has two.
	Gap [2]time.Duration
	// Top is the share of the requests that the busiest tenth of the sessions has.
	Top float64
}

// FitClients describes the named sessions; nil if no row bears one.
func FitClients(rows []workload.TraceRow) *Clients {
	last, counts := map[uint64]time.Duration{}, map[uint64]int64{}
	s := &Clients{}
	var gaps []time.Duration
	for i := range rows {
		r := &rows[i]
		if !r.HasSession {
			continue
		}
		s.Requests++
		if counts[r.Session]++; counts[r.Session] > 1 {
			gaps = append(gaps, r.At-last[r.Session])
		}
		last[r.Session] = r.At
	}
	if s.Count = len(counts); s.Count == 0 {
		return nil
	}
	sizes := make([]int64, 0, len(counts))
	for _, n := range counts {
		sizes = append(sizes, n)
	}
	slices.Sort(sizes)
	slices.Sort(gaps)
	s.PerSession = [2]int64{at(sizes, 0.5), at(sizes, 0.95)}
	if len(gaps) > 0 {
		s.Gap = [2]time.Duration{at(gaps, 0.5), at(gaps, 0.95)}
	}
	top := int64(0)
	for _, n := range sizes[len(sizes)-(len(sizes)+9)/10:] {
		top += n
	}
	s.Top = float64(top) / float64(s.Requests)
	return s
}

// at is the value at a share of a sorted sample that is not empty.
func at[T cmp.Ordered](sorted []T, share float64) T {
	return sorted[rank(len(sorted), share)]
}
