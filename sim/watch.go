package sim

import (
	"math"
	"os"
	"runtime"
	"runtime/metrics"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
	"github.com/seed-4fd17b57/simload/report"
)

// watch measures the harness itself; harness.go judges what it measured.
type watch struct {
	lags        *hdrhistogram.Histogram // in ns
	began, ends time.Time
	cpu         time.Duration // of the process, at the beginning; then what was used
	pauses      metrics.Sample
	before      []uint64 // pauses by bucket, at the beginning
	descriptors int      // at most, of those open
	allowed     int      // 0: unknown
}

func newWatch() *watch {
	w := &watch{lags: hdrhistogram.New(1, int64(time.Hour), 3), began: time.Now(), cpu: processCPU()}
	w.pauses.Name = "/sched/pauses/total/gc:seconds"
	w.before = w.pauseCounts()
	w.allowed = descriptorLimit()
	return w
}

// lag records how late a request was issued.
func (w *watch) lag(d time.Duration) {
	_ = w.lags.RecordValue(min(max(1, int64(d)), int64(time.Hour))) // within the bounds: it cannot fail
}

// look notes the descriptors that are open.
func (w *watch) look() {
	if list, err := os.ReadDir("/proc/self/fd"); err == nil {
		w.descriptors = max(w.descriptors, len(list))
	}
}

// stop ends the watch.
func (w *watch) stop() {
	w.ends = time.Now()
	w.cpu = processCPU() - w.cpu
}

func (w *watch) pauseCounts() []uint64 {
	list := []metrics.Sample{w.pauses}
	metrics.Read(list)
	w.pauses = list[0]
	if w.pauses.Value.Kind() != metrics.KindFloat64Histogram {
		return nil
	}
	return append([]uint64(nil), w.pauses.Value.Float64Histogram().Counts...)
}

// longestPause is the upper edge of the longest pause of the collector since the beginning, or
// the lower one where it has none.
func (w *watch) longestPause() time.Duration {
	after := w.pauseCounts()
	for i := len(after) - 1; i >= 0; i-- {
		if i < len(w.before) && after[i] == w.before[i] {
			continue
		}
		edges := w.pauses.Value.Float64Histogram().Buckets
		edge := edges[i+1]
		if math.IsInf(edge, 1) {
			edge = edges[i]
		}
		return time.Duration(edge * float64(time.Second))
	}
	return 0
}

// harness says how the harness did.
func (w *watch) harness() *report.Harness {
	ms := func(d int64) report.Num { return report.Num(float64(d) / 1e6) }
	h := &report.Harness{
		Issued: w.lags.TotalCount(), LagP50MS: ms(w.lags.ValueAtPercentile(50)), LagP99MS: ms(w.lags.ValueAtPercentile(99)),
		LagMaxMS: ms(w.lags.Max()), GCPauseMaxMS: ms(int64(w.longestPause())),
		Descriptors: int64(w.descriptors), DescriptorsAllowed: int64(w.allowed),
	}
	if wall := w.ends.Sub(w.began); wall > 0 {
		h.CPUShare = report.Num(w.cpu.Seconds() / wall.Seconds() / float64(runtime.GOMAXPROCS(0)))
	}
	h.Reasons = harnessReasons(h, runtime.GOMAXPROCS(0))
	return h
}
