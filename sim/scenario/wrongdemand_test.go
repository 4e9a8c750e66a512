package scenario

// wrongDemand is what is told of agents, streams and traces.
var wrongDemand = []wrongCase{
	{"patience", Errors{
		{Line: 4, Column: 116, Path: "workload.profiles.ask.patience.uniform.min", Problem: "min is larger than max", Found: "5s", Allowed: "up to max, 1s", Hint: "exchange them"},
	}},
	{"waves-many", Errors{
		{Line: 5, Column: 36, Path: "workload.agents.crew.waves", Problem: "more waves than agents", Found: "3", Allowed: "up to the count, 2", Hint: "lower waves or raise count"},
	}},
	{"waves-at-once", Errors{
		{Line: 5, Column: 36, Path: "workload.agents.crew.waves", Problem: "waves that all start at once", Found: "no wave_every", Allowed: "wave_every: the time from one wave to the next", Hint: "add wave_every:"},
	}},
	{"waves-one", Errors{
		{Line: 5, Column: 41, Path: "workload.agents.crew.wave_every", Problem: "there is no second wave", Found: "1m", Allowed: "wave_every with waves of at least 2", Hint: "add waves:, or leave it out"},
	}},
	{"wave-every-zero", Errors{
		{Line: 5, Column: 51, Path: "workload.agents.crew.wave_every", Problem: "zero duration", Found: "0s", Allowed: "a duration such as 20s, 1h30m, 150ms or 16us, above 0s", Hint: "write a value above 0s"},
	}},
	{"task-deadline", Errors{
		{Line: 5, Column: 44, Path: "workload.agents.crew.task_deadline", Problem: "a duration without a unit", Found: "30", Allowed: "a duration such as 20s, 1h30m, 150ms or 16us", Hint: "write 30s for seconds"},
	}},
	{"tool", Errors{
		{Line: 5, Column: 70, Path: "workload.agents.crew.phases.0.tool", Problem: "negative duration", Found: "-3s", Allowed: "a duration such as 20s, 1h30m, 150ms or 16us", Hint: "remove the minus sign"},
	}},
	{"fan-out-no-profile", Errors{
		{Line: 5, Column: 73, Path: "workload.agents.crew.phases.0.fan_out", Problem: "sub-agents without a profile", Found: "no sub_profile", Allowed: "sub_profile: profile of the sub-agents' requests", Hint: "add sub_profile:"},
	}},
	{"fan-out-unknown-profile", Errors{
		{Line: 5, Column: 89, Path: "workload.agents.crew.phases.0.sub_profile", Problem: "unknown profile", Found: "aks", Allowed: "ask", Hint: "did you mean \"ask\"?"},
	}},
	{"fan-out-many", Errors{
		{Line: 5, Column: 73, Path: "workload.agents.crew.phases.0.fan_out", Problem: "too many sub-agents", Found: "2k", Allowed: "a mean of up to 1024", Hint: "lower it"},
	}},
	{"fan-out-rounds", Errors{
		{Line: 5, Column: 106, Path: "workload.agents.crew.phases.0.sub_rounds", Problem: "fewer than one round", Found: "0", Allowed: "at least 1", Hint: "write sub_rounds: 1"},
	}},
	{"sub-profile-alone", Errors{
		{Line: 5, Column: 77, Path: "workload.agents.crew.phases.0.sub_profile", Problem: "sub_profile without sub-agents", Found: "ask", Allowed: "sub_profile with fan_out", Hint: "add fan_out:, or leave it out"},
		{Line: 5, Column: 94, Path: "workload.agents.crew.phases.0.sub_rounds", Problem: "sub_rounds without sub-agents", Found: "2", Allowed: "sub_rounds with fan_out", Hint: "add fan_out:, or leave it out"},
	}},
	{"sub-profile-lengths", Errors{
		{Line: 5, Column: 10, Path: "workload.profiles.sub", Problem: "missing key context", Found: "no context", Allowed: "context: tokens of the prompt", Hint: "sub-agents need it: add context:"},
		{Line: 5, Column: 10, Path: "workload.profiles.sub", Problem: "missing key output", Found: "no output", Allowed: "output: tokens of the answer", Hint: "sub-agents need it: add output:"},
	}},
	{"sessions-interval", Errors{
		{Line: 4, Column: 10, Path: "workload.profiles.ask", Problem: "missing key interval", Found: "no interval", Allowed: "interval: least time between a session's requests", Hint: "sessions need it: add interval:"},
	}},
	{"sessions-rounds", Errors{
		{Line: 6, Column: 56, Path: "workload.streams.s.sessions.ask", Problem: "fewer than one round", Found: "a map with uniform", Allowed: "at least 1", Hint: "write 1"},
	}},
	{"sessions-unknown", Errors{
		{Line: 6, Column: 56, Path: "workload.streams.s.sessions.aks", Problem: "unknown profile", Found: "aks", Allowed: "ask, other", Hint: "did you mean \"ask\"?"},
	}},
	{"sessions-unused", Errors{
		{Line: 6, Column: 58, Path: "workload.streams.s.sessions.other", Problem: "sessions of a profile that the stream does not use", Found: "3", Allowed: "profiles of this stream", Hint: "add it to mix, or leave it out"},
	}},
	{"noise-list", Errors{
		{Line: 9, Column: 84, Path: "upstreams.v.models.m.latency.first_token_noise", Problem: "not a noise", Found: "a list of 2", Allowed: "a number, or a map with shares and factors", Hint: "write 0.3, or {shares: [0, 0.5, 0.95, 1], factors: [0.7, 1, 1.6, 3]}"},
	}},
	{"noise-large", Errors{
		{Line: 9, Column: 84, Path: "upstreams.v.models.m.latency.first_token_noise", Problem: "too large", Found: "6", Allowed: "a number of at least 0 up to 5", Hint: "the largest is 5"},
	}},
	{"noise-few", Errors{
		{Line: 9, Column: 88, Path: "upstreams.v.models.m.latency.output_noise.shares", Problem: "too few points", Found: "a list of 1", Allowed: "a list of at least two", Hint: "write a number for log-normal noise"},
	}},
	{"noise-lengths", Errors{
		{Line: 9, Column: 107, Path: "upstreams.v.models.m.latency.output_noise.factors", Problem: "not a factor for each share", Found: "a list of 3", Allowed: "a list of 2", Hint: "give as many factors as shares"},
	}},
	{"noise-order", Errors{
		{Line: 9, Column: 94, Path: "upstreams.v.models.m.latency.output_noise.shares.1", Problem: "shares out of order", Found: "0.5", Allowed: "above the share before it, 0.5", Hint: "sort the points by share"},
		{Line: 9, Column: 99, Path: "upstreams.v.models.m.latency.output_noise.shares.2", Problem: "more than all calls", Found: "95", Allowed: "0 to 1", Hint: "write 0.95 for 95 %"},
		{Line: 9, Column: 117, Path: "upstreams.v.models.m.latency.output_noise.factors.1", Problem: "factors out of order", Found: "1", Allowed: "at least the factor before it, 2", Hint: "raise it: what more calls do not exceed is not less"},
		{Line: 9, Column: 120, Path: "upstreams.v.models.m.latency.output_noise.factors.2", Problem: "too large a factor", Found: "2000000", Allowed: "0 to 1000000", Hint: "lower it"},
	}},
	{"rate-missing", Errors{
		{Line: 5, Column: 16, Path: "workload.streams.s", Problem: "missing key rate", Found: "no rate", Allowed: "rate: Requests per second, or one of sine and bursts", Hint: "add rate:"},
	}},
	{"rate-zero", Errors{
		{Line: 5, Column: 37, Path: "workload.streams.s.rate", Problem: "zero", Found: "0", Allowed: "a number above 0 up to 1000000", Hint: "write a value above 0"},
	}},
	{"rate-map", Errors{
		{Line: 5, Column: 37, Path: "workload.streams.s.rate", Problem: "not a rate", Found: "a map with at, rate", Allowed: "a number, or a list of {at, rate}", Hint: "write rate: 20, or [{at: 0s, rate: 0}, {at: 10m, rate: 100}]"},
	}},
	{"rate-order", Errors{
		{Line: 5, Column: 63, Path: "workload.streams.s.rate.1.at", Problem: "points out of order", Found: "5s", Allowed: "not before the point above it", Hint: "sort the points by at"},
	}},
	{"rate-all-zero", Errors{
		{Line: 5, Column: 37, Path: "workload.streams.s.rate", Problem: "no rate above 0", Found: "a list of 2", Allowed: "at least one point with a rate above 0", Hint: "raise a rate, or leave the stream out"},
	}},
	{"rate-point-key", Errors{
		{Line: 5, Column: 38, Path: "workload.streams.s.rate.0", Problem: "missing key rate", Found: "no rate", Allowed: "rate: Requests per second then", Hint: "add rate:"},
		{Line: 5, Column: 47, Path: "workload.streams.s.rate.0.rps", Problem: "unknown key", Found: "rps", Allowed: "at, rate", Hint: "`simload schema` describes every key"},
	}},
	{"rate-twice", Errors{
		{Line: 5, Column: 46, Path: "workload.streams.s.sine", Problem: "more than one rate", Found: "rate, sine", Allowed: "one of rate, sine and bursts", Hint: "leave all but one out; spikes come on top"},
	}},
	{"cv-missing", Errors{
		{Line: 5, Column: 16, Path: "workload.streams.s", Problem: "missing key cv", Found: "no cv", Allowed: "cv: coefficient of variation of gamma gaps", Hint: "add cv:, such as cv: 3"},
	}},
	{"cv-constant", Errors{
		{Line: 5, Column: 64, Path: "workload.streams.s.cv", Problem: "cv has no meaning for constant arrivals", Found: "2", Allowed: "cv with arrivals: gamma or weibull", Hint: "leave it out, or set arrivals: gamma"},
	}},
	{"cv-poisson", Errors{
		{Line: 5, Column: 44, Path: "workload.streams.s.cv", Problem: "cv has no meaning for poisson arrivals", Found: "2", Allowed: "cv with arrivals: gamma or weibull", Hint: "leave it out, or set arrivals: gamma"},
	}},
	{"cv-small", Errors{
		{Line: 5, Column: 63, Path: "workload.streams.s.cv", Problem: "too small", Found: "0.001", Allowed: "a number of at least 0.01 up to 100", Hint: "the smallest is 0.01"},
	}},
	{"arrivals-unknown", Errors{
		{Line: 5, Column: 50, Path: "workload.streams.s.arrivals", Problem: "unknown value", Found: "poison", Allowed: "poisson, constant, gamma, weibull", Hint: "did you mean \"poisson\"?"},
	}},
	{"sine-amplitude", Errors{
		{Line: 5, Column: 58, Path: "workload.streams.s.sine.amplitude", Problem: "the rate would fall below 0", Found: "2", Allowed: "up to base, 1", Hint: "lower amplitude or raise base"},
	}},
	{"sine-period", Errors{
		{Line: 5, Column: 69, Path: "workload.streams.s.sine.period", Problem: "too small duration", Found: "0s", Allowed: "a duration such as 20s, 1h30m, 150ms or 16us, of at least 1ms", Hint: "the smallest is 1ms"},
	}},
	{"bursts-one", Errors{
		{Line: 5, Column: 39, Path: "workload.streams.s.bursts", Problem: "a state that there is no way out of", Found: "a map with calm", Allowed: "at least two states", Hint: "add a state, or write rate: instead"},
	}},
	{"bursts-zero", Errors{
		{Line: 5, Column: 39, Path: "workload.streams.s.bursts", Problem: "no rate above 0", Found: "a map with calm, busy", Allowed: "at least one state with a rate above 0", Hint: "raise a rate"},
	}},
	{"bursts-dwell", Errors{
		{Line: 5, Column: 63, Path: "workload.streams.s.bursts.calm.dwell", Problem: "too small duration", Found: "1us", Allowed: "a duration such as 20s, 1h30m, 150ms or 16us, of at least 1ms", Hint: "the smallest is 1ms"},
		{Line: 5, Column: 75, Path: "workload.streams.s.bursts.busy", Problem: "missing key dwell", Found: "no dwell", Allowed: "dwell: Mean time in this state, which is exponential; then each other state is as likely", Hint: "add dwell:"},
	}},
	{"spike-empty", Errors{
		{Line: 5, Column: 52, Path: "workload.streams.s.spikes.x", Problem: "a spike without load", Found: "neither extra nor count", Allowed: "extra with for, or count", Hint: "add extra: 100 and for: 30s, or count: 500"},
	}},
	{"spike-for", Errors{
		{Line: 5, Column: 52, Path: "workload.streams.s.spikes.x", Problem: "missing key for", Found: "no for", Allowed: "for: Length of extra", Hint: "add for:"},
		{Line: 5, Column: 99, Path: "workload.streams.s.spikes.y.for", Problem: "for has no meaning without extra", Found: "5s", Allowed: "for with extra", Hint: "count comes at once: leave for out"},
	}},
	{"spike-every", Errors{
		{Line: 5, Column: 88, Path: "workload.streams.s.spikes.x.every", Problem: "repeats before it is over", Found: "5s", Allowed: "at least the length, 10s", Hint: "lengthen every or shorten for"},
	}},
	{"spike-count", Errors{
		{Line: 5, Column: 68, Path: "workload.streams.s.spikes.x.count", Problem: "too large", Found: "2M", Allowed: "a whole number of at least 1 up to 1000000, with k (1000) or M (1 000 000) if wished", Hint: "the largest is 1000000"},
	}},
	{"stream-no-profile", Errors{
		{Line: 5, Column: 16, Path: "workload.streams.s", Problem: "missing key profile", Found: "no profile", Allowed: "profile: Profile of its requests", Hint: "add profile:"},
	}},
	{"mix-unknown-profile", Errors{
		{Line: 5, Column: 45, Path: "workload.streams.s.mix.aks", Problem: "unknown profile", Found: "aks", Allowed: "ask", Hint: "did you mean \"ask\"?"},
	}},
	{"mix-zero", Errors{
		{Line: 5, Column: 31, Path: "workload.streams.s.mix", Problem: "all weights are 0", Found: "a map with ask", Allowed: "at least one weight above 0", Hint: "raise a weight"},
	}},
	{"mix-and-profile", Errors{
		{Line: 5, Column: 26, Path: "workload.streams.s.profile", Problem: "both profile and mix", Found: "ask", Allowed: "one of them", Hint: "leave profile out: mix names them all"},
	}},
	{"mix-and-groups", Errors{
		{Line: 5, Column: 31, Path: "workload.streams.s.mix", Problem: "both mix and groups", Found: "a map with ask", Allowed: "one of them", Hint: "give each group a profile, and leave mix out"},
	}},
	{"group-no-profile", Errors{
		{Line: 5, Column: 38, Path: "workload.streams.s.groups.a", Problem: "missing key profile", Found: "no profile, and none of the stream", Allowed: "profile: Profile of its requests", Hint: "add profile:"},
	}},
	{"group-unknown-profile", Errors{
		{Line: 5, Column: 73, Path: "workload.streams.s.groups.a.profile", Problem: "unknown profile", Found: "aks", Allowed: "ask", Hint: "did you mean \"ask\"?"},
	}},
	{"group-no-client", Errors{
		{Line: 5, Column: 75, Path: "workload.streams.s.groups.a.clients", Problem: "a group without clients", Found: "1", Allowed: "a part that comes to one of the 10 clients at least", Hint: "raise it, or the clients of the stream"},
	}},
	{"group-zero", Errors{
		{Line: 5, Column: 75, Path: "workload.streams.s.groups.a.requests", Problem: "zero", Found: "0", Allowed: "a number above 0 up to 1e+09", Hint: "write a value above 0"},
	}},
	{"group-cv", Errors{
		{Line: 5, Column: 82, Path: "workload.streams.s.groups.a.cv", Problem: "cv has no meaning for poisson arrivals", Found: "3", Allowed: "cv with arrivals: gamma or weibull", Hint: "leave it out, or set arrivals: gamma"},
	}},
	{"group-cv-missing", Errors{
		{Line: 5, Column: 106, Path: "workload.streams.s.groups.b", Problem: "missing key cv", Found: "no cv", Allowed: "cv: coefficient of variation of gamma gaps", Hint: "add cv:, such as cv: 3"},
	}},
	{"group-many-clients", Errors{
		{Line: 5, Column: 49, Path: "workload.streams.s.clients", Problem: "too many clients in groups", Found: "2000000", Allowed: "up to 1000000", Hint: "lower clients"},
	}},
	{"trace-format", Errors{
		{Line: 5, Column: 65, Path: "workload.traces.t.format", Problem: "unknown value", Found: "mooncack", Allowed: "auto, azure, mooncake, burstgpt, events", Hint: "did you mean \"mooncake\"?"},
	}},
	{"trace-model-profile", Errors{
		{Line: 5, Column: 76, Path: "workload.traces.t.models.GPT-4*", Problem: "unknown profile", Found: "aks", Allowed: "ask", Hint: "did you mean \"ask\"?"},
	}},
	{"trace-model-pattern", Errors{
		{Line: 5, Column: 66, Path: "workload.traces.t.models.GPT=4", Problem: "not a usable name", Found: "GPT=4", Allowed: "letters, digits, blanks and _ . : / @ + - * (up to 100)", Hint: "choose a plain name"},
	}},
	{"trace-model-format", Errors{
		{Line: 5, Column: 80, Path: "workload.traces.t.models", Problem: "models has no meaning for a trace of format azure", Found: "a map with *", Allowed: "models with format burstgpt, events", Hint: "leave it out"},
	}},
	{"trace-session-profile", Errors{
		{Line: 5, Column: 74, Path: "workload.traces.t.sessions.17", Problem: "unknown profile", Found: "aks", Allowed: "ask", Hint: "did you mean \"ask\"?"},
	}},
	{"trace-session-format", Errors{
		{Line: 5, Column: 82, Path: "workload.traces.t.sessions", Problem: "sessions has no meaning for a trace of format azure", Found: "a map with 17", Allowed: "sessions with format mooncake, burstgpt, events", Hint: "leave it out"},
	}},
	{"trace-session-agent", Errors{
		{Line: 5, Column: 89, Path: "workload.traces.t.sessions.9-3", Problem: "not an agent", Found: "9-3", Allowed: "an agent's number, or a range of them", Hint: "write 7, or 0-49"},
	}},
	{"trace-blocks-format", Errors{
		{Line: 5, Column: 89, Path: "workload.traces.t.cache_blocks", Problem: "cache_blocks has no meaning for a trace of format burstgpt", Found: "5", Allowed: "cache_blocks with format mooncake", Hint: "leave it out"},
	}},
	{"trace-on-error", Errors{
		{Line: 5, Column: 67, Path: "workload.traces.t.on_error", Problem: "unknown value", Found: "ignore", Allowed: "fail, skip", Hint: "pick one of them"},
	}},
	{"trace-failed", Errors{
		{Line: 5, Column: 65, Path: "workload.traces.t.failed", Problem: "unknown value", Found: "skipp", Allowed: "replay, skip", Hint: "did you mean \"skip\"?"},
	}},
	{"trace-spread", Errors{
		{Line: 5, Column: 65, Path: "workload.traces.t.spread", Problem: "too large duration", Found: "48h", Allowed: "a duration such as 20s, 1h30m, 150ms or 16us, up to 24h", Hint: "the largest is 24h"},
	}},
	{"trace-loop", Errors{
		{Line: 5, Column: 63, Path: "workload.traces.t.loop", Problem: "too small", Found: "0", Allowed: "a whole number of at least 1 up to 1000000000", Hint: "the smallest is 1"},
	}},
	{"trace-loop-word", Errors{
		{Line: 5, Column: 63, Path: "workload.traces.t.loop", Problem: "not a number of times", Found: "foreever", Allowed: "a whole number of at least 1, or forever", Hint: "did you mean \"forever\"?"},
	}},
	{"trace-reorder", Errors{
		{Line: 5, Column: 66, Path: "workload.traces.t.reorder", Problem: "too large", Found: "20M", Allowed: "a whole number of at least 1 up to 10000000, with k (1000) or M (1 000 000) if wished", Hint: "the largest is 10000000"},
	}},
	{"trace-cache-blocks", Errors{
		{Line: 5, Column: 71, Path: "workload.traces.t.cache_blocks", Problem: "too small", Found: "0", Allowed: "a whole number of at least 1 up to 1073741824, with k (1000) or M (1 000 000) if wished", Hint: "the smallest is 1"},
	}},
}
