package litellm

import (
	"strings"

	"go.yaml.in/yaml/v4"
)

// settings are those of the router, as far as they have a counterpart. Where a setting stands
// under both litellm_settings and router_settings, the latter wins, as LiteLLM's documents say.
type settings struct {
	router, module, general value

	retries       int64   // -1: not set
	retryAfter    float64 // seconds
	cooldown      float64 // seconds; -1: not set
	noCooldowns   bool
	timeout       float64 // seconds; 0: not set
	streamTimeout float64 // seconds; 0: not set
	ordered       bool    // enable_pre_call_checks
	strategy      string
	maxFallbacks  int64
	parallel      int64 // of a deployment that does not say; 0: not set
	fallbacks     []fallback
	defaults      fallback // where a group has no list of its own
	aliases       []alias
}

// fallback says what stands in for a group; "*": for any.
type fallback struct {
	at    value
	group string
	to    []string
}

// alias is another name of a group.
type alias struct {
	at          value
	name, group string
}

func (s *settings) read(c *config) {
	s.retries, s.cooldown, s.maxFallbacks = -1, -1, 5
	for _, f := range c.fields(s.module) {
		if !s.either(c, f, true) {
			s.ofModule(c, f)
		}
	}
	for _, f := range c.fields(s.router) {
		if !s.either(c, f, false) {
			s.ofRouter(c, f)
		}
	}
	for _, f := range c.fields(s.general) {
		s.ofProxy(c, f)
	}
}

// either reads a setting that may stand in both places.
func (s *settings) either(c *config, f field, module bool) bool {
	v := f.value
	switch {
	case f.key == "num_retries":
		if n, ok := c.whole(v, 0, 1000); ok {
			s.retries = n
		}
	case f.key == "cooldown_time":
		if x, ok := c.number(v, 0, 86_400); ok {
			s.cooldown = x
		}
	case f.key == "request_timeout" && module, f.key == "timeout" && !module:
		if x, ok := c.number(v, 0.001, 2_000_000); ok {
			s.timeout = x
		}
	case f.key == "fallbacks":
		s.fallbacks = c.fallbacks(v)
	case f.key == "default_fallbacks":
		s.defaults = fallback{v, "*", c.names(v)}
	case f.key == "context_window_fallbacks", f.key == "content_policy_fallbacks":
		c.note(v, "another model for such errors alone has no counterpart: a step of a route that a prompt does not fit is passed over; left out")
	case f.key == "allowed_fails", f.key == "allowed_fails_policy":
		c.note(v, "failures per minute before a rest have no counterpart: a 429 rests a key at once, other failures open a breaker by their share (stack.breaker); left out")
	default:
		return false
	}
	return true
}

func (s *settings) ofModule(c *config, f field) {
	switch f.key {
	case "cache":
		if c.flag(f.value) {
			c.note(f.value, "answers from a cache do not reach the provider: stack.cache is the nearest, and is off")
		}
	case "drop_params", "set_verbose", "json_logs", "callbacks", "success_callback", "failure_callback", "cache_params", "telemetry",
		"modify_params", "turn_off_message_logging", "redact_user_api_key_info", "default_team_settings", "service_callbacks":
		c.note(f.value, "has no part in what is simulated: left out")
	default:
		c.note(f.value, "unknown to import: left out")
	}
}

