package litellm

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/seed-4fd17b57/simload/sim/scenario"
)

// imported is a configuration's scenario, and what was noted.
type imported struct {
	*testing.T
	setup *scenario.Built
	yaml  string
	notes []Note
}

// imports turns a configuration into a scenario, which must be valid.
func imports(t *testing.T, in string) *imported {
	t.Helper()
	r, err := Import("c.yaml", []byte(in))
	if err != nil {
		t.Fatalf("%v\n%.500s", err, in)
	}
	s, err := scenario.Parse("out.yaml", r.YAML, nil)
	if err != nil {
		t.Fatalf("%v\n%s", err, r.YAML)
	}
	b, err := s.Variants()[0].Build(1)
	if err != nil {
		t.Fatalf("%v\n%s", err, r.YAML)
	}
	for _, n := range r.Notes {
		if n.Path == "" || n.Text == "" || n.Line < 1 {
			t.Errorf("an empty note: %+v", n)
		}
	}
	return &imported{t, b, string(r.YAML), r.Notes}
}

// routes are the models of each route: "name: a b".
func (m *imported) routes() []string {
	var out []string
	for _, r := range m.setup.Stack.Routes {
		line := r.Name + ":"
		for _, st := range r.Steps {
			line += " " + m.setup.Stack.Targets[st.Target].Name
		}
		out = append(out, line)
	}
	return out
}

// weights are those of a model's keys.
func (m *imported) weights(model string) []int64 {
	var out []int64
	for _, t := range m.setup.Stack.Targets {
		for _, k := range t.Keys {
			if t.Name == model {
				out = append(out, k.Weight)
			}
		}
	}
	return out
}

// noted checks that there is a note of a path with these words.
func (m *imported) noted(path, words string) {
	m.Helper()
	for _, n := range m.notes {
		if n.Path == path && strings.Contains(n.Text, words) {
			return
		}
	}
	m.Errorf("no note of %s with %q among %v", path, words, m.notes)
}

func (m *imported) unnoted(words string) {
	m.Helper()
	for _, n := range m.notes {
		if strings.Contains(n.Text, words) {
			m.Errorf("a note that should not be: %v", n)
		}
	}
}

func (m *imported) has(text string) {
	m.Helper()
	if !strings.Contains(m.yaml, text) {
		m.Errorf("%q is not in\n%s", text, m.yaml)
	}
}

// list writes a model_list: each entry is a group, and what its litellm_params are.
func list(entries ...string) string {
	s := "model_list:\n"
	for i, e := range entries {
		group, params, _ := strings.Cut(e, ": ")
		if !strings.Contains(params, "model:") {
			params = strings.TrimSuffix("model: gpt-4.1-mini, "+params, ", ")
		}
		s += fmt.Sprintf("  - {model_name: %q, litellm_params: {api_key: sk-%d, %s}}\n", group, i, params)
	}
	return s
}

