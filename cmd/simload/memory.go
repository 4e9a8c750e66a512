package main

import (
	"os"
	"runtime/debug"
)

// relaxedGC is the garbage collector's target while real time is measured, and while many short runs are made side by side: the
// heap may grow to five times what is live before it is collected. With Go's default of twice, 2000 streams on two cores are 10 ms
// late at the 99th percentile for the collector's sake, with this 4 ms, and a run of a plan takes a tenth less. It costs memory.
const relaxedGC = 400

// relaxCollector sets the target, unless the user has set one.
func relaxCollector() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(relaxedGC)
	}
}
