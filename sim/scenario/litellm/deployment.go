package litellm

import (
	"slices"
	"strings"

	"github.com/seed-4fd17b57/simload/sim/scenario"
)

// largest is the largest limit that is taken over.
const largest = 1_000_000_000

// deployment reads an entry of model_list.
func (c *config) deployment(at value) error {
	d := &deployment{at: at, weight: -1, input: -1, output: -1}
	var params, info value
	beside := map[string]value{}
	for _, f := range c.fields(at) {
		switch f.key {
		case "model_name":
			d.group = f.value.raw()
		case "litellm_params":
			params = f.value
		case "model_info":
			info = f.value
		case "rpm", "tpm":
			beside[f.key] = f.value
		default:
			c.note(f.value, "unknown to import: left out")
		}
	}
	missing := func(path, what string) *Error {
		return &Error{File: c.file, Line: at.node.Line, Column: at.node.Column, Path: at.path + "." + path, Problem: "missing, or not a short text", Allowed: what, Hint: "a deployment needs model_name, and litellm_params with model; " + spaced}
	}
	if d.group == "" {
		return missing("model_name", "the name that callers ask for")
	}
	full := c.params(d, params, beside)
	if full == "" {
		e := missing("litellm_params.model", "a model, as provider/name")
		if params.environment() {
			e.Path, e.Problem = params.path, "stands for an environment variable, which is not read"
		}
		return e
	}
	if !c.info(d, info) {
		return nil
	}
	if d.mode == "" && !chats(d.model) {
		c.note(at, "by the model's name not a chat, and no model_info.mode says otherwise: the deployment is left out")
		return nil
	}
	d.wildcard = strings.Contains(d.group, "*") || strings.Contains(full, "*")
	if d.wildcard {
		c.note(at, "a wildcard group: which models it is asked for is not in the file; it has a model in the scenario, but no demand")
	}
	d.key = c.key(d.identity)
	c.shared(d)
	c.deployments = append(c.deployments, d)
	return nil
}

// params reads litellm_params and returns the model as it is written.
func (c *config) params(d *deployment, params value, beside map[string]value) string {
	fields := c.fields(params)
	full, provider := "", ""
	for _, f := range fields {
		switch f.key {
		case "model":
			full = f.value.raw()
		case "custom_llm_provider":
			provider = strings.ToLower(c.text(f.value))
		}
	}
	d.provider, d.model = split(full, provider)
	d.dialect = dialectOf(d.provider, d.model)
	switch {
	case strings.HasPrefix(full, environment):
		c.note(params, "model: stands for an environment variable, which is not read: it is a model of %s here, that nothing is known of; write it", c.vendor(d.provider))
	case !providers[d.provider]:
		c.note(params, "model: the part before the slash, or custom_llm_provider, is no provider that import knows (not told, since it may be a slip): it is %s here, and limits as OpenAI does", c.vendor(d.provider))
	case !spoken(d.provider):
		c.note(params, "provider %s: the mock has no dialect of its own for it, and limits as OpenAI does", d.provider)
	}
	var identity []string
	for _, f := range fields {
		if credential(f.key) {
			identity = append(identity, f.key+"="+c.whatever(f.value))
			c.reference(f.value)
			continue
		}
		delete(beside, f.key)
		c.param(d, f)
	}
	for _, key := range []string{"rpm", "tpm"} {
		if v, ok := beside[key]; ok {
			c.limit(d, v, key)
		}
	}
	slices.Sort(identity)
	d.identity = d.provider + "\x00" + strings.Join(identity, "\x00")
	return full
}

