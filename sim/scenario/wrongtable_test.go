package scenario

import "slices"

// wrongCase is a file of testdata/wrong, and what is told of it.
type wrongCase struct {
	name string
	want Errors
}

// wrong is every file of testdata/wrong.
var wrong = slices.Concat(wrongBasics, wrongLimits, wrongDemand)

// wrongBasics is what is told of text, form, names and numbers.
var wrongBasics = []wrongCase{
	{"alias-bomb", Errors{
		{Line: 1, Column: 23, Path: "f.0.5.2.5.2.5", Problem: "too many values", Found: "more than 200000", Allowed: "up to 200000, aliases expanded", Hint: "an alias that repeats a list of aliases multiplies: write the values out"},
	}},
	{"alias-loop", Errors{
		{Line: 6, Column: 34, Path: "workload.agents.crew.phases.0", Problem: "an alias that contains itself", Found: "*p", Allowed: "an alias of another value", Hint: "write the value out"},
	}},
	{"bad-class", Errors{
		{Line: 4, Column: 18, Path: "workload.profiles.ask.class", Problem: "unknown value", Found: "P3", Allowed: "P0, P1, P2", Hint: "did you mean \"P0\"?"},
	}},
	{"bad-dist", Errors{
		{Line: 4, Column: 86, Path: "workload.profiles.ask.context.lognormal.p95", Problem: "the 95th percentile is smaller than the median", Found: "4k", Allowed: "at least the median, 9k", Hint: "exchange them"},
	}},
	{"bad-suffix", Errors{
		{Line: 4, Column: 56, Path: "workload.profiles.ask.context", Problem: "not a number", Found: "1K", Allowed: "a whole number, with k (1000) or M (1 000 000) if wished", Hint: "the suffixes are k (1000) and M (1 000 000)"},
	}},
	{"separators", Errors{
		{Line: 4, Column: 56, Path: "workload.profiles.ask.context", Problem: "a number with separators", Found: "1,000", Allowed: "a number without them", Hint: "write 1000"},
		{Line: 10, Column: 45, Path: "upstreams.v.keys.k.limits.*.tpm", Problem: "a number with separators", Found: "1,200,000", Allowed: "a number without them", Hint: "write 1200000"},
	}},
	{"bad-unit", Errors{
		{Line: 4, Column: 42, Path: "workload.profiles.ask.interval", Problem: "not a duration", Found: "10 sec", Allowed: "a duration such as 20s, 1h30m, 150ms or 16us", Hint: "units are ns, us, ms, s, m and h; a day is 24h"},
	}},
	{"duplicate-key", Errors{
		{Line: 2, Column: 1, Path: "duration", Problem: "duplicate key", Found: "duration", Allowed: "each key once", Hint: "the first one is in line 1: keep one of them"},
	}},
	{"empty", Errors{
		{Line: 1, Column: 1, Path: "", Problem: "the file holds no scenario", Found: "nothing", Allowed: "a map with duration, workload and upstreams", Hint: "`simload init` writes a starter scenario"},
	}},
	{"expect-profile", Errors{
		{Line: 13, Column: 5, Path: "expect.0", Problem: "unknown profile", Found: "asks", Allowed: "ask", Hint: "did you mean \"ask\"?"},
	}},
	{"expect-syntax", Errors{
		{Line: 13, Column: 10, Path: "expect.0", Problem: "not an expectation", Found: "the end", Allowed: "a time with its unit, such as 6s, 250ms or 1m30s", Hint: "write for example p99{profile=hypothesis} < 6s"},
	}},
	{"expect-unjudgeable", Errors{
		{Line: 14, Column: 5, Path: "expect.0", Problem: "profile ask is of another class", Found: "P1", Allowed: "P0", Hint: "nothing would ever be counted: leave it out, or say which variant is meant"},
		{Line: 15, Column: 5, Path: "expect.1", Problem: "no request is of this profile", Found: "idle", Allowed: "ask", Hint: "nothing would ever be counted: leave it out, or say which variant is meant"},
		{Line: 16, Column: 5, Path: "expect.2", Problem: "no request is of this class", Found: "P2", Allowed: "P0", Hint: "nothing would ever be counted: leave it out, or say which variant is meant"},
		{Line: 17, Column: 5, Path: "expect.3", Problem: "the key may not be used for this model", Found: "k for n", Allowed: "a key of the model", Hint: "nothing would ever be counted: leave it out, or say which variant is meant"},
		{Line: 18, Column: 15, Path: "expect.4", Problem: "not an expectation", Found: "key", Allowed: "queue_p99 can be selected by profile, class, variant", Hint: "write for example p99{profile=hypothesis} < 6s"},
		{Line: 19, Column: 22, Path: "expect.5", Problem: "not an expectation", Found: "model", Allowed: "p99 is measured by profile and class, or model, or key", Hint: "leave out model or what stands before it"},
	}},
	{"expect-variant", Errors{
		{Line: 14, Column: 5, Path: "expect.0", Problem: "unknown variant", Found: "fats", Allowed: "fast, slow", Hint: "did you mean \"fast\"?"},
		{Line: 15, Column: 5, Path: "expect.1", Problem: "unknown model in variant fast", Found: "n", Allowed: "m", Hint: "define it, or name one of these"},
		{Line: 16, Column: 12, Path: "expect.2", Problem: "not an expectation", Found: "1 s", Allowed: "a time with its unit, such as 6s, 250ms or 1m30s", Hint: "write for example p99{profile=hypothesis} < 6s"},
		{Line: 17, Column: 5, Path: "expect.3", Problem: "unknown key in variant slow", Found: "kk", Allowed: "k", Hint: "did you mean \"k\"?"},
	}},
	{"fault-factor", Errors{
		{Line: 11, Column: 60, Path: "upstreams.v.faults.f.factor", Problem: "not a cut", Found: "2", Allowed: "a factor above 0 and below 1", Hint: "write factor: 0.5 to halve the limits"},
	}},
	{"fault-unknown-key", Errors{
		{Line: 11, Column: 59, Path: "upstreams.v.faults.f.keys.0", Problem: "unknown key", Found: "kk", Allowed: "k", Hint: "did you mean \"k\"?"},
	}},
	{"fault-unknown-kind", Errors{
		{Line: 11, Column: 24, Path: "upstreams.v.faults.f.kind", Problem: "unknown value", Found: "black_hole", Allowed: "burst_429, cut_limit, error, slowdown, blackhole, refuse_connection, lost_response, broken_stream, stall, stream_error, no_credit", Hint: "did you mean \"blackhole\"?"},
	}},
	{"fraction-count", Errors{
		{Line: 6, Column: 19, Path: "workload.agents.crew.count", Problem: "not a whole number", Found: "2.5", Allowed: "a whole number of at least 1 up to 10000000", Hint: "write a plain number, without a unit"},
	}},
	{"groups-disagree", Errors{
		{Line: 12, Column: 10, Path: "upstreams.v.keys.b", Problem: "keys of group g share the limits of m but do not agree on them", Found: "rpm 70, tpm no limit for model m", Allowed: "rpm 60, tpm no limit, as pool a says", Hint: "make them equal, or use another group or family"},
	}},
	{"inf-duration", Errors{
		{Line: 1, Column: 11, Path: "duration", Problem: "not a duration", Found: ".inf", Allowed: "a duration such as 20s, 1h30m, 150ms or 16us, above 0s up to 744h", Hint: "write a number with a unit"},
	}},
	{"limits-of-nothing", Errors{
		{Line: 10, Column: 45, Path: "upstreams.v.keys.k.limits.mm", Problem: "unknown model or family", Found: "mm", Allowed: "m, *", Hint: "did you mean \"m\"?"},
	}},
	{"list", Errors{
		{Line: 1, Column: 1, Path: "", Problem: "not a scenario", Found: "a list of 1", Allowed: "a map with duration, workload and upstreams", Hint: "`simload init` writes a starter scenario"},
	}},
	{"missing-duration", Errors{
		{Line: 1, Column: 1, Path: "", Problem: "missing key duration", Found: "no duration", Allowed: "duration: Simulated time, up to 744h", Hint: "add duration:"},
	}},
	{"missing-model", Errors{
		{Line: 4, Column: 29, Path: "workload.profiles.ask.model", Problem: "no upstream has this model, and no route is named so", Found: "gtp", Allowed: "m", Hint: "define it, or name one of these"},
	}},
	{"cache-word", Errors{
		{Line: 11, Column: 16, Path: "stack.cache", Problem: "not a cache", Found: "yes-please", Allowed: "on, off, or a map with similarity, ttl and entries", Hint: "write on, or {similarity: 0.95, ttl: 1h}"},
	}},
	{"cache-similarity", Errors{
		{Line: 11, Column: 29, Path: "stack.cache.similarity", Problem: "too large", Found: "1.5", Allowed: "a number above 0 up to 1", Hint: "the largest is 1"},
	}},
	{"routing-unknown", Errors{
		{Line: 11, Column: 31, Path: "stack.routing.m.simple", Problem: "unknown route", Found: "mm", Allowed: "m", Hint: "did you mean \"m\"?"},
	}},
	{"routing-itself", Errors{
		{Line: 11, Column: 31, Path: "stack.routing.m.simple", Problem: "a route for simple requests that routes too", Found: "m", Allowed: "a route that is not routed itself", Hint: "name a model"},
	}},
	{"shared-word", Errors{
		{Line: 11, Column: 17, Path: "stack.shared", Problem: "not a way to share", Found: "perhaps", Allowed: "on, off, or a map with latency, redis and others", Hint: "write on, or {latency: 1ms}"},
	}},
	{"shared-password", Errors{
		{Line: 11, Column: 25, Path: "stack.shared.redis", Problem: "a password in a scenario", Found: "one (not shown)", Allowed: "a URL without", Hint: "set SIMLOAD_REDIS_PASSWORD, or pass the URL with --redis"},
	}},
	{"shared-url", Errors{
		{Line: 11, Column: 25, Path: "stack.shared.redis", Problem: "not the URL of a Redis server", Found: "something else", Allowed: "redis://HOST:PORT/DB, or rediss:// for TLS", Hint: "write redis://127.0.0.1:6379"},
	}},
	{"shared-namespace", Errors{
		{Line: 11, Column: 29, Path: "stack.shared.namespace", Problem: "not a namespace", Found: "a fleet", Allowed: "1 to 64 letters, digits, dots, dashes and underscores", Hint: "write fleet-1"},
	}},
	{"shared-controller", Errors{
		{Line: 11, Column: 47, Path: "stack.concurrency.controller", Problem: "a limit that cannot be shared", Found: "vegas", Allowed: "static, aimd", Hint: "share static or aimd, or leave shared off"},
	}},
	{"summary-word", Errors{
		{Line: 11, Column: 40, Path: "stack.summaries", Problem: "not summaries", Found: "on", Allowed: "off, or a map with model, output and keep", Hint: "write {model: gpt-4.1-nano, output: 500}"},
	}},
	{"summary-model", Errors{
		{Line: 11, Column: 52, Path: "stack.summaries.model", Problem: "unknown route", Found: "mm", Allowed: "m", Hint: "did you mean \"m\"?"},
	}},
	{"summary-long", Errors{
		{Line: 11, Column: 63, Path: "stack.summaries.output", Problem: "a summary as long as the prompt it is for", Found: "500", Allowed: "less than 50 % of the cap of ask, 500 tokens", Hint: "lower output, or raise keep"},
	}},
	{"summary-cap", Errors{
		{Line: 11, Column: 8, Path: "stack.context", Problem: "summaries, and no prompt that could need one", Found: "no cap", Allowed: "a cap for a kind that is asked", Hint: "add context: {default: 16k}"},
	}},
	{"summary-name", Errors{
		{Line: 5, Column: 18, Path: "workload.profiles.ask/summary", Problem: "the name of the summaries of ask", Found: "ask/summary", Allowed: "another name", Hint: "rename it"},
	}},
	{"topics-count", Errors{
		{Line: 4, Column: 106, Path: "workload.profiles.ask.topics.count", Problem: "too small", Found: "0", Allowed: "a whole number of at least 1 up to 100000", Hint: "the smallest is 1"},
	}},
	{"nan-rate", Errors{
		{Line: 6, Column: 29, Path: "workload.streams.s.rate", Problem: "not a finite number", Found: ".nan", Allowed: "a number above 0 up to 1000000", Hint: "write a decimal number"},
	}},
	{"negative-count", Errors{
		{Line: 6, Column: 19, Path: "workload.agents.crew.count", Problem: "negative", Found: "-2", Allowed: "a whole number of at least 1 up to 10000000", Hint: "remove the minus sign"},
	}},
	{"negative-duration", Errors{
		{Line: 2, Column: 9, Path: "warmup", Problem: "negative duration", Found: "-1s", Allowed: "a duration such as 20s, 1h30m, 150ms or 16us", Hint: "remove the minus sign"},
	}},
	{"negative-rate", Errors{
		{Line: 6, Column: 29, Path: "workload.streams.s.rate", Problem: "negative", Found: "-1", Allowed: "a number above 0 up to 1000000", Hint: "remove the minus sign"},
	}},
	{"no-catalogue", Errors{
		{Line: 9, Column: 17, Path: "upstreams.v.models.m", Problem: "the catalogue has no model of this name", Found: "m", Allowed: "a model of the catalogue, or latency with base and per_output_token", Hint: "`simload models` lists the catalogue; write catalogue: NAME to take another entry's figures"},
	}},
	{"no-interval", Errors{
		{Line: 4, Column: 10, Path: "workload.profiles.ask", Problem: "missing key interval", Found: "no interval", Allowed: "interval: time between an agent's requests", Hint: "agents need it: add interval:"},
	}},
	{"no-limits", Errors{
		{Line: 10, Column: 15, Path: "upstreams.v.keys.k", Problem: "keys without limits", Found: "neither tier nor limits", Allowed: "tier, or limits for each family", Hint: "write tier: tier4, or limits: {\"*\": {rpm: 500, tpm: 200k}}, or limits: {\"*\": {}} for none at all"},
	}},
	{"no-price", Errors{
		{Line: 9, Column: 17, Path: "upstreams.v.models.m", Problem: "no price for model m", Found: "no price, and no entry in the catalogue", Allowed: "prices.models.m with input and output", Hint: "add {input: 0, output: 0} under prices.models if it costs nothing"},
	}},
	{"not-utf8", Errors{
		{Line: 2, Column: 17, Path: "", Problem: "not UTF-8 text", Found: "byte 0xe9", Allowed: "UTF-8", Hint: "save the file as UTF-8"},
	}},
	{"octal-count", Errors{
		{Line: 6, Column: 19, Path: "workload.agents.crew.count", Problem: "not a whole number", Found: "010", Allowed: "a whole number of at least 1 up to 10000000", Hint: "remove the leading zero"},
	}},
	{"plain-duration", Errors{
		{Line: 1, Column: 11, Path: "duration", Problem: "a duration without a unit", Found: "60", Allowed: "a duration such as 20s, 1h30m, 150ms or 16us, above 0s up to 744h", Hint: "write 60s for seconds"},
	}},
	{"quoted-number", Errors{
		{Line: 6, Column: 19, Path: "workload.agents.crew.count", Problem: "not a whole number", Found: "\"2\"", Allowed: "a whole number of at least 1 up to 10000000", Hint: "remove the quotes"},
	}},
	{"route-unknown-model", Errors{
		{Line: 11, Column: 25, Path: "stack.routes.r.1", Problem: "unknown model", Found: "mm", Allowed: "m", Hint: "did you mean \"m\"?"},
	}},
	{"second-document", Errors{
		{Line: 12, Column: 1, Path: "", Problem: "a second document begins here", Found: "two or more documents", Allowed: "one document in a file", Hint: "remove the line ---, or put the second scenario into a file of its own"},
	}},
	{"share-above-one", Errors{
		{Line: 4, Column: 81, Path: "workload.profiles.ask.writes", Problem: "too large", Found: "5", Allowed: "a share from 0 to 1, written as 5% or 0.05", Hint: "write 5% if you mean percent"},
	}},
	{"start-outside", Errors{
		{Line: 11, Column: 30, Path: "stack.concurrency.start", Problem: "start is outside of min and max", Found: "2", Allowed: "4 to 1024", Hint: "set start between min and max"},
	}},
	{"tab", Errors{
		{Line: 3, Column: 1, Path: "", Problem: "not YAML: found character that cannot start any token", Found: "text that YAML cannot read", Allowed: "YAML", Hint: "check the indentation (spaces, no tabs), colons, quotes and brackets of this line and the one before"},
	}},
	{"tag", Errors{
		{Line: 6, Column: 19, Path: "workload.agents.crew.count", Problem: "not a whole number", Found: "2", Allowed: "a whole number of at least 1 up to 10000000", Hint: "write a plain number, without a unit"},
	}},
	{"trace-missing", Errors{
		{Line: 6, Column: 29, Path: "workload.traces.t.path", Problem: "cannot read the trace: stat testdata/wrong/no-such-file.csv: no such file or directory", Found: "no-such-file.csv", Allowed: "a readable file, relative to the scenario file", Hint: "check the path, or give one with --set workload.traces.t.path=FILE"},
	}},
	{"two-forms", Errors{
		{Line: 4, Column: 56, Path: "workload.profiles.ask.context", Problem: "not a distribution", Found: "a map with constant, uniform", Allowed: "a value, or a map with one of constant, uniform, exponential, lognormal, empirical", Hint: "write for example {uniform: {min: 1, max: 2}} in the unit of the value"},
	}},
	{"unknown-controller", Errors{
		{Line: 11, Column: 35, Path: "stack.concurrency.controller", Problem: "unknown controller", Found: "amid", Allowed: "aimd, gradient2, static, vegas", Hint: "did you mean \"aimd\"?"},
	}},
	{"unknown-form", Errors{
		{Line: 4, Column: 57, Path: "workload.profiles.ask.context.normal", Problem: "unknown key", Found: "normal", Allowed: "constant, uniform, exponential, lognormal, empirical", Hint: "`simload schema` describes every key"},
	}},
	{"unknown-key", Errors{
		{Line: 1, Column: 1, Path: "durations", Problem: "unknown key", Found: "durations", Allowed: "name, description, seed, duration, warmup, epoch, mode, workload, upstreams, stack, prices, alerts, and 2 more", Hint: "did you mean \"duration\"?"},
	}},
	{"unknown-kind", Errors{
		{Line: 11, Column: 25, Path: "stack.context.asks", Problem: "unknown kind", Found: "asks", Allowed: "default, ask", Hint: "did you mean \"ask\"?"},
	}},
	{"unknown-nested-key", Errors{
		{Line: 4, Column: 32, Path: "workload.profiles.ask.intervall", Problem: "unknown key", Found: "intervall", Allowed: "class, model, kind, interval, context, growth, max_context, shared_prefix, output, max_output, writes, estimate_error, and 3 more", Hint: "did you mean \"interval\"?"},
	}},
	{"unknown-profile", Errors{
		{Line: 6, Column: 41, Path: "workload.agents.crew.phases.0.profile", Problem: "unknown profile", Found: "aks", Allowed: "ask", Hint: "did you mean \"ask\"?"},
	}},
	{"unknown-tier", Errors{
		{Line: 10, Column: 22, Path: "upstreams.v.keys.k.tier", Problem: "the catalogue has no limits of this tier for gpt-4.1", Found: "teir4", Allowed: "tier1, tier2, tier3, tier4, tier5", Hint: "did you mean \"tier4\"?"},
	}},
	{"variant-removes", Errors{
		{Line: 10, Column: 15, Path: "upstreams.v.keys.k", Problem: "keys without limits in variant a", Found: "neither tier nor limits", Allowed: "tier, or limits for each family", Hint: "write tier: tier4, or limits: {\"*\": {rpm: 500, tpm: 200k}}, or limits: {\"*\": {}} for none at all"},
	}},
	{"variant-shared-key", Errors{
		{Line: 13, Column: 7, Path: "variants.a.seed", Problem: "unknown key", Found: "seed", Allowed: "description, workload, upstreams, stack, prices, alerts", Hint: "seed is the same for all variants: set it at the top level"},
	}},
	{"variant-unknown-key", Errors{
		{Line: 13, Column: 15, Path: "variants.a.stack.queu", Problem: "unknown key", Found: "queu", Allowed: "instances, shared, routes, queue, concurrency, targets, rotation, budget, reserve, retry, breaker, timeouts, and 8 more", Hint: "did you mean \"queue\"?"},
	}},
	{"variant-wrong-value", Errors{
		{Line: 13, Column: 30, Path: "variants.a.stack.queue.bound", Problem: "too small", Found: "0", Allowed: "a whole number of at least 1 up to 1000000", Hint: "the smallest is 1"},
	}},
	{"warmup-too-long", Errors{
		{Line: 2, Column: 9, Path: "warmup", Problem: "the warm-up leaves nothing to measure", Found: "1m", Allowed: "less than the duration, 1m", Hint: "shorten warmup or lengthen duration"},
	}},
	{"weight-zero", Errors{
		{Line: 9, Column: 17, Path: "upstreams.v.models.m", Problem: "all keys of this model have weight 0", Found: "weights of 0", Allowed: "at least one weight above 0", Hint: "raise the weight of a pool of upstreams.v.keys"},
	}},
	{"weights-zero", Errors{
		{Line: 4, Column: 106, Path: "workload.profiles.ask.output.empirical.weights", Problem: "all weights are 0", Found: "a list of 2", Allowed: "at least one weight above 0", Hint: "raise a weight"},
	}},
	{"wrong-type-map", Errors{
		{Line: 6, Column: 19, Path: "workload.agents.crew.count", Problem: "not a whole number", Found: "a map with a", Allowed: "a whole number of at least 1 up to 10000000", Hint: "write a plain number"},
	}},
	{"zero-duration", Errors{
		{Line: 1, Column: 11, Path: "duration", Problem: "zero duration", Found: "0s", Allowed: "a duration such as 20s, 1h30m, 150ms or 16us, above 0s up to 744h", Hint: "write a value above 0s"},
	}},
	{"zero-limit", Errors{
		{Line: 10, Column: 36, Path: "upstreams.v.keys.k.limits.*.rpm", Problem: "too small", Found: "0", Allowed: "a whole number of at least 1, with k (1000) or M (1 000 000) if wished", Hint: "the smallest is 1"},
	}},
}
