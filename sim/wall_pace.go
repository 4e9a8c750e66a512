package sim

import (
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
	"github.com/seed-4fd17b57/simload/stack"
)

// Interval is what one of several processes did in a stretch of a run. All intervals of a process are together its whole run.
type Interval struct {
	Seq      int           `json:"seq"` // from 0
	From, To time.Duration // since the run began
	Last     bool          // none follows

	Submitted, Ended  int64 // requests
	Attempts, HTTP429 int64
	Pending           int64 // requests that have not ended, at its end
	// Measured successes, and their latencies from the intended instant as an HdrHistogram of three digits, in µs (V2,
	// compressed, base64); "": none.
	Measured int64
	HDR      string
}

// LatencyMax is the largest latency of an HdrHistogram, in µs: the reports' 24 h.
const LatencyMax = int64(24 * time.Hour / time.Microsecond)

// NewLatencies returns an empty histogram of the kind that an Interval has.
func NewLatencies() *hdrhistogram.PackedHistogram { return hdrhistogram.NewPacked(1, LatencyMax, 3) }

// pace cuts what a process does into intervals.
type pace struct {
	every time.Duration
	tell  func(Interval)

	now       Interval // under way
	latencies *hdrhistogram.PackedHistogram
	// Sums of the run at its beginning.
	attempts, refused int64
}

func newPace(every time.Duration, tell func(Interval)) *pace {
	return &pace{every: every, tell: tell, latencies: NewLatencies()}
}

// done takes the end of a request.
func (p *pace) done(r *run, j *job, res *stack.Result) {
	p.now.Ended++
	s := &r.set.Report
	if res.Ending != stack.Succeeded || j.report.Intended < s.Warmup || j.report.Intended >= s.Duration {
		return
	}
	p.now.Measured++
	us := int64(res.Ended-j.report.Intended+time.Microsecond/2) / int64(time.Microsecond) // as reports round it
	_ = p.latencies.RecordValue(min(max(us, 0), LatencyMax))                              // within its range: it cannot fail
}

// look cuts the interval off if it is over, and in any case if it is the last.
func (p *pace) look(r *run, last bool) {
	if r.now < p.now.From+p.every && !last {
		return
	}
	p.now.To, p.now.Last, p.now.Pending = r.now, last, int64(r.pending)
	p.now.Attempts, p.now.HTTP429 = r.attempts-p.attempts, r.refused-p.refused
	p.attempts, p.refused = r.attempts, r.refused
	if p.now.Measured > 0 {
		if text, err := p.latencies.Encode(); err == nil {
			p.now.HDR = string(text)
		}
	}
	p.tell(p.now)
	p.now = Interval{Seq: p.now.Seq + 1, From: r.now}
	p.latencies.Reset()
}
