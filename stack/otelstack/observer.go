package otelstack

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"

	"github.com/seed-4fd17b57/simload/stack"
	"github.com/seed-4fd17b57/simload/stack/internal/series"
)

// Observer tells a meter what a client does. It is for one client: that client's lock guards it. With
// the SDK v1.47.0 a request of one attempt costs some 6 µs, nearly all of it in the SDK, and no
// allocation; see BenchmarkObserver.
type Observer struct {
	requests counter
	duration histogram[float64]
	queued   histogram[float64]
	backoff  histogram[float64]
	answers  counter

	attempts counter
	inFlight counter
	retries  counter
	tokens   counter
	targets  []operation
}

// operation is the series of a target that have the names of the conventions.
type operation struct {
	duration histogram[float64]
	first    histogram[float64]
	usage    histogram[int64]
}

var _ stack.Observer = (*Observer)(nil)

// New returns an observer for a client of the configuration. Where one meter serves several clients,
// their figures add up. Measurements are made without a context, so none has an exemplar. The
// error is the meter's.
func New(cfg stack.Config, m metric.Meter) (*Observer, error) {
	f := factory{meter: m}
	o := &Observer{}
	o.ofRequests(&f, &cfg)
	o.ofAttempts(&f, &cfg)
	o.ofOperations(&f, &cfg)
	if err := errors.Join(f.errs...); err != nil {
		return nil, fmt.Errorf("making the instruments of a client: %w", err)
	}
	return o, nil
}

func (o *Observer) ofRequests(f *factory, cfg *stack.Config) {
	route, class := label{routeKey, series.Routes(cfg)}, label{classKey, series.Classes()}
	ending, reason := label{endingKey, series.Endings()}, label{reasonKey, series.Reasons()}
	o.requests = f.counter("simload.requests", "{request}", "Requests that ended.").by(route, class, ending, reason)
	o.duration = f.seconds("simload.request.duration", "Time from the submission of a request to its end.",
		series.Request()).by(nil, route, class, ending)
	o.queued = f.seconds("simload.request.queue", "Time that a request waited in line at gates, all attempts together.",
		series.Request()).by(nil, route, class)
	o.backoff = f.seconds("simload.request.backoff", "Time between the attempts of a request, of requests that backed off.",
		series.Request()).by(nil, route, class)
	o.answers = f.counter("simload.answers", "{request}",
		"Requests that succeeded, by the degradation step that answered; 0 is the model asked for.").by(route, label{stepKey, series.Steps(cfg)})
}

func (o *Observer) ofAttempts(f *factory, cfg *stack.Config) {
	target, key := label{targetKey, series.Targets(cfg)}, label{keyKey, series.Keys(cfg)}
	o.attempts = f.counter("simload.attempts", "{attempt}", "Attempts that ended.").by(target, key, label{outcomeKey, series.Outcomes()})
	o.inFlight = f.gauge("simload.attempts.in_flight", "{attempt}", "Attempts on the wire.").by(target)
	o.retries = f.counter("simload.retries", "{attempt}", "Attempts sent that were not the first of their request.").by(target)
	o.tokens = f.counter("simload.tokens", "{token}",
		"Tokens as vendors bill them; cached ones are a part of the input.").by(target, label{tokenKey, series.Tokens()})
}

func (o *Observer) ofOperations(f *factory, cfg *stack.Config) {
	duration := f.seconds("gen_ai.client.operation.duration", "GenAI operation duration.", series.Operation())
	first := f.seconds("gen_ai.client.operation.time_to_first_chunk",
		"Time from the send of an operation to the first chunk of its answer.", series.Operation())
	tokens := f.tokens("gen_ai.client.token.usage", "Number of input and output tokens used.", series.TokenUsage())
	faults := series.Outcomes()
	faults[stack.Success] = "" // has none
	types := []string{series.Input: "input", series.Cached: "", series.Output: "output"}
	for i := range cfg.Targets {
		base := describe(&cfg.Targets[i])
		o.targets = append(o.targets, operation{
			duration: duration.by(base, label{errorTypeKey, faults}),
			first:    first.by(base),
			usage:    tokens.by(base, label{tokenTypeKey, types}),
		})
	}
}

// describe returns what the conventions want to know of a target.
func describe(t *stack.Target) []attribute.KeyValue {
	base := []attribute.KeyValue{operationNameKey.String("chat"), requestModelKey.String(strings.ToValidUTF8(t.Name, "?"))}
	if name := provider(t.Vendor); name != "" {
		base = append(base, providerNameKey.String(name))
	}
	return base
}

// Sent implements [stack.Observer].
func (o *Observer) Sent(_ time.Duration, a *stack.Attempt) {
	o.inFlight.add(1, a.Target)
	if a.Number > 1 {
		o.retries.add(1, a.Target)
	}
}

// Ended implements [stack.Observer].
func (o *Observer) Ended(_ time.Duration, a *stack.Attempt, s *stack.Step) {
	kind, op := int(s.Outcome.Kind), &o.targets[a.Target]
	o.inFlight.add(-1, a.Target)
	o.attempts.add(1, a.Target, a.Key, kind)
	op.duration.record((s.Ended - s.Sent).Seconds(), kind)
	if s.FirstToken > 0 {
		op.first.record((s.FirstToken - s.Sent).Seconds())
	}
	u := s.Outcome.Usage
	if u == (stack.Usage{}) {
		return // not told
	}
	o.tokens.add(max(0, u.In), a.Target, series.Input)
	o.tokens.add(max(0, u.Cached), a.Target, series.Cached)
	o.tokens.add(max(0, u.Out), a.Target, series.Output)
	if s.Outcome.Kind == stack.Success {
		op.usage.record(max(0, u.In), series.Input)
		op.usage.record(max(0, u.Out), series.Output)
	}
}

// Done implements [stack.Observer].
func (o *Observer) Done(_ time.Duration, r *stack.Result) {
	route, class, ending := r.Request.Route, int(r.Request.Class), int(r.Ending)
	o.requests.add(1, route, class, ending, int(r.Reason))
	o.duration.record((r.Ended - r.Submitted).Seconds(), route, class, ending)
	o.queued.record(r.Queued.Seconds(), route, class)
	if r.Backoff > 0 {
		o.backoff.record(r.Backoff.Seconds(), route, class)
	}
	if r.Ending == stack.Succeeded {
		o.answers.add(1, route, r.Degrade)
	}
}
