package promstack

import (
	"fmt"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/seed-4fd17b57/simload/stack"
	"github.com/seed-4fd17b57/simload/stack/internal/series"
)

// Watch registers gauges that are read off a client whenever they are collected: the concurrency limit
// of each target and what waits in line for it. inspect is the client's Inspect; a
// collection holds the client's lock for as long as it takes to copy a few numbers for each
// target. The error is the registerer's.
func Watch(cfg stack.Config, inspect func(look func(now time.Duration, core *stack.Core)), to prometheus.Registerer) error {
	if err := to.Register(&watch{inspect: inspect, targets: series.Targets(&cfg), classes: series.Classes()}); err != nil {
		return fmt.Errorf("registering the gauges of a client: %w", err)
	}
	return nil
}

var (
	limitDesc = prometheus.NewDesc("simload_concurrency_limit", "Attempts that may be in flight at the target's gate.", []string{"target"}, nil)
	queueDesc = prometheus.NewDesc("simload_queue_length", "Requests that wait in line at the target's gate.", []string{"target", "class"}, nil)
)

// watch collects the state of a client's gates.
type watch struct {
	inspect          func(func(time.Duration, *stack.Core))
	targets, classes []string
}

// Describe implements [prometheus.Collector].
func (*watch) Describe(to chan<- *prometheus.Desc) {
	to <- limitDesc
	to <- queueDesc
}

// Collect implements [prometheus.Collector]. It may be called on several goroutines at a time.
func (w *watch) Collect(to chan<- prometheus.Metric) {
	gates := make([]stack.GateState, len(w.targets))
	w.inspect(func(_ time.Duration, core *stack.Core) {
		for i := range gates {
			gates[i] = core.Gate(i)
		}
	})
	for i, g := range gates {
		to <- prometheus.MustNewConstMetric(limitDesc, prometheus.GaugeValue, float64(g.Limit), w.targets[i])
		for class, n := range g.Waiting {
			to <- prometheus.MustNewConstMetric(queueDesc, prometheus.GaugeValue, float64(n), w.targets[i], w.classes[class])
		}
	}
}
