package scenario

// wrongLimits is what is told of limits, dialects and prices.
var wrongLimits = []wrongCase{
	{"dialect-unknown", Errors{
		{Line: 8, Column: 14, Path: "upstreams.v.dialect", Problem: "unknown value", Found: "openia", Allowed: "openai, anthropic, gemini, deepseek, azure, openrouter", Hint: "did you mean \"openai\"?"},
	}},
	{"epoch-no-zone", Errors{
		{Line: 10, Column: 8, Path: "epoch", Problem: "not a date and time", Found: "2026-01-05T08:00:00", Allowed: "a date of the years 2000 to 2100 and a time with its zone, such as 2026-01-05T08:00:00Z", Hint: "write the date, T, the time, and Z for UTC"},
	}},
	{"epoch-no-time", Errors{
		{Line: 10, Column: 8, Path: "epoch", Problem: "not a date and time", Found: "2026-01-05", Allowed: "a date of the years 2000 to 2100 and a time with its zone, such as 2026-01-05T08:00:00Z", Hint: "write the date, T, the time, and Z for UTC"},
	}},
	{"limit-not-openai", Errors{
		{Line: 9, Column: 46, Path: "upstreams.v.keys.k.limits.*.otpm", Problem: "the openai dialect has no limit otpm", Found: "10k", Allowed: "rpm, tpm, rpd, tpd, quantum, spend, slope", Hint: "leave it out; dialects that have it: anthropic"},
		{Line: 9, Column: 64, Path: "upstreams.v.keys.k.limits.*.concurrency", Problem: "the openai dialect has no limit concurrency", Found: "5", Allowed: "rpm, tpm, rpd, tpd, quantum, spend, slope", Hint: "leave it out; dialects that have it: anthropic, deepseek"},
	}},
	{"limit-not-deepseek", Errors{
		{Line: 10, Column: 36, Path: "upstreams.v.keys.k.limits.*.rpm", Problem: "the deepseek dialect has no limit rpm", Found: "60", Allowed: "concurrency, spend", Hint: "leave it out; dialects that have it: openai, anthropic, gemini, azure, openrouter"},
		{Line: 10, Column: 45, Path: "upstreams.v.keys.k.limits.*.tpm", Problem: "the deepseek dialect has no limit tpm", Found: "100k", Allowed: "concurrency, spend", Hint: "leave it out; dialects that have it: openai, anthropic, gemini, azure"},
	}},
	{"limit-not-gemini", Errors{
		{Line: 10, Column: 43, Path: "upstreams.v.keys.k.limits.m.tpd", Problem: "the gemini dialect has no limit tpd", Found: "1M", Allowed: "rpm, tpm, rpd, spend", Hint: "leave it out; dialects that have it: openai"},
	}},
	{"limit-not-azure", Errors{
		{Line: 10, Column: 45, Path: "upstreams.v.keys.k.limits.m.spend", Problem: "the azure dialect has no limit spend", Found: "5", Allowed: "rpm, tpm, quantum", Hint: "leave it out; dialects that have it: openai, anthropic, gemini, deepseek, openrouter"},
	}},
	{"limit-concurrency", Errors{
		{Line: 10, Column: 42, Path: "upstreams.v.keys.k.limits.m.concurrency", Problem: "too small", Found: "0", Allowed: "a whole number of at least 1 up to 1000000", Hint: "the smallest is 1"},
	}},
	{"limit-spend", Errors{
		{Line: 9, Column: 36, Path: "upstreams.v.keys.k.limits.m.spend", Problem: "too large", Found: "10M", Allowed: "a number above 0 up to 9000000", Hint: "the largest is 9000000"},
	}},
	{"limit-quantum", Errors{
		{Line: 9, Column: 47, Path: "upstreams.v.keys.k.limits.m.quantum", Problem: "a minute is not a multiple of it", Found: "7s", Allowed: "whole milliseconds that a minute is a multiple of", Hint: "write for example 1s, 10s or 100ms"},
	}},
	{"limit-quantum-long", Errors{
		{Line: 9, Column: 47, Path: "upstreams.v.keys.k.limits.m.quantum", Problem: "too large duration", Found: "2m", Allowed: "a duration such as 20s, 1h30m, 150ms or 16us, above 0s up to 1m", Hint: "the largest is 1m"},
	}},
	{"limit-quantum-alone", Errors{
		{Line: 9, Column: 47, Path: "upstreams.v.keys.k.limits.m.quantum", Problem: "a part of no limit", Found: "1s", Allowed: "quantum with rpm", Hint: "add rpm, or leave quantum out"},
	}},
	{"limit-slope", Errors{
		{Line: 9, Column: 36, Path: "upstreams.v.keys.k.limits.m.slope", Problem: "missing key from", Found: "no from", Allowed: "from: Tokens per minute that are always free", Hint: "add from:"},
	}},
	{"limit-slope-over", Errors{
		{Line: 9, Column: 53, Path: "upstreams.v.keys.k.limits.m.slope.over", Problem: "not whole minutes", Found: "90s", Allowed: "1m, 2m, 3m, ... up to 24h", Hint: "write for example 15m"},
	}},
	{"limit-slope-growth", Errors{
		{Line: 9, Column: 55, Path: "upstreams.v.keys.k.limits.m.slope.growth", Problem: "zero", Found: "0%", Allowed: "a share from 0 to 1, written as 5% or 0.05, above 0", Hint: "write a value above 0"},
	}},
	{"known-limits-of-nothing", Errors{
		{Line: 9, Column: 72, Path: "upstreams.v.keys.k.known_limits.mm", Problem: "unknown model or family", Found: "mm", Allowed: "m, *", Hint: "did you mean \"m\"?"},
	}},
	{"known-limits-negative", Errors{
		{Line: 9, Column: 77, Path: "upstreams.v.keys.k.known_limits.m.rpm", Problem: "negative", Found: "-1", Allowed: "a whole number of at least 0, with k (1000) or M (1 000 000) if wished", Hint: "write a number from 0"},
	}},
	{"known-limits-disagree", Errors{
		{Line: 9, Column: 54, Path: "upstreams.v.keys.b", Problem: "keys of group g share the limits of m but the client would not know one of them", Found: "other known_limits for model m", Allowed: "those that pool k has", Hint: "make them equal, or use another group or family"},
	}},
	{"project-unknown", Errors{
		{Line: 10, Column: 62, Path: "upstreams.v.keys.k.project", Problem: "unknown project", Found: "alhpa", Allowed: "alpha", Hint: "did you mean \"alpha\"?"},
	}},
	{"project-empty", Errors{
		{Line: 8, Column: 32, Path: "upstreams.v.projects.alpha.limits", Problem: "a project without limits", Found: "an empty map", Allowed: "at least one limit", Hint: "add limits: {\"*\": {tpm: 100k}}, or leave the project out"},
	}},
	{"project-limits-of-nothing", Errors{
		{Line: 8, Column: 36, Path: "upstreams.v.projects.alpha.limits.n", Problem: "unknown model or family", Found: "n", Allowed: "m, *", Hint: "define it, or name one of these"},
	}},
	{"project-not-openai", Errors{
		{Line: 8, Column: 43, Path: "upstreams.v.projects.alpha.limits.m.otpm", Problem: "the openai dialect has no limit otpm", Found: "1k", Allowed: "rpm, tpm, rpd, tpd, quantum, spend, slope", Hint: "leave it out; dialects that have it: anthropic"},
	}},
	{"project-two-groups", Errors{
		{Line: 10, Column: 83, Path: "upstreams.v.keys.b.project", Problem: "a project of two groups", Found: "group b", Allowed: "group k, as pool k says", Hint: "give the pools one group, or use two projects"},
	}},
	{"project-many-keys", Errors{
		{Line: 10, Column: 72, Path: "upstreams.v.keys.k.project", Problem: "a project of several groups", Found: "keys without a group", Allowed: "group: the organisation that the project is a part of", Hint: "add group:"},
	}},
	{"long-no-from", Errors{
		{Line: 9, Column: 59, Path: "upstreams.v.keys.k.long", Problem: "missing key from", Found: "no from, and none in the catalogue for m", Allowed: "from: the length that long prompts begin at", Hint: "add from:"},
	}},
	{"long-empty", Errors{
		{Line: 9, Column: 59, Path: "upstreams.v.keys.k.long", Problem: "long prompts without limits", Found: "a map with from, limits", Allowed: "limits for one model at least, or a tier that has some", Hint: "add limits:, or leave long out"},
	}},
	{"long-disagree", Errors{
		{Line: 9, Column: 132, Path: "upstreams.v.keys.b.long.from", Problem: "pools do not agree on the long prompts of m", Found: "more than 200000 tokens", Allowed: "more than 128000, as pool k says", Hint: "make from equal"},
	}},
	{"long-limits-disagree", Errors{
		{Line: 9, Column: 91, Path: "upstreams.v.keys.b", Problem: "keys of group g share the limits for long prompts of m but do not agree on them", Found: "rpm no limit, tpm 2000, tpd 5 for model m", Allowed: "rpm no limit, tpm 1000, tpd no limit, as pool k says", Hint: "make them equal, or use another group or family"},
	}},
	{"long-not-openai", Errors{
		{Line: 9, Column: 98, Path: "upstreams.v.keys.k.long.limits.m.concurrency", Problem: "the openai dialect has no limit concurrency", Found: "1", Allowed: "rpm, tpm, rpd, tpd, quantum, spend, slope", Hint: "leave it out; dialects that have it: anthropic, deepseek"},
	}},
	{"groups-disagree-spend", Errors{
		{Line: 9, Column: 55, Path: "upstreams.v.keys.b", Problem: "keys of group g share the limits of m but do not agree on them", Found: "rpm 5, tpm no limit, rpd 3, quantum 1s, spend 2, slope from 9 for model m", Allowed: "rpm no limit, tpm no limit, rpd no limit, quantum no limit, spend 1, slope no limit, as pool k says", Hint: "make them equal, or use another group or family"},
	}},
	{"count-cached", Errors{
		{Line: 8, Column: 19, Path: "upstreams.v.count_cached", Problem: "count_cached has no meaning in the openai dialect", Found: "true", Allowed: "count_cached with dialect: anthropic", Hint: "leave it out"},
	}},
	{"prompt-cache-on", Errors{
		{Line: 8, Column: 80, Path: "upstreams.v.models.m.prompt_cache", Problem: "the catalogue has no prompt cache of this model", Found: "on", Allowed: "off, or a map with min, block and ttl", Hint: "write for example {min: 1024, block: 128, ttl: 5m}"},
	}},
	{"prompt-cache-part", Errors{
		{Line: 8, Column: 80, Path: "upstreams.v.models.m.prompt_cache", Problem: "missing key ttl", Found: "no ttl, and no prompt cache in the catalogue", Allowed: "prompt_cache with min, block and ttl", Hint: "add ttl:"},
	}},
	{"prompt-cache-word", Errors{
		{Line: 8, Column: 80, Path: "upstreams.v.models.m.prompt_cache", Problem: "not a prompt cache", Found: "auto", Allowed: "on, off, or a map with min, block and ttl", Hint: "write on, or {min: 1024, block: 128, ttl: 5m}"},
	}},
	{"heartbeat", Errors{
		{Line: 8, Column: 77, Path: "upstreams.v.models.m.heartbeat", Problem: "too small duration", Found: "1us", Allowed: "a duration such as 20s, 1h30m, 150ms or 16us, of at least 1ms up to 24h", Hint: "the smallest is 1ms"},
	}},
	{"queue-wait", Errors{
		{Line: 8, Column: 78, Path: "upstreams.v.models.m.queue_wait", Problem: "queue_wait has no meaning in the openai dialect", Found: "1m", Allowed: "queue_wait with dialect: deepseek", Hint: "leave it out"},
	}},
	{"charge-unknown", Errors{
		{Line: 8, Column: 74, Path: "upstreams.v.models.m.charge", Problem: "unknown value", Found: "cached", Allowed: "max, sum, input, uncached", Hint: "did you mean \"uncached\"?"},
	}},
	{"fault-stream-status", Errors{
		{Line: 8, Column: 46, Path: "upstreams.v.faults.f.status", Problem: "not a status of a provider's error", Found: "501", Allowed: "429, 500, 502, 503, 504, 529", Hint: "pick one of them"},
	}},
	{"fault-error-status", Errors{
		{Line: 8, Column: 39, Path: "upstreams.v.faults.f.status", Problem: "not a status of a provider's error", Found: "429", Allowed: "500, 502, 503, 504, 529", Hint: "pick one of them"},
	}},
	{"fault-credit-status", Errors{
		{Line: 8, Column: 43, Path: "upstreams.v.faults.f.status", Problem: "status has no meaning for a no_credit", Found: "500", Allowed: "status with error, stream_error", Hint: "leave it out"},
	}},
	{"price-long", Errors{
		{Line: 10, Column: 50, Path: "prices.models.m.long", Problem: "missing key from", Found: "no from, and none in the catalogue", Allowed: "from: the length that long prompts begin at", Hint: "add from:"},
	}},
	{"price-cache-write", Errors{
		{Line: 10, Column: 57, Path: "prices.models.m.cache_write", Problem: "negative", Found: "-1", Allowed: "USD per million tokens, from 0 to 10000, with up to 6 decimals", Hint: "write a number such as 2 or 0.5"},
	}},
	{"price-two-budgets", Errors{
		{Line: 10, Column: 54, Path: "prices.monthly_budget_cny", Problem: "two budgets", Found: "36000 CNY beside 5000 USD", Allowed: "monthly_budget_usd or monthly_budget_cny", Hint: "remove one; cny_per_usd makes the one the other"},
	}},
}
