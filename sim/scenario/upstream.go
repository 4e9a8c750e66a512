package scenario

import "reflect"

// Upstream is one vendor.
type Upstream struct {
	Dialect      string       `yaml:"dialect" jsonschema:"enum=openai,enum=anthropic,enum=gemini,enum=deepseek,enum=azure,enum=openrouter" doc:"How the vendor limits and answers (default openai)."`
	Models       Map[Model]   `yaml:"models" jsonschema:"required" doc:"Its models; {} takes every figure from the catalogue."`
	Keys         Map[KeyPool] `yaml:"keys" jsonschema:"required" doc:"Pools of API keys."`
	Projects     Map[Project] `yaml:"projects" doc:"Parts of an organisation (projects, workspaces) with limits of their own, beside those of the keys' group."`
	CountRefused bool         `yaml:"count_refused" doc:"Charge refused requests against the limits too (default false; azure always does)."`
	CountCached  bool         `yaml:"count_cached" doc:"Count prompt tokens read from the cache against tpm, as anthropic does for older models (default false; other dialects always do)."`
	Faults       Map[Fault]   `yaml:"faults" doc:"Scripted disturbances."`
}

// Model is one model of a vendor.
type Model struct {
	Catalogue     string      `yaml:"catalogue" doc:"Entry of the catalogue to take figures from (default: the model's own name)."`
	Family        string      `yaml:"family" doc:"Limit family: models of one family share a key's limits (default: the model's own name)."`
	Latency       Latency     `yaml:"latency" doc:"Time to answer."`
	Capacity      Capacity    `yaml:"capacity" doc:"Calls that run at once: a number, or a list of {at, slots}; more are answered 503. Default: no limit and no load."`
	PromptCache   PromptCache `yaml:"prompt_cache" doc:"Cache of repeated prompt prefixes: on (as the catalogue knows the model's), off, or how it differs (default off)."`
	QueueWait     *Duration   `yaml:"queue_wait" jsonschema:"exclusiveMinimum=0s,maximum=24h" doc:"How long a call waits in line for a slot before the server closes the connection: deepseek (default 10m)."`
	Heartbeat     *Duration   `yaml:"heartbeat" jsonschema:"minimum=1ms,maximum=24h" doc:"How often an open stream shows a sign of life whatever the model does (default: never). It keeps slow and stalled streams from the client's gap timeout."`
	Charge        string      `yaml:"charge" jsonschema:"enum=max,enum=sum,enum=input,enum=uncached" doc:"How the client counts a request against TPM: the larger of max_output and the prompt, their sum, the prompt alone, or what of it is not cached. Default by dialect: openai, openrouter max; azure sum; gemini, deepseek input; anthropic uncached, with count_cached input."`
	ContextWindow *Tokens     `yaml:"context_window" jsonschema:"minimum=1" doc:"Prompt and output together, in tokens (default: the catalogue's; unknown to it: no check)."`
	MaxOutput     *Tokens     `yaml:"max_output" jsonschema:"minimum=1" doc:"Largest output in tokens (default: the catalogue's; unknown to it: no check)."`
}

// Latency is a model's time to answer. What is left out comes from the catalogue.
type Latency struct {
	Base            *Duration `yaml:"base" jsonschema:"maximum=1h" doc:"Time to the first token of an empty prompt."`
	PerPromptToken  *Duration `yaml:"per_prompt_token" jsonschema:"maximum=1h" doc:"Added for each prompt token."`
	PerCachedToken  *Duration `yaml:"per_cached_token" jsonschema:"maximum=1h" doc:"Added for each prompt token read from the cache."`
	PerOutputToken  *Duration `yaml:"per_output_token" jsonschema:"maximum=1h" doc:"Time for each further token."`
	FirstTokenNoise *Noise    `yaml:"first_token_noise" doc:"Noise of the time to the first token: the standard deviation of its logarithm up to 5, or as it was measured."`
	OutputNoise     *Noise    `yaml:"output_noise" doc:"Noise of the time per token, likewise."`
	Load            *Number   `yaml:"load" jsonschema:"maximum=1000" doc:"Times grow by 1 + load * running / capacity."`
	Refusal         *Duration `yaml:"refusal" jsonschema:"maximum=1h" doc:"Time to answer an error."`
}

// CapacityStep sets the capacity from an instant on.
type CapacityStep struct {
	At    Duration `yaml:"at" jsonschema:"required" doc:"Instant since the start."`
	Slots int      `yaml:"slots" jsonschema:"required,minimum=0,maximum=100000000" doc:"Calls that run at once from then on."`
}

// Capacity is the steps of a model's capacity, in order of time.
type Capacity []CapacityStep

func (v *Capacity) shape() reflect.Type { return reflect.TypeFor[[]CapacityStep]() }

func (v *Capacity) decode(d *decoder, n *node, _ rules) {
	if n.kind != listNode {
		if n.kind == mapNode {
			d.add(n, problem{"not a capacity", n.found(), "a number, or a list of {at, slots}", "write capacity: 400, or [{at: 0s, slots: 400}]"})
			return
		}
		if slots, ok := d.integer(n, rules{min: "1", max: "100000000"}); ok {
			*v = Capacity{{Slots: int(slots)}}
		}
		return
	}
	var steps []CapacityStep
	d.items(n, reflect.ValueOf(&steps).Elem(), rules{})
	if len(steps) == 0 {
		d.add(n, problem{"no steps", n.found(), "a list of at least one {at, slots}", "leave capacity out for no limit"})
	}
	for i := 1; i < len(steps); i++ {
		if steps[i].At <= steps[i-1].At && len(d.list)+d.more == 0 {
			d.add(n.items[i], problem{"steps out of order", n.items[i].child("at").found(), "later than the step before", "sort the steps by at"})
		}
	}
	*v = steps
}

