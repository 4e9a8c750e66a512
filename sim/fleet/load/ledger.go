package load

import (
	"fmt"

	"github.com/HdrHistogram/hdrhistogram-go"
	"github.com/seed-4fd17b57/simload/report"
	"github.com/seed-4fd17b57/simload/sim"
)

// Ledger holds what one worker told of its share, interval by interval.
type Ledger struct {
	next      int // sequence number of the interval that is due
	last      bool
	latencies *hdrhistogram.PackedHistogram // of all intervals

	Counts            report.ShareCounts
	Attempts, HTTP429 int64
	Pending           int64
	At                sim.Interval // the latest one, without its histogram
}

// NewLedger returns an empty one.
func NewLedger() *Ledger { return &Ledger{latencies: sim.NewLatencies()} }

// Take enters an interval. One that is there already is nothing new: the message came twice. The error says that the worker's
// account cannot be believed: an interval is missing, or contradicts itself.
func (l *Ledger) Take(iv sim.Interval) (fresh bool, err error) {
	switch {
	case iv.Seq < l.next:
		return false, nil
	case iv.Seq > l.next:
		return false, fmt.Errorf("interval %d is missing, %d came instead", l.next, iv.Seq)
	case l.last:
		return false, fmt.Errorf("interval %d came after the last one", iv.Seq)
	case iv.From != l.At.To || iv.To < iv.From || iv.Submitted < 0 || iv.Ended < 0 || iv.Measured < 0 || iv.Measured > iv.Ended:
		return false, fmt.Errorf("interval %d does not follow the one before it", iv.Seq)
	}
	if iv.HDR == "" && iv.Measured > 0 {
		return false, fmt.Errorf("interval %d has no histogram of its %d latencies", iv.Seq, iv.Measured)
	}
	if iv.HDR != "" {
		h, err := hdrhistogram.DecodePacked([]byte(iv.HDR))
		if err != nil {
			return false, fmt.Errorf("interval %d: %w", iv.Seq, err)
		}
		if h.TotalCount() != iv.Measured {
			return false, fmt.Errorf("interval %d has %d latencies of %d", iv.Seq, h.TotalCount(), iv.Measured)
		}
		if dropped := l.latencies.Merge(h); dropped > 0 {
			return false, fmt.Errorf("interval %d has %d latencies out of range", iv.Seq, dropped)
		}
	}
	l.next, l.last = iv.Seq+1, iv.Last
	l.Counts.Submitted += iv.Submitted
	l.Counts.Ended += iv.Ended
	l.Counts.Measured += iv.Measured
	l.Attempts += iv.Attempts
	l.HTTP429 += iv.HTTP429
	l.Pending = iv.Pending
	iv.HDR = ""
	l.At = iv
	return true, nil
}

// Settle compares what was told with what was handed in. The error says how they differ.
func (l *Ledger) Settle(handed report.ShareCounts) error {
	if !l.last {
		return fmt.Errorf("the intervals after %d are missing", l.next-1)
	}
	if l.Counts != handed {
		return fmt.Errorf("%d intervals come to %+v, what was recorded to %+v", l.next, l.Counts, handed)
	}
	return nil
}