func (s *settings) ofRouter(c *config, f field) {
	v := f.value
	switch f.key {
	case "routing_strategy":
		s.routing(c, v)
	case "retry_after":
		s.retryAfter, _ = c.number(v, 0, 3600)
	case "disable_cooldowns":
		s.noCooldowns = c.flag(v)
	case "enable_pre_call_checks", "enable_pre_call_check":
		s.ordered = c.flag(v)
	case "stream_timeout":
		if x, ok := c.number(v, 0.001, 86_400); ok {
			s.streamTimeout = x
		}
	case "max_fallbacks":
		if n, ok := c.whole(v, 0, 1000); ok {
			s.maxFallbacks = n
		}
	case "default_max_parallel_requests":
		s.parallel, _ = c.whole(v, 1, 1_000_000)
	case "model_group_alias":
		s.readAliases(c, v)
	case "redis_url", "redis_host", "redis_port", "redis_password", "redis_db":
		c.note(v, "several proxies share their counts: here one stack has them all (stack.instances: 1); not read")
	case "retry_policy", "model_group_retry_policy":
		c.note(v, "retries by kind of error have no counterpart: stack.retry.attempts holds for all that may be retried; left out")
	case "max_retries":
		c.note(v, "retries of the vendor's own client, below the router's: add them to stack.retry.attempts if you use them; left out")
	case "routing_strategy_args", "routing_groups", "optional_pre_call_checks", "provider_budget_config", "enable_tag_filtering",
		"tag_filtering_match_any", "default_priority", "polling_interval", "default_litellm_params", "cache_responses", "cache_kwargs", "caching_groups":
		c.note(v, "has no counterpart: left out")
	case "client_ttl", "set_verbose", "debug_level", "alerting_config", "router_general_settings", "ignore_invalid_deployments", "search_tools", "guardrail_list":
		c.note(v, "has no part in what is simulated: left out")
	default:
		c.note(v, "unknown to import: left out")
	}
}

// routing reads the strategy by which deployments are chosen.
func (s *settings) routing(c *config, v value) {
	switch s.strategy = c.text(v); s.strategy {
	case "simple-shuffle", "":
	case "usage-based-routing", "usage-based-routing-v2":
		c.note(v, "%s: the nearest is stack.rotation.weights: remaining, which prefers keys by the quota that is left", s.strategy)
	case "least-busy", "latency-based-routing", "cost-based-routing":
		c.note(v, "%s has no counterpart: keys are picked by the quota that is left (stack.rotation.weights: remaining)", s.strategy)
	default:
		c.note(v, "a strategy unknown to import: keys are picked by their weights, as with simple-shuffle")
		s.strategy = ""
	}
}

func (s *settings) ofProxy(c *config, f field) {
	switch f.key {
	case "master_key", "database_url", "custom_auth", "alerting_args", "key_management_settings":
		c.note(f.value, "belongs to the proxy itself, and may be a secret: not read")
	case "max_parallel_requests", "global_max_parallel_requests":
		c.note(f.value, "a limit of the whole proxy has no counterpart: stack.concurrency is of each model; left out")
	default:
		c.note(f.value, "belongs to the proxy itself: left out")
	}
}

func (s *settings) readAliases(c *config, v value) {
	for _, f := range c.groupFields(v) {
		to := c.nameOf(f.value, "has no counterpart for an alias: left out")
		if f.key == "" || len(f.key) > maxText || to == "" {
			c.note(f.value, "not an alias of a group: left out; %s", spaced)
			continue
		}
		s.aliases = append(s.aliases, alias{f.value, f.key, to})
	}
}

// fallbacks reads a list of maps, each from a group to those that stand in for it.
func (c *config) fallbacks(v value) []fallback {
	var out []fallback
	for _, item := range c.items(v) {
		fields := c.groupFields(item)
		if len(fields) > 1 {
			c.note(item, "has several groups; LiteLLM takes one for each entry of the list")
		}
		for _, f := range fields {
			if to := c.names(f.value); len(to) > 0 {
				out = append(out, fallback{f.value, f.key, to})
			} else {
				c.note(f.value, "nothing stands in: left out; %s", spaced)
			}
		}
	}
	return out
}

// names reads a list of names, or a single one.
func (c *config) names(v value) []string {
	if !v.given() {
		return nil
	}
	entries := []value{v}
	if v.node.Kind != yaml.ScalarNode {
		entries = c.items(v)
	}
	var out []string
	for _, item := range entries {
		if name := c.nameOf(item, "what a fallback changes of a request has no counterpart: left out"); strings.TrimSpace(name) != "" {
			out = append(out, name)
		} else {
			c.note(item, "not a name: left out")
		}
	}
	return out
}

// nameOf reads a name, or a map with a model; of other settings in the map it notes what is said.
func (c *config) nameOf(v value, others string) string {
	if !v.given() || v.node.Kind != yaml.MappingNode {
		return c.text(v)
	}
	name := ""
	for _, f := range c.fields(v) {
		switch f.key {
		case "model":
			name = c.text(f.value)
		case "hidden":
		default:
			c.note(f.value, "%s", others)
		}
	}
	return name
}
