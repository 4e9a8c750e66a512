// Package litellm turns the configuration of a LiteLLM proxy into a scenario: deployments
// become keys with limits, groups become models and routes, fallbacks become the steps of a
// route, retries and cooldowns those of the stack. Start with [Import].
//
// Whatever has no counterpart is named: each [Note] has the setting's path and line. What a
// setting is set to is told only where it is a number or one of a few known words, so that no
// secret gets out: keys become ids (key-1, key-2, ...), addresses and values of unknown settings
// are not told, environment variables are not read, and errors carry no text of the file. A key
// that is no plain name is "(a key)" in a path: in braces, "api_key:sk-..." is one. Names of groups
// and aliases are told, since a scenario is about them, but for those that look like a secret, which
// become group-1, group-2, ...
//
// What the settings mean was read in November 2026 from LiteLLM's public documents, types and code
// (BerriAI/litellm: litellm/types/router.py, litellm/router_strategy/simple_shuffle.py,
// litellm/router_utils/fallback_event_handlers.py, docs/my-website/docs/proxy/config_settings.md,
// docs/my-website/docs/routing.md and proxy/reliability.md).
package litellm
