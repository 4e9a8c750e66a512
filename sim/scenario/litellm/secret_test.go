package litellm

import (
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/seed-4fd17b57/simload/mockupstream/catalog"
)

// marker stands for a secret; it begins as keys to providers do.
const marker = "sk-qzsecretqz"

// loaded is the catalogue, which most of an import's time goes to.
var loaded = sync.OnceValues(catalog.Load)

// tells returns all that import tells of a configuration.
func tells(t *testing.T, in string) string {
	t.Helper()
	models, err := loaded()
	if err != nil {
		t.Fatal(err)
	}
	return told(importWith(models, "c.yaml", []byte(in)))
}

// told is all that import tells: the scenario, the notes and the error.
func told(r *Result, err error) string {
	if err != nil {
		return err.Error()
	}
	all := string(r.YAML)
	for _, n := range r.Notes {
		all += n.String() + "\n"
	}
	return all
}

// Ensure no secret gets out, wherever a slip of the pen puts it: into a key, a provider, a name, or
// next to what is wrong.
func TestImportTellsNoSecret(t *testing.T) {
	const ok = "model_list: [{model_name: house, litellm_params: {model: gpt-4.1-mini}}]\n"
	params := func(s string) string { return "model_list: [{model_name: house, litellm_params: {" + s + "}}]\n" }
	for name, in := range map[string]string{
		"key without a space":            params("model: gpt-4o, api_key:SECRET, rpm: 5"),
		"quoted key without a space":     params(`model: gpt-4o, "api_key:SECRET", rpm: 5`),
		"value behind a comma":           params("model: gpt-4o, api_key: , SECRET"),
		"word behind a comma":            params("model: gpt-4o, api_key: , correcthorse"),
		"as a key with a value":          params("model: gpt-4o, SECRET: 1"),
		"as an explicit key":             params("model: gpt-4o, ? SECRET : 1"),
		"as a key that is a list":        params("model: gpt-4o, ? [SECRET] : 1"),
		"doubled below a secret":         params("model: gpt-4o, api_key: {SECRET: 1, SECRET: 2}"),
		"words doubled below a secret":   params("model: gpt-4o, vertex_credentials: {correcthorse: 1, correcthorse: 2}"),
		"below a secret, not a map":      params("model: gpt-4o, api_key: {<<: SECRET}"),
		"as a provider":                  params("model: SECRET/gpt-4o"),
		"word as a provider":             params("model: correcthorse/gpt-4o"),
		"as custom_llm_provider":         params("model: gpt-4o, custom_llm_provider: SECRET"),
		"as a made-up answer's provider": params("model: SECRET/gpt-4o, mock_response: SECRET"),
		"as the model":                   params("model: SECRET"),
		"as the base model":              params("model: gpt-4o}, model_info: {base_model: SECRET, mode: chat, id: SECRET"),
		"as the mode":                    params("model: gpt-4o}, model_info: {mode: SECRET"),
		"as a number":                    params("model: gpt-4o, rpm: SECRET, weight: SECRET, order: SECRET, input_cost_per_token: SECRET"),
		"as all the parameters":          "model_list: [{model_name: house, litellm_params: SECRET}]",
		"as a deployment":                "model_list: [SECRET]",
		"as a deployment beside one":     "model_list: [SECRET, {model_name: house, litellm_params: {model: gpt-4o}}]",
		"as a group":                     "model_list: [{model_name: SECRET, litellm_params: {model: gpt-4o}}]",
		"as a group of two":              "model_list: [{model_name: SECRET, litellm_params: {model: gpt-4o}}, {model_name: SECRET, litellm_params: {model: azure/x}}]",
		"in a group, comma missing":      "model_list: [{model_name: house api_key:correcthorse, litellm_params: {model: gpt-4o}}]",
		"in a group that is an address":  "model_list: [{model_name: 'https://correcthorse@example.test', litellm_params: {model: gpt-4o}}]",
		"in a key of a deployment":       "model_list: [{model_name: house, api_key:SECRET, litellm_params: {model: gpt-4o}}]",
		"instead of model_name":          "model_list: [{model_name:SECRET, litellm_params: {model: gpt-4o}}]",
		"master key without a space":     ok + "general_settings: {master_key:SECRET}",
		"database with a password":       ok + "general_settings: {'database_url:postgres://u:correcthorse@db': 1}",
		"redis without a space":          ok + "router_settings: {redis_password:correcthorse}",
		"redis behind a comma":           ok + "router_settings: {redis_password: , correcthorse: }",
		"unknown settings":               ok + "litellm_settings: {SECRET: 1, wobble: SECRET}\nSECRET: 1\nother: SECRET",
		"environment":                    ok + "environment_variables: {SECRET: SECRET, SECRET: SECRET}",
		"environment without a space":    ok + "environment_variables: {OPENAI_API_KEY:SECRET}",
		"as an alias":                    ok + "router_settings: {model_group_alias: {SECRET: house, quick:correcthorse, SECRET2: nowhere, correcthorse: }}",
		"as what an alias is of":         ok + "router_settings: {model_group_alias: {quick: SECRET, fast: {model: SECRET, SECRET: 1}}}",
		"as a fallback":                  ok + "router_settings: {fallbacks: [{SECRET: [SECRET]}, {house: [SECRET, {SECRET: SECRET}]}, SECRET], default_fallbacks: [SECRET]}",
		"as the fallbacks":               ok + "router_settings: {fallbacks: SECRET, default_fallbacks: {SECRET: 1}, routing_strategy: SECRET}",
		"as whole sections":              ok + "router_settings: SECRET\nlitellm_settings: [SECRET]\ngeneral_settings: SECRET",
		"as an anchor":                   "x: &SECRET 1\n" + ok + "y: *SECRET",
		"as an anchor that there is not": ok + "y: *SECRET",
		"as a tag":                       ok + "y: !SECRET 1\nrouter_settings: !<SECRET> {num_retries: !SECRET 3}",
		"next to what is no YAML":        ok + "general_settings: {master_key: SECRET",
		"next to a tab":                  ok + "general_settings:\n\tmaster_key: SECRET",
		"next to a second colon":         ok + "general_settings:\n  master_key: SECRET: correcthorse",
		"in a second document":           ok + "---\nmaster_key: SECRET",
		"merged":                         "x: &x {SECRET: 1, api_key:SECRET}\nmodel_list: [{model_name: house, litellm_params: {<<: *x, model: gpt-4o}}]",
	} {
		t.Run(name, func(t *testing.T) {
			told := strings.ToLower(tells(t, strings.ReplaceAll(in, "SECRET", marker)))
			for _, secret := range []string{"qzsecret", "correcthorse"} {
				if strings.Contains(told, secret) {
					t.Errorf("it tells %s:\n%s", secret, told)
				}
			}
		})
	}
}