// Ensure fallbacks are LiteLLM's: the first list of a group, the last for any, and from each group
// that stands in on to its own.
func TestFallbacks(t *testing.T) {
	abcd := list("a: ", "b: ", "c: ", "d: ")
	for _, tc := range []struct {
		name, settings string
		want           string // the route of a
		path, note     string
	}{
		{"two lists of a group", "fallbacks: [{a: [b]}, {a: [c]}]", "a: a b", "router_settings.fallbacks[1].a", "already"},
		{"two lists for any", "fallbacks: [{'*': [b]}, {'*': [c]}]", "a: a c", "router_settings.fallbacks[0].*", "later"},
		{"defaults beside a list for any", "fallbacks: [{'*': [b]}], default_fallbacks: [c]", "a: a c", "router_settings.fallbacks[0].*", "later"},
		{"own before any", "fallbacks: [{'*': [c]}, {a: [b]}]", "a: a b c", "", ""},
		{"a chain", "fallbacks: [{a: [b]}, {b: [c]}, {c: [d]}]", "a: a b c d", "", ""},
		{"a chain in the order of asking", "fallbacks: [{a: [b, d]}, {b: [c]}]", "a: a b c d", "", ""},
		{"a circle", "fallbacks: [{a: [b]}, {b: [a]}]", "a: a b", "", ""},
		{"a chain that is cut", "fallbacks: [{a: [b]}, {b: [c]}], max_fallbacks: 1", "a: a b", "router_settings.fallbacks[1].b", "max_fallbacks is 1"},
		{"a list is not cut", "default_fallbacks: [b, c], max_fallbacks: 1", "a: a b c", "", ""},
		{"none at all", "default_fallbacks: [b], max_fallbacks: 0", "", "router_settings.default_fallbacks", "max_fallbacks is 0"},
		{"a group that there is not", "fallbacks: [{typo: [b]}]", "", "router_settings.fallbacks[0].typo", "not a group"},
		{"no name", "fallbacks: [{'': [b]}]", "", "router_settings.fallbacks[0].(a key)", "not a group"},
		{"a default that there is not", "default_fallbacks: [typo]", "", "router_settings.default_fallbacks", "neither a group"},
		{"an alias", "default_fallbacks: [q], model_group_alias: {q: b}", "a: a b", "", ""},
		{"several groups in a map", "fallbacks: [{a: [b], c: [d]}]", "a: a b", "router_settings.fallbacks[0]", "several groups"},
		{"a single name", "fallbacks: [{a: b}]", "a: a b", "", ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			m := imports(t, abcd+"router_settings: {"+tc.settings+"}")
			got := ""
			for _, r := range m.routes() {
				if strings.HasPrefix(r, "a: ") && r != "a: a" {
					got = r
				}
			}
			if got != tc.want {
				t.Errorf("%q, want %q", got, tc.want)
			}
			if tc.path != "" {
				m.noted(tc.path, tc.note)
			} else {
				m.unnoted("left out")
			}
		})
	}
}

// Ensure a wildcard stands in, and has an alias, for what it serves; and that a group has the
// fallbacks of its name without the provider.
func TestWildcardsServeNames(t *testing.T) {
	m := imports(t, list("a: ", "openai/b: ", "openai/*: model: 'openai/*'", "*: model: 'anthropic/*'")+
		"router_settings: {fallbacks: [{a: [openai/gpt-4.1]}, {b: [claude-x]}], model_group_alias: {q: openai/gpt-4o}}")
	want := []string{"a: a any-openai", "openai/b: openai/b any-anthropic", "q: any-openai"}
	for _, w := range want {
		if !slices.Contains(m.routes(), w) {
			t.Errorf("no route %q among %q", w, m.routes())
		}
	}
	m.unnoted("neither a group")
}

func TestMatches(t *testing.T) {
	for _, tc := range []struct {
		wildcard, name string
		want           bool
	}{
		{"*", "", true},
		{"*", "a/b", true},
		{"openai/*", "openai/gpt", true},
		{"openai/*", "azure/gpt", false},
		{"a*b*c", "a-b-c", true},
		{"a*b*c", "a-c", false},
		{"ab*b", "ab", false},
		{"*-x", "y-x", true},
	} {
		if got := matches(tc.wildcard, tc.name); got != tc.want {
			t.Errorf("%s of %s: %v", tc.wildcard, tc.name, got)
		}
	}
}

// Ensure retries leave room for the models that stand in.
func TestRetriesReachTheFallback(t *testing.T) {
	m := imports(t, list("a: ", "b: ")+"router_settings: {num_retries: 25, fallbacks: [{a: [b]}]}")
	if m.setup.Stack.Retry.Attempts != 20 || m.setup.Stack.Fallback.After != 10 {
		t.Errorf("%d attempts, fallback after %d", m.setup.Stack.Retry.Attempts, m.setup.Stack.Fallback.After)
	}
	m.has("num_retries would make 52 attempts")
	m.has("20 at most: 10 for each of 2")
}

// Ensure orders count within a group however groups lie, and that what has none comes last.
func TestOrders(t *testing.T) {
	m := imports(t, list("a: model: openai/x, order: 2", "b: ", "a: model: azure/y, order: 1", "a: model: gemini/z")+"router_settings: {enable_pre_call_checks: true}")
	if want := "a: a-azure a-openai a-gemini"; !slices.Contains(m.routes(), want) {
		t.Errorf("no route %q among %q", want, m.routes())
	}
	m.noted("model_list[3]", "no order")
	m.unnoted("spreads requests")
}

