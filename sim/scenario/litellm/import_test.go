package litellm

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/seed-4fd17b57/simload/sim/scenario"
)

var update = flag.Bool("update", false, "rewrite the golden files")

func gateway(t testing.TB) []byte {
	t.Helper()
	data, err := os.ReadFile("testdata/gateway.yaml")
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// Ensure the whole configuration becomes what it did before, and a valid scenario.
func TestImportGolden(t *testing.T) {
	r, err := Import("gateway.yaml", gateway(t))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := scenario.Parse("out.yaml", r.YAML, nil); err != nil {
		t.Errorf("%v", err)
	}
	const golden = "testdata/gateway.golden.yaml"
	if *update {
		if err := os.WriteFile(golden, r.YAML, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(r.YAML, want) {
		t.Errorf("the scenario differs from %s; it is now\n%s", golden, r.YAML)
	}
}

// Ensure deployments, routes, retries and limits are what the configuration means.
func TestImportMeaning(t *testing.T) {
	r, err := Import("gateway.yaml", gateway(t))
	if err != nil {
		t.Fatal(err)
	}
	s, err := scenario.Parse("out.yaml", r.YAML, nil)
	if err != nil {
		t.Fatal(err)
	}
	b, err := s.Variants()[0].Build(1)
	if err != nil {
		t.Fatal(err)
	}
	routes := map[string]string{}
	for _, route := range b.Stack.Routes {
		var steps []string
		for _, st := range route.Steps {
			steps = append(steps, b.Stack.Targets[st.Target].Name)
		}
		routes[route.Name] = strings.Join(steps, " ")
	}
	for name, want := range map[string]string{
		"fast":       "fast strong-anthropic eager",
		"quick":      "fast strong-anthropic eager",
		"strong":     "strong-anthropic strong-azure poet fast",
		"hidden-one": "strong-anthropic strong-azure poet fast",
		"eager":      "eager fast strong-anthropic",
		"poet":       "poet fast strong-anthropic eager",
	} {
		if routes[name] != want {
			t.Errorf("route %s: %q, want %q", name, routes[name], want)
		}
	}
	if _, there := routes["lost"]; there {
		t.Error("an alias of no group is a route")
	}
	weights := map[string]int64{}
	for _, target := range b.Stack.Targets {
		for _, k := range target.Keys {
			weights[b.Stack.Keys[k.Key].ID+" "+target.Name] = k.Weight
		}
	}
	for key, want := range map[string]int64{"key-1 fast": 1, "key-2 fast": 1, "key-3 fast": 1, "key-4 strong-anthropic": 1, "key-1b any-openai": 1} {
		if got, there := weights[key]; !there || got != want {
			t.Errorf("%s: weight %d (%v), want %d; there are %v", key, got, there, want, weights)
		}
	}
	if got := b.Stack.Retry.Attempts; got != 8 { // 2 for each of four steps
		t.Errorf("%d attempts, want 8", got)
	}
	if b.Stack.Fallback.After != 2 || b.Stack.Rotation.Exclude.Seconds() != 30 || b.Stack.Retry.Base.Seconds() != 2 || b.Stack.Timeouts.FirstToken.Seconds() != 20 {
		t.Errorf("fallback after %d, exclude %v, base %v, first token %v", b.Stack.Fallback.After, b.Stack.Rotation.Exclude, b.Stack.Retry.Base, b.Stack.Timeouts.FirstToken)
	}
}

// Ensure each setting without a counterpart is named by path and line, and no secret is told.
func TestImportNotes(t *testing.T) {
	r, err := Import("gateway.yaml", gateway(t))
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(string(gateway(t)), "\n")
	told := map[string]Note{}
	for _, n := range r.Notes {
		told[n.Path] = n
		key := n.Path[strings.LastIndexByte(n.Path, '.')+1:]
		if key, _, _ = strings.Cut(key, "["); !strings.Contains(lines[n.Line-1]+lines[max(n.Line-2, 0)], key) && !strings.Contains(n.Path, "model_list[") {
			t.Errorf("%v: line %d is %q", n, n.Line, lines[n.Line-1])
		}
	}
	for path, what := range map[string]string{
		"defaults":                                           "unknown",
		"model_list[2].litellm_params.rpm":                   "environment variable",
		"model_list[2].litellm_params.timeout":               "of one deployment",
		"model_list[2].litellm_params.api_key":               "environment variable",
		"model_list[4].litellm_params.tags":                  "tags",
		"model_list[5].rpm":                                  "no such limit",
		"model_list[5].litellm_params.mock_response":         "made up",
		"model_list[6].litellm_params.temperature":           "passed on",
		"model_list[6].litellm_params.wobble":                "unknown",
		"model_list[7]":                                      "not a chat",
		"model_list[8].model_info.mode":                      "not a chat",
		"router_settings.routing_strategy":                   "no counterpart",
		"router_settings.retry_policy":                       "no counterpart",
		"router_settings.allowed_fails":                      "no counterpart",
		"router_settings.brand_new_setting":                  "unknown",
		"router_settings.redis_password":                     "not read",
		"router_settings.model_group_alias.lost":             "not in model_list",
		"router_settings.fallbacks[0].fast":                  "neither a group",
		"router_settings.fallbacks[1].strong[0].temperature": "no counterpart",
		"litellm_settings.cache":                             "stack.cache",
		"general_settings.master_key":                        "not read",
		"general_settings.global_max_parallel_requests":      "no counterpart",
		"environment_variables":                              "not read",
	} {
		if n, ok := told[path]; !ok || !strings.Contains(n.Text, what) {
			t.Errorf("%s: %q, want a note with %q", path, n.Text, what)
		}
	}
	wildcard := false
	for _, n := range r.Notes {
		wildcard = wildcard || n.Path == "model_list[9]" && strings.Contains(n.Text, "wildcard")
	}
	if !wildcard {
		t.Error("no note of the wildcard group")
	}
	all := string(r.YAML)
	for _, n := range r.Notes {
		all += n.String()
	}
	for _, secret := range []string{"topsecret", "hunter2", "SHARED_KEY", "THIRD_", "example.test"} {
		if strings.Contains(all, secret) {
			t.Errorf("the result tells %q", secret)
		}
	}
}

// Ensure what is wrong with a file has its place, what is allowed and a hint, and tells no secret.
func TestImportErrors(t *testing.T) {
	for _, tc := range []struct {
		in, problem string
		line        int
	}{
		{"", "empty", 0},
		{"- a\n- b\n", "not a map", 0},
		{"just text", "not a map", 0},
		{"model_list:\n  - model_name: [sk-topsecret\n", "not YAML", 3},
		{"a: *sk-topsecret\n", "not YAML", 1},
		{"litellm_settings: {num_retries: 3}\n", "no deployments", 0},
		{"model_list: sk-topsecret\n", "no deployments", 1},
		{"model_list:\n  - litellm_params: {model: a, api_key: sk-topsecret}\n", "missing", 2},
		{"model_list:\n  - model_name: a\n    litellm_params: {api_key: sk-topsecret}\n", "missing", 2},
		{"model_list:\n  - {model_name: a, litellm_params: {model: openai/text-embedding-3-small}}\n", "no deployment is a chat", 0},
		{"a: " + strings.Repeat("x", MaxBytes), "too large", 0},
	} {
		_, err := Import("c.yaml", []byte(tc.in))
		var e *Error
		if !errors.As(err, &e) || !strings.Contains(e.Problem, tc.problem) || e.Line != tc.line || e.Allowed == "" || e.Hint == "" {
			t.Errorf("%.60q: %+v, want %q at line %d", tc.in, e, tc.problem, tc.line)
		}
		if err != nil && strings.Contains(err.Error(), "topsecret") {
			t.Errorf("%.60q: the error tells a secret: %v", tc.in, err)
		}
	}
}

// Ensure a configuration is one scenario whatever limits and providers it has: each dialect's
// keys get only limits that it knows.
func TestImportEveryProvider(t *testing.T) {
	for _, model := range []string{
		"gpt-4o", "azure/x", "azure_ai/x", "claude-3-5-haiku-20241022", "vertex_ai/claude-sonnet-4-5@20250929", "vertex_ai/gemini-2.5-pro",
		"gemini/gemini-2.5-flash", "deepseek/deepseek-chat", "openrouter/openai/gpt-4o", "bedrock/a", "ünï/cödé", "y", "x/", "/x", "*",
	} {
		in := fmt.Sprintf("model_list: [{model_name: %q, litellm_params: {model: %q, rpm: 7, tpm: 9000, itpm: 5000, otpm: 100, max_parallel_requests: 3}}]", model, model)
		r, err := Import("c.yaml", []byte(in))
		if err != nil {
			t.Errorf("%s: %v", model, err)
			continue
		}
		if _, err := scenario.Parse("out.yaml", r.YAML, nil); err != nil {
			t.Errorf("%s: %v", model, err)
		}
	}
}

// FuzzImport ensures that no file crashes the import or makes a scenario that is not valid, and
// that a key's value is never told.
func FuzzImport(f *testing.F) {
	f.Add(string(gateway(f)))
	f.Add("model_list: [{model_name: a, litellm_params: {model: b, api_key: " + marker + "}}]")
	f.Add("a: &a [*a]\nmodel_list: *a")
	f.Add("x: &x {<<: *x}\nmodel_list: [{<<: *x, model_name: '*', litellm_params: {model: '*'}}]")
	f.Add("model_list: [{model_name: a.b, litellm_params: {model: c/d}}, {model_name: 'a b', litellm_params: {model: c/d}}, {model_name: a-b, litellm_params: {model: e/f}}]\nrouter_settings: {model_group_alias: {a-b: a.b, 'a b': a-b}, fallbacks: [{'*': [a.b]}]}")
	f.Add("model_list: [{model_name: a, litellm_params: {model: b, api_key:" + marker + ", " + marker + ": 1}}]\ngeneral_settings: {master_key:" + marker + "}")
	f.Add("model_list: [{model_name: " + marker + ", litellm_params: {model: " + marker + "/b, api_key: {" + marker + ": 1, " + marker + ": 2}}}]\nrouter_settings: {fallbacks: [{" + marker + ": [" + marker + "]}]}")
	word := regexp.MustCompile("[A-Za-z0-9]" + marker) // not a secret, but a part of a word
	f.Fuzz(func(t *testing.T, in string) {
		models, err := loaded()
		if err != nil {
			t.Fatal(err)
		}
		r, err := importWith(models, "c.yaml", []byte(in))
		if all := told(r, err); strings.Contains(all, marker) && !word.MatchString(in) {
			t.Fatalf("it tells a secret:\n%s", all)
		}
		if err != nil {
			var e *Error
			if !errors.As(err, &e) {
				t.Fatalf("an error that is not ours: %v", err)
			}
			return
		}
		if _, err := scenario.Parse("out.yaml", r.YAML, nil); err != nil {
			t.Fatalf("%v\n%s", err, r.YAML)
		}
	})
}
