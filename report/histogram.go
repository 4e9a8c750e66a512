package report

import (
	"fmt"
	"math"
	"math/bits"
	"sync"
	"time"

	hdr "github.com/HdrHistogram/hdrhistogram-go"
)

// Geometry of the histograms. Values are microseconds. Below 2^(b+1) each value
// has its own bucket; above, every octave is cut into 2^b buckets, so that a bucket
// is at most 2^-b of its value wide.
const (
	latencyMax   = 24 * time.Hour
	latencyMaxUS = int64(latencyMax / time.Microsecond)
	fineBits     = 10 // 0.1 %: HdrHistogram's geometry for 3 significant digits
	finePages    = 28 // of 2^fineBits buckets
)

// micros rounds a latency to microseconds in [0, 24 h] and reports whether it lay
// in that range.
func micros(d time.Duration) (int64, bool) {
	us := int64(d+500) / 1000
	if d < 0 {
		return 0, false
	}
	if us > latencyMaxUS {
		return latencyMaxUS, false
	}
	return us, true
}

// bucketOf returns the bucket of a value of us >= 0 microseconds.
func bucketOf(us int64, b uint) int {
	k := uint(bits.Len64(uint64(us) >> (b + 1)))
	return int(k)<<b + int(us>>k)
}

// bucketEnds returns the least and the greatest value of a bucket.
func bucketEnds(i int, b uint) (low, high int64) {
	if i < 2<<b {
		return int64(i), int64(i)
	}
	k := uint(i>>b) - 1
	low = int64(i-int(k)<<b) << k
	return low, low + 1<<k - 1
}

// rankOf is the rank of percentile p (0 to 100) among n values, 1 the lowest: the
// rule of the Go implementation of HdrHistogram, so that a decoded histogram
// answers as the report does.
func rankOf(p float64, n int64) int64 {
	return max(1, min(n, int64(p/100*float64(n)+0.5)))
}

// histogram holds the counts of an HdrHistogram, kept by hand because recording is
// the hottest path of a run, and because the library knows neither exact extremes
// nor exact sums. Counts lie in pages of one octave that come with their first
// value: latencies of one kind cover a dozen of 28 octaves. The zero value is empty.
type histogram struct {
	pages    [finePages]*octave
	zeros    int64 // values of 0, which have no page: most waits are none
	n        int64
	sumUS    int64
	min, max time.Duration
	clamped  int64 // values outside [0, 24 h], counted at its edge
}

// octave is a page: the counts of an octave.
type octave [1 << fineBits]int64

// freePages are pages that nobody uses, all zero. Most of what a run allocates is pages: those of one go to the next.
var freePages = sync.Pool{New: func() any { return new(octave) }}

func newPage() *octave { return freePages.Get().(*octave) }

// free empties the histogram, and gives its pages away.
func (h *histogram) free() {
	for _, p := range h.pages {
		if p != nil {
			clear(p[:])
			freePages.Put(p)
		}
	}
	*h = histogram{}
}

// record counts one latency.
func (h *histogram) record(d time.Duration) {
	if d == 0 {
		h.zeros++
		h.n++
		h.min = min(h.min, 0)
		return
	}
	h.put(d, read(d))
}

// reading is where a latency belongs, for those who count it in several histograms.
type reading struct {
	us      int64
	bucket  int
	clamped int64 // 1: outside [0, 24 h]
}

func read(d time.Duration) reading {
	us, ok := micros(d)
	r := reading{us: us, bucket: bucketOf(us, fineBits)}
	if !ok {
		r.clamped = 1
	}
	return r
}

// put counts a latency that has been read.
func (h *histogram) put(d time.Duration, r reading) {
	h.clamped += r.clamped
	i := r.bucket
	p := h.pages[i>>fineBits]
	if p == nil {
		p = newPage()
		h.pages[i>>fineBits] = p
	}
	p[i&(1<<fineBits-1)]++
	if d < h.min || h.n == 0 {
		h.min = d
	}
	h.max = max(h.max, d)
	h.n++
	h.sumUS += r.us
}

// add merges o into h.
func (h *histogram) add(o *histogram) {
	if o.n == 0 {
		return
	}
	for i, page := range o.pages {
		if page == nil {
			continue
		}
		if h.pages[i] == nil {
			h.pages[i] = newPage()
		}
		for k, c := range page {
			h.pages[i][k] += c
		}
	}
	if o.min < h.min || h.n == 0 {
		h.min = o.min
	}
	h.max = max(h.max, o.max)
	h.zeros += o.zeros
	h.n += o.n
	h.sumUS += o.sumUS
	h.clamped += o.clamped
}

