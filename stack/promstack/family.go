package promstack

import (
	"github.com/prometheus/client_golang/prometheus"

	"github.com/seed-4fd17b57/simload/stack/internal/series"
)

// family is the metrics of an observer, which are registered all or none.
type family []prometheus.Collector

// label is a label with its values.
type label struct {
	name   string
	values []string
}

// split returns names and values of labels apart.
func split(labels []label) (names []string, values [][]string) {
	for _, l := range labels {
		names, values = append(names, l.name), append(values, l.values)
	}
	return names, values
}

func (f *family) counters(name, help string, labels ...label) *counters {
	names, values := split(labels)
	vec := prometheus.NewCounterVec(prometheus.CounterOpts{Name: name, Help: help}, names)
	*f = append(*f, vec)
	return series.New(func(v []string) prometheus.Counter { return vec.WithLabelValues(v...) }, values...)
}

func (f *family) gauges(name, help string, labels ...label) *series.Grid[prometheus.Gauge] {
	names, values := split(labels)
	vec := prometheus.NewGaugeVec(prometheus.GaugeOpts{Name: name, Help: help}, names)
	*f = append(*f, vec)
	return series.New(func(v []string) prometheus.Gauge { return vec.WithLabelValues(v...) }, values...)
}

func (f *family) histograms(name, help string, buckets []float64, labels ...label) *histograms {
	names, values := split(labels)
	vec := prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: name, Help: help, Buckets: buckets}, names)
	*f = append(*f, vec)
	return series.New(func(v []string) prometheus.Observer { return vec.WithLabelValues(v...) }, values...)
}

// Describe implements [prometheus.Collector].
func (f family) Describe(to chan<- *prometheus.Desc) {
	for _, c := range f {
		c.Describe(to)
	}
}

// Collect implements [prometheus.Collector].
func (f family) Collect(to chan<- prometheus.Metric) {
	for _, c := range f {
		c.Collect(to)
	}
}