// Ensure weights are what LiteLLM spreads a group by.
func TestWeights(t *testing.T) {
	for _, tc := range []struct {
		name, settings string
		deployments    []string
		want           []int64
		path, note     string
	}{
		{"by weight", "", []string{"a: weight: 3, rpm: 1", "a: weight: 1, rpm: 9"}, []int64{3, 1}, "", ""},
		{"fractions", "", []string{"a: weight: 0.7, rpm: 1", "a: weight: 0.3, rpm: 9"}, []int64{7, 3}, "", ""},
		{"thirds", "", []string{"a: weight: 0.6666666667", "a: weight: 0.3333333333"}, []int64{1000, 500}, "", ""},
		{"far apart", "", []string{"a: weight: 1000000", "a: weight: 1"}, []int64{1000, 1}, "", ""},
		{"by rpm", "", []string{"a: rpm: 100", "a: rpm: 300"}, []int64{1, 3}, "", ""},
		{"by tpm", "", []string{"a: tpm: 1000", "a: tpm: 2500"}, []int64{2, 5}, "", ""},
		{"by an rpm that the dialect has not", "", []string{"a: model: deepseek/deepseek-chat, rpm: 100", "a: model: deepseek/deepseek-chat, rpm: 300"}, []int64{1, 3}, "model_list[0].litellm_params.rpm", "no such limit"},
		{"the first has no weight", "", []string{"a: rpm: 100", "a: rpm: 300, weight: 9"}, []int64{1, 3}, "model_list[1]", "weight does not count"},
		{"the second has no weight", "", []string{"a: weight: 2", "a: rpm: 300"}, []int64{1, 0}, "model_list[1]", "never picked"},
		{"no weight above 0", "", []string{"a: weight: 0", "a: weight: 0"}, []int64{1, 1}, "model_list[0]", "above 0"},
		{"by usage", "usage-based-routing", []string{"a: rpm: 100", "a: rpm: 300"}, []int64{1, 1}, "", ""},
		{"weights and latency", "latency-based-routing", []string{"a: rpm: 100, weight: 2", "a: rpm: 100"}, []int64{1, 1}, "model_list[0]", "does not look"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			in := list(tc.deployments...)
			if tc.settings != "" {
				in += "router_settings: {routing_strategy: " + tc.settings + "}"
			}
			m := imports(t, in)
			if got := m.weights("a"); !slices.Equal(got, tc.want) {
				t.Errorf("%v, want %v", got, tc.want)
			}
			if tc.path != "" {
				m.noted(tc.path, tc.note)
			} else {
				m.unnoted("picked (weight")
			}
		})
	}
}

// Ensure what may be open at once follows LiteLLM's limits, not those of the dialect.
func TestConcurrencyFollowsTheRouter(t *testing.T) {
	for _, tc := range []struct{ params, want string }{
		{"model: deepseek/deepseek-chat, rpm: 100", "a: {concurrency: {start: 100, max: 100}}"},
		{"model: anthropic/claude-sonnet-4-5, tpm: 100000, itpm: 30000", "a: {concurrency: {start: 600, max: 600}}"},
		{"model: anthropic/claude-sonnet-4-5, tpm: 100000, rpm: 50, max_parallel_requests: 7", "a: {concurrency: {start: 7, max: 7}}"},
	} {
		imports(t, list("a: "+tc.params)).has(tc.want)
	}
	m := imports(t, list("a: model: anthropic/claude-sonnet-4-5, itpm: 1000"))
	if strings.Contains(m.yaml, "{concurrency: {start: 6,") {
		t.Error("input tokens limit what is open at once")
	}
	m.unnoted("counts prompts and answers")
	imports(t, list("a: model: anthropic/claude-sonnet-4-5, tpm: 1000")).noted("model_list[0].litellm_params.tpm", "counts prompts alone")
}

