package scenario

// Spec is a scenario as it is written, decoded and checked. Its fields are the keys
// of the file; their tags hold the bounds and the descriptions that [Schema] prints.
type Spec struct {
	Name        string        `yaml:"name" doc:"Name of the scenario; by default the file's name."`
	Description string        `yaml:"description" doc:"What the scenario shows."`
	Seed        *uint64       `yaml:"seed" doc:"Seed of everything random (default 1). The same seed gives the same report."`
	Duration    Duration      `yaml:"duration" jsonschema:"required,exclusiveMinimum=0s,maximum=744h" doc:"Simulated time, up to 744h."`
	Warmup      Duration      `yaml:"warmup" doc:"Time at the start that statistics leave out (default 0s); less than the duration."`
	Epoch       Instant       `yaml:"epoch" doc:"Date and time at which the run begins (default 2026-01-05T08:00:00Z, midnight in California): vendors' limits per day and per minute of the clock turn by it."`
	Mode        string        `yaml:"mode" jsonschema:"enum=virtual,enum=wall" doc:"virtual (default): simulated time. wall: real time and real sockets."`
	Workload    Workload      `yaml:"workload" jsonschema:"required" doc:"Who asks what, and when."`
	Upstreams   Map[Upstream] `yaml:"upstreams" jsonschema:"required" doc:"The providers, by vendor: models, keys, limits, faults."`
	Stack       Stack         `yaml:"stack" doc:"The client stack: queues, concurrency, rotation, budgets, retries, fallbacks."`
	Prices      Prices        `yaml:"prices" doc:"Prices and budget; they override the catalogue."`
	Alerts      Alerts        `yaml:"alerts" doc:"Rules of observability: what would have paged somebody."`
	Variants    Map[Overlay]  `yaml:"variants" doc:"Named overlays, merged as patches into the rest: maps merge, values and lists replace, null removes. With variants the base itself is not run."`
	Expect      []string      `yaml:"expect" doc:"Expectations: metric, selector in braces, comparison, value, such as p99{profile=hypothesis} < 6s."`
}

// Overlay is what a variant may change.
type Overlay struct {
	Description string        `yaml:"description" doc:"What the variant changes."`
	Workload    Workload      `yaml:"workload" doc:"Changes of the workload. Best left out: variants are compared on the same demand."`
	Upstreams   Map[Upstream] `yaml:"upstreams" doc:"Changes of the providers."`
	Stack       Stack         `yaml:"stack" doc:"Changes of the client stack."`
	Prices      Prices        `yaml:"prices" doc:"Changes of the prices."`
	Alerts      Alerts        `yaml:"alerts" doc:"Changes of the alerts."`
}

// Workload is the demand.
type Workload struct {
	Profiles Map[Profile] `yaml:"profiles" jsonschema:"required" doc:"Kinds of requests."`
	Agents   Map[Agents]  `yaml:"agents" doc:"Groups of agents: each works through its phases round by round, and never has two requests open."`
	Streams  Map[Stream]  `yaml:"streams" doc:"Open loops: requests arrive whatever became of the earlier ones."`
	Traces   Map[Trace]   `yaml:"traces" doc:"Recorded arrivals, replayed."`
}

// Profile is a kind of request.
type Profile struct {
	Class         string         `yaml:"class" jsonschema:"required,enum=P0,enum=P1,enum=P2" doc:"Priority: P0 is the most urgent and has a reserve."`
	Model         string         `yaml:"model" jsonschema:"required" doc:"Model asked for: a route, or a model of an upstream."`
	Kind          string         `yaml:"kind" doc:"Task type, for stack.context (default: the profile's name)."`
	Interval      Dist[Duration] `yaml:"interval" doc:"Time between the intended instants of an agent's requests, and least time between those of a stream's session; needed where agents or sessions use the profile."`
	Context       Dist[Tokens]   `yaml:"context" doc:"Prompt of a task's first round, in tokens; needed except for traces."`
	Growth        Dist[Tokens]   `yaml:"growth" doc:"Tokens that each further round adds (default 0)."`
	MaxContext    Tokens         `yaml:"max_context" doc:"Cap of the prompt in tokens (default 0: none)."`
	SharedPrefix  Dist[Tokens]   `yaml:"shared_prefix" doc:"Tokens at the beginning of a task's first prompt that others began with before, such as a system prompt: prompt_cache holds them (default 0)."`
	Output        Dist[Tokens]   `yaml:"output" doc:"Tokens that the model will say; needed except for traces."`
	MaxOutput     Tokens         `yaml:"max_output" jsonschema:"required,minimum=1" doc:"Output asked for at most (max_tokens); many vendors charge it against the token limit."`
	Writes        Share          `yaml:"writes" doc:"Share of the requests that change something and must not be carried out twice (default 0)."`
	EstimateError Share          `yaml:"estimate_error" doc:"Standard deviation of ln(estimated / real prompt tokens) (default 0)."`
	Topics        Topics         `yaml:"topics" doc:"What the requests are about (default: each about a thing of its own)."`
	Hard          Share          `yaml:"hard" doc:"Share of the requests, or of the topics, that ask for something hard (default 0): see stack.routing."`
	Patience      Dist[Duration] `yaml:"patience" doc:"Time from the issue of a request after which the caller cancels it (default 0s: never)."`
}

