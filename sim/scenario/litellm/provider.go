package litellm

import (
	"slices"
	"strings"

	"github.com/seed-4fd17b57/simload/mockupstream/catalog"
)

// dialects of the providers that the mock speaks, by LiteLLM's names for them.
var dialects = map[string]string{
	"openai": "openai", "text-completion-openai": "openai", "azure": "azure", "azure_ai": "azure", "azure_text": "azure",
	"anthropic": "anthropic", "gemini": "gemini", "vertex_ai": "gemini", "vertex_ai_beta": "gemini", "palm": "gemini",
	"deepseek": "deepseek", "openrouter": "openrouter",
}

// standIns are the catalogue's models that give figures for unknown ones.
var standIns = map[string]string{
	"openai": "gpt-4.1-mini", "azure": "gpt-4.1-mini", "openrouter": "gpt-4.1-mini",
	"anthropic": "claude-sonnet-4-5", "gemini": "gemini-2.5-flash", "deepseek": "deepseek-chat",
}

// spoken reports whether the mock has a dialect for a provider.
func spoken(provider string) bool { return dialects[provider] != "" }

// split takes a model as it is written apart: provider/name, or a name of which the provider
// is known.
func split(full, provider string) (string, string) {
	before, name, found := strings.Cut(full, "/")
	before = strings.ToLower(before)
	switch {
	case provider != "":
		if found && before == provider {
			return provider, name
		}
		return provider, full
	case found:
		return before, name
	case strings.HasPrefix(full, "claude"):
		return "anthropic", full
	case strings.HasPrefix(full, "gemini"):
		return "gemini", full
	case strings.HasPrefix(full, "deepseek"):
		return "deepseek", full
	}
	return "openai", full
}

// dialectOf is how the mock limits a model of a provider. Anthropic's models elsewhere are
// limited as the place does it.
func dialectOf(provider, model string) string {
	if provider == "vertex_ai" && strings.HasPrefix(model, "claude") {
		return "anthropic"
	}
	if d := dialects[provider]; d != "" {
		return d
	}
	return "openai"
}

// figures returns the catalogue's entry for a deployment's model: of its own name, of the name
// without what vendors put behind it (a date, a size of context), or a stand-in; known is false
// for the last.
func figures(d *deployment, models *catalog.Catalog) (name string, known bool) {
	for _, wanted := range []string{d.base, d.model} {
		wanted = strings.ToLower(wanted[strings.LastIndexByte(wanted, '/')+1:])
		best := ""
		for _, name := range models.Names() {
			rest, ok := strings.CutPrefix(wanted, name)
			if ok && len(name) > len(best) && (rest == "" || dated(rest)) {
				best = name
			}
		}
		if best != "" {
			return best, true
		}
	}
	return standIns[d.dialect], false
}

// dated reports whether what follows a model's name is a version of the same model.
func dated(rest string) bool {
	rest = strings.TrimPrefix(rest, "@")
	rest = strings.TrimPrefix(rest, "-")
	return rest == "latest" || rest == "preview" || len(rest) >= 4 && strings.Trim(rest, "0123456789-") == ""
}

// others are parts of the names of models that make something else than text.
var others = []string{"embed", "dall-e", "gpt-image", "imagen", "whisper", "tts", "transcribe", "rerank", "moderation"}

// chats reports whether a model's name does not say that it is something else than a chat.
func chats(model string) bool {
	return !slices.ContainsFunc(others, func(part string) bool { return strings.Contains(strings.ToLower(model), part) })
}
