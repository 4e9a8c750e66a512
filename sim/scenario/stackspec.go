package scenario

import "reflect"

// Stack is the client stack. What is left out is as in stack.Default.
type Stack struct {
	Instances   *int             `yaml:"instances" jsonschema:"minimum=1,maximum=10000" doc:"Independent stacks that share the upstream, as so many processes would (default 1)."`
	Shared      Shared           `yaml:"shared" doc:"Has the instances share budgets, concurrency limits and lines, as a fleet of processes does through Redis: off (default), on, or a map. Off: each takes the limits for its own. With the controllers static and aimd."`
	Routes      Map[[]RouteStep] `yaml:"routes" doc:"Logical models, and what may stand in for them, in order: at most 4 steps. A model without a route is a route of one step."`
	Queue       Queue            `yaml:"queue" doc:"The line in front of each model."`
	Concurrency Concurrency      `yaml:"concurrency" doc:"Requests in flight per model."`
	Targets     Map[TargetSpec]  `yaml:"targets" doc:"Overrides by model."`
	Rotation    Rotation         `yaml:"rotation" doc:"Choice among keys."`
	Budget      Budget           `yaml:"budget" doc:"How much of the provider's limits is used, and how evenly."`
	Reserve     Reserve          `yaml:"reserve" doc:"What only P0 may use."`
	Retry       Retry            `yaml:"retry" doc:"Retries."`
	Breaker     Breaker          `yaml:"breaker" doc:"Breaker in front of each model."`
	Timeouts    Timeouts         `yaml:"timeouts" doc:"Waits for the wire."`
	AgentCap    AgentCap         `yaml:"agent_cap" doc:"Rate cap of each agent."`
	Context     Map[Tokens]      `yaml:"context" doc:"Largest prompt in tokens by kind, default for all others; 0: no cap. Longer ones are cut down: by summaries, or, without them, at no cost."`
	Summaries   Summaries        `yaml:"summaries" doc:"Has what no longer fits a context cap summarised by a model, at its price and in its time: off (default), or a map. A profile's summaries are reported as PROFILE/summary."`
	Fallback    Fallback         `yaml:"fallback" doc:"When the next step of a route is taken."`
	Idempotency string           `yaml:"idempotency" jsonschema:"enum=keys,enum=none,enum=unsafe" doc:"keys (default): writes carry a key and are retried. none: writes of unknown outcome are not retried. unsafe: retried without a key, for experiments."`
	Cache       Cache            `yaml:"cache" doc:"Answers what was asked before, in other words too: on, off (default), or how it differs. Writes are never answered from it. It is one for each instance."`
	Routing     Map[RoutingSpec] `yaml:"routing" doc:"By route or model: simple requests take another one, by the complexity of what is asked."`
	Client      string           `yaml:"client" jsonschema:"enum=full,enum=none" doc:"none: a client without a stack. Each request goes out at once, once, on the next key in turn, to the first model of its route; all else here but routes, timeouts and instances is without effect. stack: none is short for it. (default full)"`
}

// stackForm is a stack as a map: it may also be the word none.
type stackForm Stack

// RouteStep is a model of a route.
type RouteStep struct {
	Model     string
	MaxOutput Tokens
}

type routeStepForm struct {
	Model     string `yaml:"model" jsonschema:"required" doc:"Model of an upstream."`
	MaxOutput Tokens `yaml:"max_output" jsonschema:"minimum=0" doc:"Cap of the output in this step, in tokens (default 0: as asked)."`
}

func (v *RouteStep) shape() reflect.Type { return reflect.TypeFor[routeStepForm]() }

func (v *RouteStep) decode(d *decoder, n *node, _ rules) {
	var form routeStepForm
	switch {
	case n.kind == mapNode:
		d.fields(n, reflect.ValueOf(&form).Elem())
	case n.kind == scalarNode && n.tag == "!!str":
		form.Model = n.text
	default:
		d.add(n, problem{"not a step of a route", n.found(), "the name of a model, or {model, max_output}", "write gpt-4.1, or {model: gpt-4.1-nano, max_output: 128}"})
	}
	*v = RouteStep(form)
}