// Agents is a group of like agents.
type Agents struct {
	Count        int            `yaml:"count" jsonschema:"required,minimum=1,maximum=10000000" doc:"Number of agents."`
	Phases       []Phase        `yaml:"phases" jsonschema:"required" doc:"Parts of a task, in order; after the last a new task begins."`
	Stagger      Duration       `yaml:"stagger" doc:"Time over which the first requests are spread evenly, those of each wave by themselves (default 0s)."`
	RandomStart  bool           `yaml:"random_start" doc:"Begin at a random round of the task, so that the run does not open with every context empty (default false)."`
	Waves        *int           `yaml:"waves" jsonschema:"minimum=1,maximum=10000000" doc:"Waves of equal size that the agents start in, up to their count (default 1)."`
	WaveEvery    *Duration      `yaml:"wave_every" jsonschema:"exclusiveMinimum=0s" doc:"Time from the start of a wave to that of the next; needed with waves above 1."`
	TaskDeadline Dist[Duration] `yaml:"task_deadline" doc:"Time that a task has, from its first intended instant on; what is left of it then is dropped (default 0s: no end)."`
}

// Phase is a part of a task.
type Phase struct {
	Profile     string         `yaml:"profile" jsonschema:"required" doc:"Profile of its requests."`
	Rounds      Dist[Tokens]   `yaml:"rounds" jsonschema:"required" doc:"Number of requests, at least 1."`
	KeepContext bool           `yaml:"keep_context" doc:"Carry the context of the phase before over (default false)."`
	Tool        Dist[Duration] `yaml:"tool" doc:"Time that the agent works with a tool after an answer before it asks again (default 0s)."`
	FanOut      Dist[Tokens]   `yaml:"fan_out" doc:"Sub-agents that each round starts when it is answered, 1024 at most; the agent goes on when all are done (default 0)."`
	SubProfile  string         `yaml:"sub_profile" doc:"Profile of the sub-agents' requests, its interval before each of them; needed with fan_out."`
	SubRounds   Dist[Tokens]   `yaml:"sub_rounds" doc:"Requests of each sub-agent, at least 1 (default 1)."`
}

// Prices is what tokens cost.
type Prices struct {
	CNYPerUSD        *Number         `yaml:"cny_per_usd" jsonschema:"exclusiveMinimum=0,maximum=1000" doc:"Exchange rate (default 7.18)."`
	MonthlyBudgetUSD Amount          `yaml:"monthly_budget_usd" doc:"Budget of a month in USD (default 0: none)."`
	MonthlyBudgetCNY Amount          `yaml:"monthly_budget_cny" doc:"The same in CNY, at cny_per_usd; one of the two (default 0: none)."`
	Models           Map[ModelPrice] `yaml:"models" doc:"Prices by model, in USD per million tokens."`
}

// ModelPrice is the price of a model.
type ModelPrice struct {
	Input  *Price `yaml:"input" doc:"Prompt tokens."`
	Cached *Price `yaml:"cached" doc:"Prompt tokens read from the provider's cache (default: the catalogue's; for a model unknown to it, as input)."`
	Output *Price `yaml:"output" doc:"Output tokens."`
	// The writes of a cache and long prompts are priced by some vendors.
	CacheWrite *Price     `yaml:"cache_write" doc:"Prompt tokens written to the provider's cache (default: the catalogue's; where it has none, as input)."`
	Long       *LongPrice `yaml:"long" doc:"Prices of all tokens of a call with a long prompt (default: the catalogue's, if it has some)."`
}

// LongPrice is the price of a model's calls with long prompts.
type LongPrice struct {
	From       *Tokens `yaml:"from" jsonschema:"minimum=1" doc:"Calls with a prompt of more tokens have these prices (default: the catalogue's)."`
	Input      *Price  `yaml:"input" doc:"Prompt tokens (default: the catalogue's, or as for short prompts)."`
	Cached     *Price  `yaml:"cached" doc:"Prompt tokens read from the cache (default: the catalogue's, or as for short prompts)."`
	Output     *Price  `yaml:"output" doc:"Output tokens (default: the catalogue's, or as for short prompts)."`
	CacheWrite *Price  `yaml:"cache_write" doc:"Prompt tokens written to the cache (default: the catalogue's, or as for short prompts)."`
}

// Alerts is what would have paged somebody.
type Alerts struct {
	P99            Map[Duration] `yaml:"p99" jsonschema:"exclusiveMinimum=0s" doc:"Bound of the 99th percentile by profile, a minute at a time."`
	Ratio429       *Share        `yaml:"ratio_429" doc:"Bound of the share of attempts that are answered 429."`
	TPMUtilisation *Share        `yaml:"tpm_utilisation" doc:"Bound of the use of a quota's tokens per minute."`
}
