package otelstack

import (
	"context"
	"errors"
	"fmt"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"

	"github.com/seed-4fd17b57/simload/stack"
	"github.com/seed-4fd17b57/simload/stack/internal/series"
)

// Watch adds gauges that are read off a client whenever the meter is collected: the concurrency limit of
// each target and what waits in line for it. inspect is the client's Inspect; a collection
// holds the client's lock for as long as it takes to copy a few numbers for each target.
// Unregister what is returned when the client is closed. The error is the meter's.
func Watch(cfg stack.Config, inspect func(look func(now time.Duration, core *stack.Core)), m metric.Meter) (metric.Registration, error) {
	f := factory{meter: m}
	limit, err := m.Int64ObservableGauge("simload.concurrency.limit", metric.WithUnit("{attempt}"),
		metric.WithDescription("Attempts that may be in flight at the target's gate."))
	limit = made(&f, limit, err)
	queue, err := m.Int64ObservableGauge("simload.queue.length", metric.WithUnit("{request}"),
		metric.WithDescription("Requests that wait in line at the target's gate."))
	queue = made(&f, queue, err)
	if err := errors.Join(f.errs...); err != nil {
		return nil, fmt.Errorf("making the gauges of a client: %w", err)
	}
	limits, queues := places(&cfg)
	r, err := m.RegisterCallback(func(_ context.Context, o metric.Observer) error {
		gates := make([]stack.GateState, len(limits))
		inspect(func(_ time.Duration, core *stack.Core) {
			for i := range gates {
				gates[i] = core.Gate(i)
			}
		})
		for i, g := range gates {
			o.ObserveInt64(limit, int64(g.Limit), limits[i])
			for class, n := range g.Waiting {
				o.ObserveInt64(queue, int64(n), queues[i][class])
			}
		}
		return nil
	}, limit, queue)
	if err != nil {
		return nil, fmt.Errorf("registering the gauges of a client: %w", err)
	}
	return r, nil
}

// places returns the attributes of each target, and of each class there.
func places(cfg *stack.Config) (targets []metric.ObserveOption, classes [][stack.NumClasses]metric.ObserveOption) {
	for _, name := range series.Targets(cfg) {
		target := targetKey.String(name)
		targets = append(targets, metric.WithAttributeSet(attribute.NewSet(target)))
		var at [stack.NumClasses]metric.ObserveOption
		for i, class := range series.Classes() {
			at[i] = metric.WithAttributeSet(attribute.NewSet(target, classKey.String(class)))
		}
		classes = append(classes, at)
	}
	return targets, classes
}