// PromptCache says which prompts are read from the provider's cache.
type PromptCache struct {
	Given, Off bool
	Form       promptCacheForm
}

type promptCacheForm struct {
	Min   *Tokens   `yaml:"min" jsonschema:"minimum=0" doc:"Shortest prefix that is kept, in tokens (default: the catalogue's)."`
	Block *Tokens   `yaml:"block" jsonschema:"minimum=1" doc:"Cached tokens come in whole blocks of this size (default: the catalogue's)."`
	TTL   *Duration `yaml:"ttl" jsonschema:"exclusiveMinimum=0s" doc:"Time that a prefix stays in the cache after its last use (default: the catalogue's)."`
}

func (v *PromptCache) shape() reflect.Type { return reflect.TypeFor[promptCacheForm]() }

func (v *PromptCache) decode(d *decoder, n *node, _ rules) {
	v.Given = true
	switch {
	case n.kind == mapNode:
		d.fields(n, reflect.ValueOf(&v.Form).Elem())
	case n.kind == scalarNode && (n.text == "on" || n.text == "true"):
	case n.kind == scalarNode && (n.text == "off" || n.text == "false"):
		v.Off = true
	default:
		d.add(n, problem{"not a prompt cache", n.found(), "on, off, or a map with min, block and ttl", "write on, or {min: 1024, block: 128, ttl: 5m}"})
	}
}

// KeyPool is a number of like API keys.
type KeyPool struct {
	Count       *int            `yaml:"count" jsonschema:"minimum=1,maximum=10000" doc:"Number of keys (default 1); more than one are named pool-1, pool-2, ..."`
	Group       string          `yaml:"group" doc:"Keys of one group share their limits (an organisation). Default: each key is a group of its own."`
	Project     string          `yaml:"project" doc:"Project of the group, one of projects: its limits count too. The client knows them as far as all keys of the group have some."`
	Tier        string          `yaml:"tier" doc:"Usage tier: takes the limits of each model from the catalogue, as far as the dialect has such."`
	Limits      Map[Limit]      `yaml:"limits" doc:"Limits by family or model, \"*\" for all others; they override the tier's."`
	Long        *LongLimits     `yaml:"long" doc:"Limits of long prompts, which the client does not know; {} takes the tier's (default: long prompts are like others)."`
	KnownLimits Map[KnownLimit] `yaml:"known_limits" doc:"What the client takes the limits for, by family or model, \"*\" for all others; for experiments with a wrong configuration. Default: what they are."`
	Weight      *int64          `yaml:"weight" jsonschema:"minimum=0,maximum=10000" doc:"Share of the rotation (default 1); 0: never picked."`
	Models      []string        `yaml:"models" doc:"Models the keys may be used for (default: all of the vendor)."`
}

// Fault is a scripted disturbance.
type Fault struct {
	Kind       string     `yaml:"kind" jsonschema:"required,enum=burst_429,enum=cut_limit,enum=error,enum=slowdown,enum=blackhole,enum=refuse_connection,enum=lost_response,enum=broken_stream,enum=stall,enum=stream_error,enum=no_credit" doc:"What goes wrong."`
	At         Duration   `yaml:"at" jsonschema:"required" doc:"Start, since the start of the run."`
	For        Duration   `yaml:"for" jsonschema:"required,exclusiveMinimum=0s" doc:"Length."`
	Every      *Duration  `yaml:"every" jsonschema:"minimum=1ms" doc:"Period of repetition, longer than for (default: once)."`
	Share      *Share     `yaml:"share" jsonschema:"exclusiveMinimum=0" doc:"Share of the calls that are hit (default 100%)."`
	Models     []string   `yaml:"models" doc:"Models that are hit (default: all of the vendor)."`
	Keys       []string   `yaml:"keys" doc:"Keys or pools that are hit (default: all of the vendor)."`
	Status     *int       `yaml:"status" jsonschema:"minimum=429,maximum=599" doc:"Of an error: 500, 502, 503, 504 or 529; of a stream_error 429 too (default 500)."`
	Factor     *Number    `yaml:"factor" jsonschema:"exclusiveMinimum=0,maximum=1000000" doc:"Of cut_limit: what is left of RPM and TPM, below 1. Of slowdown: how many times slower, above 1."`
	RetryAfter RetryAfter `yaml:"retry_after" doc:"Of burst_429: the wait that the header names; none: no header; wrong: a tenth of the rest of the burst (default none)."`
}

// RetryAfter is what a 429 of a burst says.
type RetryAfter struct {
	Mode string // "", "fixed", "none", "wrong"
	Wait Duration
}

func (v *RetryAfter) decode(d *decoder, n *node, _ rules) {
	if n.kind == scalarNode && (n.text == "none" || n.text == "wrong") {
		v.Mode = n.text
		return
	}
	if n.kind == scalarNode && n.tag == "!!str" && (n.text == "" || n.text[0] < '0' || n.text[0] > '9') {
		d.add(n, problem{
			"not a wait", n.found(), "a duration, none, or wrong", didYouMean(n.text, []string{"none", "wrong"}, "write a duration such as 20s"),
		})
		return
	}
	v.Mode = "fixed"
	v.Wait.decode(d, n, rules{})
}
