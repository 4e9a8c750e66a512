package plot

import (
	"math"

	"gonum.org/v1/plot"

	"github.com/seed-4fd17b57/simload/report"
)

// depths marks percentiles on a scale of 1/(1-q).
type depths struct{}

// Ticks implements plot.Ticker.
func (depths) Ticks(low, high float64) []plot.Tick {
	names := []string{"0", "p90", "p99", "p99.9", "p99.99", "p99.999"}
	var out []plot.Tick
	for i, name := range names {
		if x := math.Pow(10, float64(i)); x >= low*0.999 && x <= high*1.001 {
			out = append(out, plot.Tick{Value: x, Label: name})
		}
	}
	return out
}

// decades marks 1, 2 and 5 times the powers of ten; of a wide range only the powers.
type decades struct{}

// Ticks implements plot.Ticker.
func (decades) Ticks(low, high float64) []plot.Tick {
	wide := math.Log10(high/low) > 2.2
	var out []plot.Tick
	for _, x := range marks(low, high) {
		label := report.NumberLabel(x)
		if first := x / math.Pow(10, math.Floor(math.Log10(x)+1e-9)); wide && first > 1.5 {
			label = ""
		}
		out = append(out, plot.Tick{Value: x, Label: label})
	}
	return out
}

// marks are 1, 2 and 5 times the powers of ten from low to high.
func marks(low, high float64) []float64 {
	var out []float64
	for e := int(math.Floor(math.Log10(low))); e <= int(math.Ceil(math.Log10(high))); e++ {
		for _, k := range []float64{1, 2, 5} {
			if x := k * math.Pow(10, float64(e)); x >= low*0.999 && x <= high*1.001 {
				out = append(out, x)
			}
		}
	}
	return out
}

// snug widens a range to the next marks.
func snug(low, high float64) (from, to float64) {
	from, to = low/2, high*2
	for _, x := range marks(low/10, high*10) {
		if x <= low {
			from = x
		}
		if x >= high*1.02 {
			return from, x
		}
	}
	return from, to
}

// clock marks round instants of the run.
type clock struct{}

// Ticks implements plot.Ticker.
func (clock) Ticks(low, high float64) []plot.Tick {
	step := 86400 * math.Ceil((high-low)/6/86400)
	for _, s := range []float64{1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1200, 1800, 3600, 7200, 14400, 21600, 43200, 86400} {
		if (high-low)/s <= 6 {
			step = s
			break
		}
	}
	var out []plot.Tick
	for x := 0.0; x <= high; x += step {
		out = append(out, plot.Tick{Value: x, Label: report.ClockLabel(x)})
	}
	return out
}

// numbers marks three to six round values from 0.
type numbers struct{}

// Ticks implements plot.Ticker.
func (numbers) Ticks(_, high float64) []plot.Tick {
	var out []plot.Tick
	if !(high > 0) {
		return out
	}
	unit := math.Pow(10, math.Floor(math.Log10(high)))
	step := unit
	for _, k := range []float64{0.2, 0.5, 1, 2} {
		if step = k * unit; high/step < 5 {
			break
		}
	}
	for i := 0; float64(i)*step <= high; i++ {
		out = append(out, plot.Tick{Value: float64(i) * step, Label: report.NumberLabel(float64(i) * step)})
	}
	return out
}
