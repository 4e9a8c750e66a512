package otelstack

import (
	"context"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"

	"github.com/seed-4fd17b57/simload/stack/internal/series"
)

// factory makes instruments, and collects what goes wrong.
type factory struct {
	meter metric.Meter
	errs  []error
}

// made notes an error of the meter and returns the instrument. Nothing is recorded with one that
// has an error: New fails.
func made[T any](f *factory, instrument T, err error) T {
	if err != nil {
		f.errs = append(f.errs, err)
	}
	return instrument
}

func (f *factory) counter(name, unit, what string) counter {
	c, err := f.meter.Int64Counter(name, metric.WithUnit(unit), metric.WithDescription(what))
	return counter{of: made(f, c, err)}
}

func (f *factory) gauge(name, unit, what string) counter {
	c, err := f.meter.Int64UpDownCounter(name, metric.WithUnit(unit), metric.WithDescription(what))
	return counter{of: made(f, c, err)}
}

func (f *factory) seconds(name, what string, buckets []float64) histogram[float64] {
	h, err := f.meter.Float64Histogram(name, metric.WithUnit("s"), metric.WithDescription(what),
		metric.WithExplicitBucketBoundaries(buckets...))
	return histogram[float64]{of: made(f, h, err)}
}

func (f *factory) tokens(name, what string, buckets []float64) histogram[int64] {
	h, err := f.meter.Int64Histogram(name, metric.WithUnit("{token}"), metric.WithDescription(what),
		metric.WithExplicitBucketBoundaries(buckets...))
	return histogram[int64]{of: made(f, h, err)}
}

// label is an attribute with its values; a series has none where the value is "".
type label struct {
	key    attribute.Key
	values []string
}

// sets returns a grid of attribute sets: base, and one value of each label. They are made into the
// options that instruments take, in the slice that the call takes.
func sets[O any](option func(attribute.Set) O, base []attribute.KeyValue, labels []label) *series.Grid[[]O] {
	values := make([][]string, len(labels))
	for i, l := range labels {
		values[i] = l.values
	}
	return series.New(func(values []string) []O {
		var all []attribute.KeyValue
		all = append(all, base...)
		for i, v := range values {
			if v != "" {
				all = append(all, labels[i].key.String(v))
			}
		}
		return []O{option(attribute.NewSet(all...))}
	}, values...)
}

// counter counts by labels: up, or up and down.
type counter struct {
	of interface {
		Add(ctx context.Context, n int64, options ...metric.AddOption)
	}
	at *series.Grid[[]metric.AddOption]
}

func (c counter) by(labels ...label) counter {
	option := func(s attribute.Set) metric.AddOption { return metric.WithAttributeSet(s) }
	return counter{c.of, sets(option, nil, labels)}
}

func (c *counter) add(n int64, numbers ...int) {
	c.of.Add(context.Background(), n, c.at.At(numbers...)...)
}

// histogram takes times in seconds, or tokens, by labels.
type histogram[N int64 | float64] struct {
	of interface {
		Record(ctx context.Context, n N, options ...metric.RecordOption)
	}
	at *series.Grid[[]metric.RecordOption]
}

func (h histogram[N]) by(base []attribute.KeyValue, labels ...label) histogram[N] {
	option := func(s attribute.Set) metric.RecordOption { return metric.WithAttributeSet(s) }
	return histogram[N]{h.of, sets(option, base, labels)}
}

func (h *histogram[N]) record(n N, numbers ...int) {
	h.of.Record(context.Background(), n, h.at.At(numbers...)...)
}