// Queue bounds the line in front of each gate.
type Queue struct {
	Bound    *int      `yaml:"bound" jsonschema:"minimum=1,maximum=1000000" doc:"Requests that may wait (default 2048). Smaller: refused sooner. Larger: longer tails."`
	Overflow *string   `yaml:"overflow" jsonschema:"enum=reject,enum=block" doc:"What happens beyond the bound: reject (default), the lowest class first, or block the caller."`
	MaxWait  *Duration `yaml:"max_wait" jsonschema:"maximum=720h" doc:"Longest wait (default 5m); 0s: no end."`
}

// Concurrency sets up a gate's controller.
type Concurrency struct {
	Controller *string   `yaml:"controller" doc:"static, aimd, gradient2 or vegas (default aimd)."`
	Start      *int      `yaml:"start" jsonschema:"minimum=1,maximum=1000000" doc:"Limit at the beginning (default 64)."`
	Min        *int      `yaml:"min" jsonschema:"minimum=1,maximum=1000000" doc:"Smallest limit (default 4)."`
	Max        *int      `yaml:"max" jsonschema:"minimum=1,maximum=1000000" doc:"Largest limit (default 1024)."`
	Interval   *Duration `yaml:"interval" jsonschema:"minimum=1ms,maximum=1h" doc:"Time between increases, and the window of at most one decrease (default 5s)."`
	Low        *Duration `yaml:"low" jsonschema:"maximum=24h" doc:"The limit grows while the 95th percentile of the signal is below (default 1500ms)."`
	High       *Duration `yaml:"high" jsonschema:"exclusiveMinimum=0s,maximum=24h" doc:"The limit is cut above it (default 4s)."`
	Signal     *string   `yaml:"signal" jsonschema:"enum=first_token,enum=per_token,enum=total" doc:"Latency that is looked at, of successes (default first_token)."`
	Samples    *int      `yaml:"samples" jsonschema:"minimum=1,maximum=100000" doc:"Size of the signal's window (default 200)."`
	MinSamples *int      `yaml:"min_samples" jsonschema:"minimum=1,maximum=100000" doc:"Samples that must be there (default 50)."`
	Increase   *Percent  `yaml:"increase" jsonschema:"maximum=1000" doc:"Growth per interval, in percent of the square root of the limit (default 100%); 0%: exactly one."`
	DecreaseTo *Percent  `yaml:"decrease_to" jsonschema:"minimum=1,maximum=99" doc:"What remains of the limit after a cut (default 50%)."`
	DecreaseOn []string  `yaml:"decrease_on" jsonschema:"enum=rate,enum=overload,enum=timeout" doc:"Failures that cut the limit, besides the signal (default [overload])."`
}

// TargetSpec overrides the stack's settings for one model.
type TargetSpec struct {
	Concurrency *Concurrency `yaml:"concurrency" doc:"What differs from stack.concurrency."`
}

// Rotation sets up the choice among keys.
type Rotation struct {
	Weights *string   `yaml:"weights" jsonschema:"enum=fixed,enum=remaining" doc:"fixed: the keys' weights. remaining (default): times the quota that is left."`
	Exclude *Duration `yaml:"exclude" jsonschema:"maximum=24h" doc:"Rest of a key after a 429; a longer Retry-After extends it (default 60s)."`
}

// Budget sets up how much of the limits is used.
type Budget struct {
	RPMHeadroom *Percent  `yaml:"rpm_headroom" jsonschema:"minimum=1,maximum=100" doc:"Share of the requests per minute that may be used (default 80%)."`
	TPMHeadroom *Percent  `yaml:"tpm_headroom" jsonschema:"minimum=1,maximum=100" doc:"Share of the tokens per minute that may be used (default 80%)."`
	Burst       *Duration `yaml:"burst" jsonschema:"minimum=1ms,maximum=60s" doc:"How much of the rate may be sent at once, as time (default 5s)."`
}

// Reserve is what only P0 may use.
type Reserve struct {
	Slots *Percent `yaml:"slots" jsonschema:"minimum=0,maximum=90" doc:"Of the slots (default 10%)."`
	Rate  *Percent `yaml:"rate" jsonschema:"minimum=0,maximum=90" doc:"Of the requests and tokens per minute (default 10%)."`
	Queue *Percent `yaml:"queue" jsonschema:"minimum=0,maximum=90" doc:"Of the queue's places (default 10%)."`
}

