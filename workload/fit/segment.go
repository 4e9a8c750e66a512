package fit

import (
	"math"
	"time"
)

// The places at which a rate may change are as many as the arrivals, within these bounds: the
// search takes their square.
const (
	minBins = 64
	maxBins = 2048
	// perWindow is the mean number of arrivals in the windows that a dispersion is taken of.
	perWindow = 8
)

// bins are counts of arrivals in equal parts of the time.
type bins struct {
	width time.Duration // the last one may be cut short by end
	end   time.Duration
	sums  []float64 // arrivals before each bin, and all of them at the end
	parts int       // windows of a bin
	fine  []float64 // arrivals of each whole window
	logs  []float64 // logarithms of whole numbers, up to the arrivals and the bins
}

// newBins counts the arrivals up to the end in parts that are a multiple of the tick, if there is one.
func newBins(at []time.Duration, end, tick time.Duration) *bins {
	most := time.Duration(min(max(len(at), minBins), maxBins))
	b := &bins{end: end, parts: 1}
	b.width = end/most/time.Millisecond*time.Millisecond + time.Millisecond // instants of steps are read by people
	if tick > 0 {
		gap := end / time.Duration(len(at)+1)
		fine := max((perWindow*gap+tick-1)/tick, 1) * tick
		if b.width < fine {
			fine = (b.width + tick - 1) / tick * tick
		}
		b.parts = int((b.width + fine - 1) / fine)
		b.width = time.Duration(b.parts) * fine
	}
	b.sums = make([]float64, (end+b.width-1)/b.width+1)
	fine := b.width / time.Duration(b.parts)
	b.fine = make([]float64, end/fine)
	for _, t := range at {
		b.sums[min(int(t/b.width), len(b.sums)-2)+1]++
		if i := int(t / fine); i < len(b.fine) {
			b.fine[i]++
		}
	}
	for i := 1; i < len(b.sums); i++ {
		b.sums[i] += b.sums[i-1]
	}
	b.logs = make([]float64, max(len(at), len(b.sums))+1)
	for i := range b.logs {
		b.logs[i] = math.Log(float64(i))
	}
	return b
}

// gain is the logarithm of the likelihood of the arrivals of the bins between two at a rate of
// their own, but for terms that are the same for every way to cut the time. It is that of
// Poisson arrivals.
func (b *bins) gain(start, end int) float64 {
	n := b.sums[end] - b.sums[start]
	if n == 0 {
		return 0
	}
	return n * (b.logs[int(n)] - b.logs[end-start])
}

// segment cuts the time where the rate changes. It returns the first bin of each part, and
// the number of bins at the end. Of all ways to cut, it takes the one of the largest
// quasi-likelihood: that of Poisson arrivals over their dispersion phi, less the price of
// each cut (Jackson et al., "An algorithm for optimal partitioning of data on an interval",
// 2005; for counts that are more dispersed than Poisson, likelihoods are divided by the
// dispersion: McCullagh and Nelder, "Generalized linear models", 1989, section 9.2). A part has at
// least so many arrivals, or is as long as so many take at the mean rate.
func (b *bins) segment(phi, price, least float64) []int {
	n := len(b.sums) - 1
	long := least * float64(n) / b.sums[n]
	best, from := make([]float64, n+1), make([]int, n+1)
	best[0] = price // the first part costs nothing
	for end := 1; end <= n; end++ {
		best[end] = math.Inf(-1)
		for start := range end {
			if b.sums[end]-b.sums[start] < least && float64(end-start) < long {
				continue
			}
			v := best[start] + b.gain(start, end)/phi - price
			if v > best[end] {
				best[end], from[end] = v, start
			}
		}
	}
	var cuts []int
	for end := n; end > 0; end = from[end] {
		cuts = append(cuts, end)
	}
	cuts = append(cuts, 0)
	for i, j := 0, len(cuts)-1; i < j; i, j = i+1, j-1 {
		cuts[i], cuts[j] = cuts[j], cuts[i]
	}
	return cuts
}

// steps returns the rate of each part between cuts.
func (b *bins) steps(cuts []int) []Step {
	var out []Step
	for i := 1; i < len(cuts); i++ {
		n := b.sums[cuts[i]] - b.sums[cuts[i-1]]
		from := time.Duration(cuts[i-1]) * b.width
		to := min(time.Duration(cuts[i])*b.width, b.end)
		out = append(out, Step{At: from, Rate: digits(n / (to - from).Seconds())})
	}
	return out
}

// pearson is the dispersion of counts about the rates of the parts they are in: of windows of
// about [perWindow] arrivals, over which gaps even out and the rate hardly moves.
func (b *bins) pearson(cuts []int) float64 {
	sum, free := 0.0, 0.0
	for i := 1; i < len(cuts); i++ {
		from, to := cuts[i-1]*b.parts, min(cuts[i]*b.parts, len(b.fine))
		if to-from < 2 {
			continue
		}
		mean := 0.0
		for _, n := range b.fine[from:to] {
			mean += n / float64(to-from)
		}
		if mean == 0 {
			continue
		}
		for _, n := range b.fine[from:to] {
			sum += (n - mean) * (n - mean) / mean
		}
		free += float64(to - from - 1)
	}
	if free == 0 {
		return 1
	}
	return sum / free
}

// digits rounds to six significant digits, which is what a scenario is written with.
func digits(x float64) float64 {
	if x == 0 {
		return 0
	}
	unit := math.Pow(10, 5-math.Floor(math.Log10(math.Abs(x))))
	return math.Round(x*unit) / unit
}