// Ensure no slip of one character near a secret in a whole configuration tells it, even one that is
// a plain word.
func TestNoSlipTellsASecret(t *testing.T) {
	const secret = "correcthorse"
	lines := strings.Split(regexp.MustCompile(`sk-topsecret-\d+|hunter2secret`).ReplaceAllString(string(gateway(t)), secret), "\n")
	tried := 0
	for n, line := range lines {
		if !strings.Contains(line, secret) {
			continue
		}
		for i := range len(line) {
			if !strings.ContainsRune(" :,{}[]", rune(line[i])) {
				continue
			}
			for _, instead := range []string{"", ", "} {
				lines[n] = line[:i] + instead + line[i+1:]
				if all := tells(t, strings.Join(lines, "\n")); strings.Contains(all, secret) {
					t.Errorf("line %d tells a secret when it is\n%s\n%s", n+1, lines[n], all)
				}
				tried++
			}
		}
		lines[n] = line
	}
	if tried < 200 {
		t.Errorf("%d slips were tried", tried)
	}
}

// Ensure a setting that import does not know is still named, so that one can find it.
func TestImportNamesUnknownSettings(t *testing.T) {
	told := tells(t, "brand_new: 1\nmodel_list: [{model_name: house, wobble: 1, litellm_params: {model: gpt-4.1-mini, shiny_thing: [1]}}]\nrouter_settings: {newer: 1}")
	for _, path := range []string{"brand_new: ", "model_list[0].wobble: ", "model_list[0].litellm_params.shiny_thing: ", "router_settings.newer: "} {
		if !strings.Contains(told, path+"unknown") {
			t.Errorf("no note of %s in\n%s", path, told)
		}
	}
}

func TestSecretive(t *testing.T) {
	for name, want := range map[string]bool{
		"gpt-4.1-mini": false, "task-runner": false, "risk-sk": false, "openai/*": false, "claude:latest": false, "monkey:7b": false,
		"llama-3.3-70b-versatile": false, "anthropic.claude-3-5-sonnet-20241022-v2:0": false, "averyveryverylongnamewithoutdigits": false,
		"sk-1": true, "x sk-ant-1": true, "AKIAIOSFODNN7EXAMPLE": true, "redis://u:p@h": true, "os.environ/NAME": true,
		"house api_key:x": true, "token=x": true, "0123456789abcdef0123456789abcdef": true,
	} {
		if got := secretive(name); got != want {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
	}
}