// take is add for an o that nobody needs any more: an empty h becomes what o was, and o empty.
func (h *histogram) take(o *histogram) {
	if h.n == 0 {
		*h, *o = *o, *h
		return
	}
	h.add(o)
}

// atRanks returns the values at the ranks, which are ascending and at most n: the ends
// of their buckets, but within the exact extremes.
func (h *histogram) atRanks(ranks []int64, out []time.Duration) {
	seen := h.zeros
	next := 0
	for ; next < len(ranks) && seen >= ranks[next]; next++ {
		out[next] = max(h.min, 0)
	}
	for i, page := range h.pages {
		if page == nil {
			continue
		}
		for k, c := range page {
			seen += c
			for ; next < len(ranks) && seen >= ranks[next]; next++ {
				_, high := bucketEnds(i<<fineBits+k, fineBits)
				out[next] = max(h.min, min(h.max, time.Duration(high)*time.Microsecond))
			}
			if next == len(ranks) {
				return
			}
		}
	}
}

// percentiles are those of a [Latency] row, ascending.
var percentiles = [...]float64{50, 90, 95, 99, 99.9}

// quantiles returns the values at [percentiles] of a histogram that is not empty.
func (h *histogram) quantiles() [len(percentiles)]time.Duration {
	var ranks [len(percentiles)]int64
	for i, p := range percentiles {
		ranks[i] = rankOf(p, h.n)
	}
	var out [len(percentiles)]time.Duration
	h.atRanks(ranks[:], out[:])
	return out
}

// quantileWithFailures is the value at percentile p when failures count as worse
// than every success; NaN when the rank falls among the failures or there is nothing.
func (h *histogram) quantileWithFailures(p float64, failures int64) Num {
	rank := rankOf(p, h.n+failures)
	if rank > h.n {
		return Num(math.NaN())
	}
	var out [1]time.Duration
	h.atRanks([]int64{rank}, out[:])
	return inSeconds(out[0])
}

// stat is one of latencyStats in seconds: NaN when there is nothing, +Inf when it is a
// failure, as failures are worse than every success.
func (h *histogram) stat(name string, failures int64) float64 {
	switch {
	case h.n+failures == 0:
		return math.NaN()
	case failures > 0 && (name == "max" || name == "mean"):
		return math.Inf(1)
	case name == "max":
		return h.max.Seconds()
	case name == "mean":
		return float64(h.sumUS) / float64(h.n) / 1e6
	}
	for _, p := range percentilePoints {
		if p.name != name {
			continue
		}
		if rankOf(p.percent, h.n+failures) > h.n {
			return math.Inf(1)
		}
		return float64(h.quantileWithFailures(p.percent, failures))
	}
	return math.NaN()
}

// row describes the distribution; without values all figures are NaN.
func (h *histogram) row(by By, metric string, failures int64, encode bool) Latency {
	nan := Num(math.NaN())
	l := Latency{
		By: by, Metric: metric, Failures: failures,
		MeanMS: nan, P50MS: nan, P90MS: nan, P95MS: nan, P99MS: nan, P999MS: nan, MaxMS: nan,
	}
	if h.n == 0 {
		return l
	}
	q := h.quantiles()
	l.Count = h.n
	l.MeanMS = Num(float64(h.sumUS) / float64(h.n) / 1000)
	l.P50MS, l.P90MS, l.P95MS, l.P99MS, l.P999MS = inMS(q[0]), inMS(q[1]), inMS(q[2]), inMS(q[3]), inMS(q[4])
	l.MaxMS = inMS(h.max)
	if encode {
		l.hist = h
	}
	return l
}

// seal turns the histogram of a row that wants one into text. That takes longer than all else that is done for a row.
func (l *Latency) seal() {
	if l.hist != nil {
		l.HDR, l.hist = l.hist.encode(), nil
	}
}

// encode returns the histogram in HdrHistogram's V2 compressed form, base64, in microseconds.
func (h *histogram) encode() string {
	counts := make([]int64, finePages<<fineBits)
	for i, page := range h.pages {
		if page != nil {
			copy(counts[i<<fineBits:], page[:])
		}
	}
	counts[0] += h.zeros
	full := hdr.Import(&hdr.Snapshot{
		LowestTrackableValue: 1, HighestTrackableValue: latencyMaxUS, SignificantFigures: 3, Counts: counts,
	})
	b, err := full.Encode(hdr.V2CompressedEncodingCookieBase)
	if err != nil {
		// Encoding into memory fails only on a broken geometry, which is a constant.
		panic(fmt.Sprintf("encoding a histogram: %v", err))
	}
	return string(b)
}

// inSeconds and inMS convert for a report.
func inSeconds(d time.Duration) Num { return Num(d.Seconds()) }
func inMS(d time.Duration) Num      { return Num(float64(d) / float64(time.Millisecond)) }