// Ensure a price that is not said is the catalogue's, and that deployments that differ are noted.
func TestPrices(t *testing.T) {
	m := imports(t, list("a: input_cost_per_token: 0.000009", "a: input_cost_per_token: 0.000008", "b: "))
	m.has("a: {input: 9}")
	m.noted("model_list[0]", "the catalogue's")
	m.noted("model_list[1]", "its price is not that of model_list[0]")
	a, b := m.setup.Report.Models[0].Price, m.setup.Report.Models[1].Price
	if a.Input != 9_000_000 || a.Output != b.Output || b.Output == 0 {
		t.Errorf("prices %+v, the catalogue's %+v", a, b)
	}
	imports(t, list("a: input_cost_per_token: 0, output_cost_per_token: 0")).has("a: {input: 0, output: 0}")
}

// Ensure a value of the wrong kind, or one that stands in the environment, is never lost in silence.
func TestWrongKindsAreNoted(t *testing.T) {
	house := list("a: ", "b: ")
	for _, tc := range []struct{ in, path, note string }{
		{house + "router_settings: [1, 2]", "router_settings", "a map is expected, but this is a list"},
		{house + "router_settings: os.environ/ROUTER", "router_settings", "environment variable"},
		{house + "litellm_settings: foo", "litellm_settings", "a map is expected, but this is a single value"},
		{house + "general_settings: [x]", "general_settings", "a map is expected"},
		{house + "router_settings: {fallbacks: {a: [b]}}", "router_settings.fallbacks", "a list is expected, but this is a map"},
		{house + "router_settings: {fallbacks: a}", "router_settings.fallbacks", "a list is expected"},
		{house + "router_settings: {fallbacks: os.environ/LIST}", "router_settings.fallbacks", "environment variable"},
		{house + "router_settings: {fallbacks: [{a: [b]}, hello]}", "router_settings.fallbacks[1]", "a map is expected"},
		{house + "router_settings: {fallbacks: [{a: [os.environ/B]}]}", "router_settings.fallbacks[0].a[0]", "environment variable"},
		{house + "router_settings: {fallbacks: [{a: }]}", "router_settings.fallbacks[0].(a key)", "nothing stands in"},
		{house + "router_settings: {default_fallbacks: {x: y}}", "router_settings.default_fallbacks", "a list is expected"},
		{house + "router_settings: {default_fallbacks: os.environ/B}", "router_settings.default_fallbacks", "environment variable"},
		{house + "router_settings: {model_group_alias: [q]}", "router_settings.model_group_alias", "a map is expected"},
		{house + "router_settings: {model_group_alias: {q: [a]}}", "router_settings.model_group_alias.q", "a text is expected, but this is a list"},
		{house + "router_settings: {<<: notamap}", "router_settings.<<", "a map is expected"},
		{house + "router_settings: {<<: [{num_retries: 1}, 7]}", "router_settings.<<", "a map is expected"},
		{house + "router_settings: {routing_strategy: os.environ/S}", "router_settings.routing_strategy", "environment variable"},
		{house + "router_settings: {num_retries: [1]}", "router_settings.num_retries", "not a number"},
		{house + "router_settings: {enable_pre_call_checks: [1]}", "router_settings.enable_pre_call_checks", "neither true nor false"},
		{house + "  - {model_name: c, litellm_params: {model: gpt-4o}, model_info: [x, y]}", "model_list[2].model_info", "a map is expected"},
		{house + "  - {model_name: c, litellm_params: {model: gpt-4o}, model_info: {mode: os.environ/MODE}}", "model_list[2].model_info.mode", "environment variable"},
		{house + "  - {model_name: c, litellm_params: {model: gpt-4o}, model_info: {base_model: os.environ/BASE, id: os.environ/ID}}", "model_list[2].model_info.base_model", "environment variable"},
		{house + "  - {model_name: c, litellm_params: {model: os.environ/MODEL}}", "model_list[2].litellm_params", "model: stands for an environment variable"},
		{house + "  - {model_name: os.environ/GROUP, litellm_params: {model: gpt-4o}}", "model_list[2]", "stands for an environment variable"},
	} {
		imports(t, tc.in).noted(tc.path, tc.note)
	}
	if m := imports(t, house+"  - {model_name: c, litellm_params: {model: gpt-4o}, model_info: {mode: os.environ/MODE}}"); len(m.setup.Stack.Targets) != 3 {
		t.Error("a deployment whose mode is not known is left out")
	}
	imports(t, house+"router_settings:\nlitellm_settings: {}\n---\n").unnoted("expected")
}

