package promstack

import (
	"fmt"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/seed-4fd17b57/simload/stack"
	"github.com/seed-4fd17b57/simload/stack/internal/series"
)

// Observer counts what a client does. It is for one client: that client's lock guards it.
type Observer struct {
	requests *counters
	duration *histograms
	queued   *histograms
	backoff  *histograms
	answers  *counters

	attempts *counters
	onWire   *histograms
	first    *histograms
	inFlight *series.Grid[prometheus.Gauge]
	retries  *counters
	tokens   *counters
}

type (
	counters   = series.Grid[prometheus.Counter]
	histograms = series.Grid[prometheus.Observer]
)

var _ stack.Observer = (*Observer)(nil)

// New returns an observer for a client of the configuration, and registers its metrics. Where a registry
// serves several clients, give each a registerer of its own, with
// [prometheus.WrapRegistererWith] and a label that tells them apart. The error is the
// registerer's, as when the metrics are there already.
func New(cfg stack.Config, to prometheus.Registerer) (*Observer, error) {
	var (
		all     family
		o       Observer
		route   = label{"route", series.Routes(&cfg)}
		class   = label{"class", series.Classes()}
		ending  = label{"ending", series.Endings()}
		reason  = label{"reason", series.Reasons()}
		step    = label{"step", series.Steps(&cfg)}
		target  = label{"target", series.Targets(&cfg)}
		key     = label{"key", series.Keys(&cfg)}
		outcome = label{"outcome", series.Outcomes()}
		tokens  = label{"type", series.Tokens()}
	)
	o.requests = all.counters("simload_requests_total", "Requests that ended.", route, class, ending, reason)
	o.duration = all.histograms("simload_request_duration_seconds",
		"Time from the submission of a request to its end.", series.Request(), route, class, ending)
	o.queued = all.histograms("simload_queue_wait_seconds",
		"Time that a request waited in line at gates, all attempts together.", series.Request(), route, class)
	o.backoff = all.histograms("simload_backoff_seconds",
		"Time between the attempts of a request, of requests that backed off.", series.Request(), route, class)
	o.answers = all.counters("simload_answers_total",
		"Requests that succeeded, by the degradation step that answered; 0 is the model asked for.", route, step)
	o.attempts = all.counters("simload_attempts_total", "Attempts that ended.", target, key, outcome)
	o.onWire = all.histograms("simload_attempt_duration_seconds",
		"Time from the send of an attempt to its end.", series.Operation(), target, outcome)
	o.first = all.histograms("simload_first_token_seconds",
		"Time from the send of an attempt to its first token, of attempts that got that far.", series.Operation(), target)
	o.inFlight = all.gauges("simload_attempts_in_flight", "Attempts on the wire.", target)
	o.retries = all.counters("simload_retries_total", "Attempts sent that were not the first of their request.", target)
	o.tokens = all.counters("simload_tokens_total",
		"Tokens as vendors bill them; cached ones are a part of the input.", target, tokens)
	if err := to.Register(all); err != nil {
		return nil, fmt.Errorf("registering the metrics of a client: %w", err)
	}
	return &o, nil
}

// Sent implements [stack.Observer].
func (o *Observer) Sent(_ time.Duration, a *stack.Attempt) {
	o.inFlight.At(a.Target).Inc()
	if a.Number > 1 {
		o.retries.At(a.Target).Inc()
	}
}

// Ended implements [stack.Observer].
func (o *Observer) Ended(_ time.Duration, a *stack.Attempt, s *stack.Step) {
	kind := int(s.Outcome.Kind)
	o.inFlight.At(a.Target).Dec()
	o.attempts.At(a.Target, a.Key, kind).Inc()
	o.onWire.At(a.Target, kind).Observe((s.Ended - s.Sent).Seconds())
	if s.FirstToken > 0 {
		o.first.At(a.Target).Observe((s.FirstToken - s.Sent).Seconds())
	}
	if u := s.Outcome.Usage; u != (stack.Usage{}) {
		o.tokens.At(a.Target, series.Input).Add(tokens(u.In))
		o.tokens.At(a.Target, series.Cached).Add(tokens(u.Cached))
		o.tokens.At(a.Target, series.Output).Add(tokens(u.Out))
	}
}

// tokens is what a counter can take: one that is told less than nothing panics, and the number
// is from a vendor.
func tokens(n int64) float64 { return float64(max(0, n)) }

// Done implements [stack.Observer].
func (o *Observer) Done(_ time.Duration, r *stack.Result) {
	route, class, ending := r.Request.Route, int(r.Request.Class), int(r.Ending)
	o.requests.At(route, class, ending, int(r.Reason)).Inc()
	o.duration.At(route, class, ending).Observe((r.Ended - r.Submitted).Seconds())
	o.queued.At(route, class).Observe(r.Queued.Seconds())
	if r.Backoff > 0 {
		o.backoff.At(route, class).Observe(r.Backoff.Seconds())
	}
	if r.Ending == stack.Succeeded {
		o.answers.At(route, r.Degrade).Inc()
	}
}
