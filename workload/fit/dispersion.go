package fit

import (
	"math"
	"time"
)

// Scales are the windows over which the dispersion of arrivals is compared.
var Scales = []time.Duration{time.Second, 10 * time.Second, time.Minute}

// minWindows is the least number of windows that a dispersion is made of.
const minWindows = 10

// Dispersion is the index of dispersion of counts: variance over mean of the number of
// arrivals in windows of equal width, whole ones from 0 to the end. 1 is Poisson. It is NaN
// with fewer than 10 windows, or without arrivals. Instants do not fall.
func Dispersion(at []time.Duration, width, end time.Duration) float64 {
	windows := int64(end / width)
	if windows < minWindows {
		return math.NaN()
	}
	var total, squares float64
	for i := 0; i < len(at); {
		window, n := at[i]/width, 0.0
		for ; i < len(at) && at[i]/width == window; i++ {
			n++
		}
		if int64(window) < windows {
			total += n
			squares += n * n
		}
	}
	mean := total / float64(windows)
	return (squares - total*mean) / float64(windows-1) / mean
}