// Ensure what cannot be taken over as a whole is an error that says why.
func TestImportRefuses(t *testing.T) {
	many := func(n int, key string) string {
		var b strings.Builder
		b.WriteString("model_list:\n")
		for i := range n {
			fmt.Fprintf(&b, "- {model_name: g%d, litellm_params: {model: gpt-4o, api_key: %s}}\n", i, key)
		}
		return b.String()
	}
	for _, tc := range []struct{ in, problem string }{
		{many(scenario.MaxModels+1, "k"), "1001 models and 1001 keys are too many"},
		{many(120, "["+strings.Repeat("1,", 1000)+"]"), "too many values"},
		{list("a: ") + "---\n" + list("b: "), "a second YAML document"},
		{list("a: ") + "---\n[", "not YAML"},
		{"model_list: [{model_name: a, litellm_params: os.environ/XX}]", "stands for an environment variable"},
	} {
		_, err := Import("c.yaml", []byte(tc.in))
		var e *Error
		if !errors.As(err, &e) || !strings.Contains(e.Problem, tc.problem) || e.Allowed == "" || e.Hint == "" {
			t.Errorf("%.80q: %+v, want %q", tc.in, e, tc.problem)
		}
	}
	if r, err := Import("c.yaml", []byte(many(scenario.MaxModels, "k"))); err != nil || r.Models != scenario.MaxModels {
		t.Errorf("as many models as may be: %v", err)
	}
}

// Ensure a group keeps its own name, and that one that cannot is noted.
func TestNames(t *testing.T) {
	m := imports(t, list("openai/*: model: 'openai/*'", "a b: ", "a-b: ", "日本: ", "🙂: ", "any-openai: ", "x: model: openai/y", "x: model: azure/y", "x-openai: ")+"router_settings: {model_group_alias: {q r: x}}")
	for _, want := range []string{"x: x-openai-2 x-azure", "q-r: x-openai-2 x-azure"} {
		if !slices.Contains(m.routes(), want) {
			t.Errorf("no route %q among %q", want, m.routes())
		}
	}
	for i, path := range []string{"a-b-2", "", "", "unnamed"} {
		if path != "" {
			m.noted(fmt.Sprintf("model_list[%d]", i+1), "called "+path+" here")
		}
	}
	m.noted("router_settings.model_group_alias.q r", "called q-r here")
	for _, n := range m.notes {
		if strings.Contains(n.Text, " here: ") && slices.Contains([]string{"model_list[2]", "model_list[3]", "model_list[5]", "model_list[8]"}, n.Path) {
			t.Errorf("renamed without need: %v", n)
		}
	}
}

// Ensure one account under two groups is noted, and that accounts are told apart.
func TestSharedCredentials(t *testing.T) {
	m := imports(t, "model_list:\n"+
		"- {model_name: fast, litellm_params: {model: gpt-4.1, api_key: k, rpm: 500}}\n"+
		"- {model_name: cheap, litellm_params: {model: gpt-4.1, api_key: k, rpm: 500}}\n"+
		"- {model_name: other, litellm_params: {model: gpt-4.1, api_key: m, rpm: 500}}\n"+
		"- {model_name: x, litellm_params: {model: bedrock/y, aws_profile_name: one}}\n"+
		"- {model_name: x, litellm_params: {model: bedrock/y, aws_profile_name: two}}\n")
	m.noted("model_list[1]", "the same credential and model as model_list[0]")
	m.has("  key-3: {models: [x]")
	m.has("  key-4: {models: [x]")
	for _, n := range m.notes {
		if n.Path != "model_list[1]" && strings.Contains(n.Text, "the same credential") {
			t.Errorf("%v", n)
		}
	}
}