// param reads one parameter of a deployment.
func (c *config) param(d *deployment, f field) {
	v := f.value
	switch f.key {
	case "model", "custom_llm_provider":
	case "rpm", "tpm", "itpm", "otpm":
		c.limit(d, v, f.key)
	case "weight":
		if x, ok := c.number(v, 0, largest); ok {
			d.weight = x
		}
	case "order":
		if n, ok := c.whole(v, 1, largest); ok {
			d.order = n
		}
	case "max_parallel_requests":
		if n, ok := c.whole(v, 1, 1_000_000); ok {
			d.parallel = n
		}
	case "input_cost_per_token":
		d.input = c.price(v, d.input)
	case "output_cost_per_token":
		d.output = c.price(v, d.output)
	case "timeout", "stream_timeout", "max_retries", "num_retries", "cooldown_time":
		c.note(v, "of one deployment: the stack has it for all models alike (stack.timeouts, retry, rotation); left out")
	case "max_budget", "budget_duration":
		c.note(v, "a budget: the mock's keys have limits.spend over the whole run; left out")
	case "tags", "tag_regex":
		c.note(v, "routing by tags has no counterpart: any request may go to this deployment")
	case "mock_response", "mock_timeout", "mock_delay":
		c.note(v, "an answer that is made up: left out; faults of the mock are under upstreams.%s.faults", c.vendor(d.provider))
	case "input_cost_per_second", "output_cost_per_second":
		c.note(v, "a price per second has no counterpart: left out")
	case "default_api_key_rpm_limit", "default_api_key_tpm_limit":
		c.note(v, "a limit of the proxy's own callers: stack.agent_cap is the nearest; left out")
	case "temperature", "top_p", "max_tokens", "max_completion_tokens", "reasoning_effort", "drop_params", "stream", "seed", "stop", "n", "tools", "extra_headers", "extra_body":
		c.note(v, "passed on to the model, no counterpart: what is asked for is in workload.profiles")
	default:
		c.note(v, "unknown to import: left out")
	}
}

func (c *config) price(v value, old float64) float64 {
	if x, ok := c.number(v, 0, 0.01); ok {
		return x
	}
	return old
}

// limit notes a limit: LiteLLM's own, and the provider's if the dialect has it.
func (c *config) limit(d *deployment, v value, key string) {
	n, ok := c.whole(v, 1, largest)
	if !ok {
		return
	}
	switch key {
	case "rpm":
		d.rpm = n
	case "tpm":
		d.tpm = n
	}
	name, inputOnly := key, d.dialect == "anthropic" || d.dialect == "gemini"
	if inputOnly && key == "itpm" {
		name = "tpm"
	}
	switch {
	case !slices.Contains(scenario.DialectLimits(d.dialect), name):
		c.note(v, "the %s dialect has no such limit; it has %s: left out", d.dialect, strings.Join(scenario.DialectLimits(d.dialect), ", "))
		return
	case inputOnly && key == "tpm":
		c.note(v, "counts prompts and answers together; tpm of the %s dialect, which it becomes, counts prompts alone", d.dialect)
	}
	for i := range d.limits {
		if l := &d.limits[i]; l.key == name {
			c.note(v, "a second limit of the tokens that the %s dialect counts: the smaller one counts", d.dialect)
			l.value = min(l.value, n)
			return
		}
	}
	d.limits = append(d.limits, limit{name, n})
}

// info reads model_info; false if the deployment is left out.
func (c *config) info(d *deployment, info value) bool {
	for _, f := range c.fields(info) {
		v := f.value
		switch f.key {
		case "id":
			if id := c.text(v); id != "" {
				c.ids[id] = d
			}
		case "base_model":
			_, d.base = split(c.text(v), "")
		case "mode":
			switch d.mode = c.text(v); d.mode {
			case "chat", "completion", "responses", "":
			default:
				c.note(v, "not a chat: the deployment is left out")
				return false
			}
		case "allowed_fails", "allowed_fails_policy", "cooldown_time":
			c.note(v, "of one deployment: the stack has rotation.exclude for all keys alike; left out")
		case "input_cost_per_token":
			d.input = c.price(v, d.input)
		case "output_cost_per_token":
			d.output = c.price(v, d.output)
		default:
			c.note(v, "describes the model, no counterpart: left out")
		}
	}
	return true
}