// Retry sets up retries.
type Retry struct {
	Attempts    *int      `yaml:"attempts" jsonschema:"minimum=1,maximum=20" doc:"Attempts per request in all, over keys and steps (default 4)."`
	Base        *Duration `yaml:"base" jsonschema:"minimum=1ms,maximum=1h" doc:"First wait, doubled with every retry (default 1s)."`
	Cap         *Duration `yaml:"cap" jsonschema:"minimum=1ms,maximum=24h" doc:"Longest wait before the jitter (default 30s)."`
	Jitter      *bool     `yaml:"jitter" doc:"Spread the waits by a factor of 0.5 to 1.5 (default true). false only for experiments."`
	Budget      *Percent  `yaml:"budget" jsonschema:"minimum=0,maximum=100" doc:"Retries of the fleet, of first attempts (default 20%)."`
	BudgetBurst *int      `yaml:"budget_burst" jsonschema:"minimum=0,maximum=1000000" doc:"Retries in hand at the start (default 500). Both 0: no budget, retries are free."`
}

// Breaker sets up the breakers.
type Breaker struct {
	Enabled    *bool     `yaml:"enabled" doc:"Default true."`
	Window     *Duration `yaml:"window" jsonschema:"minimum=1s,maximum=1h" doc:"Time over which failures are counted (default 20s)."`
	MinSamples *int      `yaml:"min_samples" jsonschema:"minimum=1,maximum=1000000" doc:"Attempts in the window before it may open (default 20)."`
	Failures   *Percent  `yaml:"failures" jsonschema:"minimum=1,maximum=100" doc:"Share of failures at which it opens (default 50%)."`
	OpenFor    *Duration `yaml:"open_for" jsonschema:"minimum=1ms,maximum=24h" doc:"First pause, doubled with every failed probe (default 15s)."`
	OpenMax    *Duration `yaml:"open_max" jsonschema:"minimum=1ms,maximum=24h" doc:"Longest pause (default 2m)."`
	Probes     *int      `yaml:"probes" jsonschema:"minimum=1,maximum=1000" doc:"Attempts that test the model after a pause; as many successes close it (default 3)."`
}

// Timeouts holds the waits for the wire.
type Timeouts struct {
	Connect         *Duration     `yaml:"connect" jsonschema:"minimum=1ms,maximum=1h" doc:"For the connection (default 5s)."`
	FirstToken      *Duration     `yaml:"first_token" jsonschema:"minimum=1ms,maximum=24h" doc:"For the first token, beyond the expected prefill (default 8s)."`
	PrefillPerToken *Duration     `yaml:"prefill_per_token" jsonschema:"maximum=1s" doc:"Expected prefill per prompt token (default 160us)."`
	Gap             *Duration     `yaml:"gap" jsonschema:"minimum=1ms,maximum=24h" doc:"Between bytes of a stream (default 30s)."`
	Deadline        Map[Duration] `yaml:"deadline" jsonschema:"maximum=720h" doc:"Of a whole request, by class P0, P1, P2 (default none); 0s: none."`
}

// AgentCap limits each agent by itself.
type AgentCap struct {
	PerMinute *int      `yaml:"per_minute" jsonschema:"minimum=0,maximum=1000000" doc:"Requests per minute and agent (default 30); 0: no cap."`
	Burst     *int      `yaml:"burst" jsonschema:"minimum=1,maximum=1000000" doc:"Requests at once (default 10)."`
	MaxWait   *Duration `yaml:"max_wait" jsonschema:"maximum=720h" doc:"Wait beyond which a request is rejected (default 5m); 0s: no end."`
}

// Fallback sets up degradation.
type Fallback struct {
	After   *int      `yaml:"after" jsonschema:"minimum=1,maximum=20" doc:"Failed attempts at a step before the next is taken (default 2)."`
	MaxWait *Duration `yaml:"max_wait" jsonschema:"maximum=24h" doc:"A step that is blocked for longer is passed over (default 8s)."`
}
