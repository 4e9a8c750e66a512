package main

import (
	"fmt"
	"net"
	"strings"

	"github.com/seed-4fd17b57/simload/mockupstream"
	"github.com/seed-4fd17b57/simload/sim/fleet"
	"github.com/seed-4fd17b57/simload/sim/scenario"
)

// greetings are what can be pasted to reach the models of a dialect. {base} stands for the mock's address and
// {key} for a key.
var greetings = []struct {
	dialect mockupstream.Dialect
	sdk     string
	lines   []string
}{
	{mockupstream.DialectOpenAI, "OpenAI SDK", []string{
		`Go          openai.NewClient(option.WithBaseURL("{base}/v1"), option.WithAPIKey("{key}"))`,
		`Python      OpenAI(base_url="{base}/v1", api_key="{key}")`,
		`TypeScript  new OpenAI({ baseURL: "{base}/v1", apiKey: "{key}" })`,
		`any         OPENAI_BASE_URL={base}/v1 OPENAI_API_KEY={key}`,
	}},
	{mockupstream.DialectAnthropic, "Anthropic SDK", []string{
		`Go          anthropic.NewClient(option.WithBaseURL("{base}"), option.WithAPIKey("{key}"))`,
		`Python      Anthropic(base_url="{base}", api_key="{key}")`,
		`TypeScript  new Anthropic({ baseURL: "{base}", apiKey: "{key}" })`,
		`any         ANTHROPIC_BASE_URL={base} ANTHROPIC_API_KEY={key}`,
	}},
	{mockupstream.DialectGemini, "Gemini SDK", []string{
		`Go          genai.NewClient(ctx, &genai.ClientConfig{APIKey: "{key}", Backend: genai.BackendGeminiAPI, HTTPOptions: genai.HTTPOptions{BaseURL: "{base}"}})`,
		`Python      genai.Client(api_key="{key}", http_options={"base_url": "{base}"})`,
	}},
	{mockupstream.DialectAzure, "Azure OpenAI", []string{
		`Python      AzureOpenAI(azure_endpoint="{base}", api_key="{key}", api_version="2024-10-21")`,
	}},
	{mockupstream.DialectDeepSeek, "DeepSeek, by OpenAI's SDK", []string{
		`Python      OpenAI(base_url="{base}", api_key="{key}")`,
	}},
	{mockupstream.DialectOpenRouter, "OpenRouter, by OpenAI's SDK", []string{
		`Python      OpenAI(base_url="{base}/api/v1", api_key="{key}")`,
	}},
}

// welcome says on stderr where the mock is, in words that can be pasted.
func (a *app) welcome(set *scenario.Built, name string, addr *net.TCPAddr, guests int) {
	base := "http://" + addr.String()
	if addr.IP.IsUnspecified() {
		base = fmt.Sprintf("http://127.0.0.1:%d", addr.Port)
	}
	put := func(format string, args ...any) { fmt.Fprintf(a.stderr, format+"\n", args...) }
	put("simload mock: %s (%s), %s, %s%s", base, name, fleet.Number(len(set.Upstream.Models), "model"), fleet.Number(len(set.Upstream.Keys), "key"), also(guests))
	for _, g := range greetings {
		m, key := reach(set, g.dialect)
		if m == "" {
			continue
		}
		put("\n%s, model %s", g.sdk, m)
		fill := strings.NewReplacer("{base}", base, "{key}", key)
		for _, line := range g.lines {
			put("  %s", fill.Replace(line))
		}
	}
	put("\n%s/stats   %s/metrics   POST %s/reset", base, base, base)
	put("Ctrl-C stops the mock and prints its verdict on the client.")
}

func also(guests int) string {
	if guests == 0 {
		return ""
	}
	return fmt.Sprintf(", and any other key, up to %d of them", guests)
}

// reach returns the first model of a dialect, and the first key that may use it.
func reach(set *scenario.Built, d mockupstream.Dialect) (model, key string) {
	for m := range set.Upstream.Models {
		if set.Upstream.Models[m].Dialect != d {
			continue
		}
		for k := range set.Upstream.Keys {
			if set.Upstream.Keys[k].Quotas[m] >= 0 {
				return set.Upstream.Models[m].Name, set.Upstream.Keys[k].ID
			}
		}
	}
	return "", ""
}
