package mockupstream

import (
	"net/http"
	"strconv"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// metrics holds what Prometheus is told of one term. Names and buckets are those of
// OpenTelemetry's conventions for generative AI, as far as they have one (open-telemetry/
// semantic-conventions-genai, in development); the rest are "simload_mock_".
type metrics struct {
	registry *prometheus.Registry
	calls    *prometheus.CounterVec
	duration *prometheus.HistogramVec
	first    *prometheus.HistogramVec
	usual    []usual // by model
}

// usual is where nearly every call of a model counts, so that it need not be looked up.
type usual struct {
	calls           prometheus.Counter
	duration, first prometheus.Observer
}

// Labels, and the buckets of the conventions, in seconds.
const (
	labelModel    = "gen_ai_request_model"
	labelProvider = "gen_ai_provider_name"
)

var (
	durationBuckets = []float64{.01, .02, .04, .08, .16, .32, .64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92}
	firstBuckets    = []float64{.001, .005, .01, .02, .04, .06, .08, .1, .25, .5, .75, 1, 2.5, 5, 7.5, 10}
)

// fates names the fates in labels.
var fates = [...]string{
	FateAnswer: "answer", FateHang: "hang", FateBreak: "break", FateStall: "stall",
	FateRefused: "refused", FateError: "error", FateClosed: "closed",
}

func newMetrics(t *term) *metrics {
	m := &metrics{
		registry: prometheus.NewRegistry(),
		calls: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "simload_mock_requests_total",
			Help: "Calls that arrived, by the status and the fate that was decided for them; status 0 is none.",
		}, []string{labelModel, labelProvider, "status", "fate"}),
		duration: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name:    "gen_ai_server_request_duration_seconds",
			Help:    "Time from a call's arrival until it was settled.",
			Buckets: durationBuckets,
		}, []string{labelModel, labelProvider, "error_type"}),
		first: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name:    "gen_ai_server_time_to_first_token_seconds",
			Help:    "Time from a call's arrival to its first token, of calls that got that far.",
			Buckets: firstBuckets,
		}, []string{labelModel, labelProvider}),
	}
	m.registry.MustRegister(m.calls, m.duration, m.first, extract{t})
	for i := range t.models {
		name, vendor := t.models[i].Name, t.models[i].Vendor
		m.usual = append(m.usual, usual{
			m.calls.WithLabelValues(name, vendor, "200", fates[FateAnswer]), m.duration.WithLabelValues(name, vendor, ""), m.first.WithLabelValues(name, vendor),
		})
	}
	return m
}

// ServeHTTP answers in Prometheus' text format.
func (m *metrics) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{}).ServeHTTP(w, r)
}

// admitted counts a call that has a plan.
func (m *metrics) admitted(v *visit) {
	model := &v.term.models[v.ask.Call.Model]
	if v.plan.Status == http.StatusOK && v.plan.Fate == FateAnswer {
		m.usual[v.ask.Call.Model].calls.Inc()
		return
	}
	m.calls.WithLabelValues(model.Name, model.Vendor, strconv.Itoa(v.plan.Status), fates[v.plan.Fate]).Inc()
}

// ended takes the times of a call that was settled.
func (m *metrics) ended(v *visit) {
	model, p := &v.term.models[v.ask.Call.Model], &v.plan
	fault := ""
	switch {
	case p.Status >= 400:
		fault = strconv.Itoa(p.Status)
	case p.Fate != FateAnswer:
		fault = fates[p.Fate]
	case v.seen.Gone:
		fault = "gone"
	}
	usual := &m.usual[v.ask.Call.Model]
	duration := usual.duration
	if fault != "" {
		duration = m.duration.WithLabelValues(model.Name, model.Vendor, fault)
	}
	duration.Observe((v.seen.Ended - p.At).Seconds())
	if p.FirstToken > 0 && v.seen.Ended >= p.FirstToken {
		usual.first.Observe((p.FirstToken - p.At).Seconds())
	}
}

// extract tells Prometheus what is in the books.
type extract struct{ t *term }

var (
	tokensDesc = prometheus.NewDesc("simload_mock_tokens_total",
		"Tokens as billed; cached ones are a part of the input.", []string{labelModel, labelProvider, "gen_ai_token_type"}, nil)
	flightDesc = prometheus.NewDesc("simload_mock_in_flight", "Calls that hold a slot.", nil, nil)
	earlyDesc  = prometheus.NewDesc("simload_mock_early_retries_total", "Retries that came before the wait that they were told was over.", nil, nil)
	writesDesc = prometheus.NewDesc("simload_mock_writes_total",
		"Writes by what came of them: committed, duplicate (committed again), replayed (by an idempotency key).", []string{"outcome"}, nil)
	rejectedDesc = prometheus.NewDesc("simload_mock_rejected_total",
		"Requests that never became a call, by their status: a wrong path, key, model or body.", []string{"status"}, nil)
	herdDesc = prometheus.NewDesc("simload_mock_herd_peak",
		"Largest number of arrivals within 100 ms: of all calls, or of retries alone.", []string{"of"}, nil)
)

// Describe implements [prometheus.Collector].
func (e extract) Describe(ch chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{tokensDesc, flightDesc, earlyDesc, writesDesc, rejectedDesc, herdDesc} {
		ch <- d
	}
}

// Collect implements [prometheus.Collector].
func (e extract) Collect(ch chan<- prometheus.Metric) {
	b, rejected := e.t.account()
	count := func(d *prometheus.Desc, n int64, labels ...string) {
		ch <- prometheus.MustNewConstMetric(d, prometheus.CounterValue, float64(n), labels...)
	}
	gauge := func(d *prometheus.Desc, n int64, labels ...string) {
		ch <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, float64(n), labels...)
	}
	billed := make([]Usage, len(e.t.models))
	for _, k := range b.Keys {
		billed[k.Model].add(k.Billed)
	}
	for i, u := range billed {
		m := &e.t.models[i]
		count(tokensDesc, u.In, m.Name, m.Vendor, "input")
		count(tokensDesc, u.Cached, m.Name, m.Vendor, "cached")
		count(tokensDesc, u.Out, m.Name, m.Vendor, "output")
	}
	gauge(flightDesc, b.Running)
	count(earlyDesc, b.EarlyRetries)
	count(writesDesc, b.CommittedWrites, "committed")
	count(writesDesc, b.DuplicateWrites, "duplicate")
	count(writesDesc, b.ReplayedWrites, "replayed")
	for status, n := range rejected {
		count(rejectedDesc, n, strconv.Itoa(status))
	}
	gauge(herdDesc, b.PeakCalls100ms, "calls")
	gauge(herdDesc, b.PeakRetries100ms, "retries")
}
