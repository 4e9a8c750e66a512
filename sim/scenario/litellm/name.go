package litellm

import (
	"regexp"
	"strconv"
	"strings"

	"github.com/seed-4fd17b57/simload/sim/scenario/draft"
)

// untold stands in a path for a key that may hold a secret, such as "api_key:sk-..." in braces,
// where the colon has no space behind it.
const untold = "(a key)"

// spaced is what to look for where a key is no name.
const spaced = "is there a colon without a space behind it?"

// known are names of settings, of all parts of a configuration. They are told whatever they are set to.
var known = set(`
	model_list router_settings litellm_settings general_settings environment_variables callback_settings files_settings
	finetune_settings credential_list guardrails mcp_servers vector_store_registry prompts include assistant_settings
	model_name litellm_params model_info rpm tpm
	model api_key api_base base_url api_version organization custom_llm_provider region_name litellm_credential_name
	vertex_project vertex_location vertex_credentials aws_region_name aws_access_key_id aws_secret_access_key
	aws_session_token aws_session_name aws_profile_name aws_role_name aws_web_identity_token aws_sts_endpoint
	aws_bedrock_runtime_endpoint aws_external_id azure_ad_token azure_ad_token_provider azure_username azure_password
	azure_scope tenant_id client_id client_secret watsonx_region_name s3_bucket_name
	itpm otpm weight order max_parallel_requests timeout stream_timeout max_retries num_retries cooldown_time
	max_budget budget_duration input_cost_per_token output_cost_per_token input_cost_per_second output_cost_per_second
	tags tag_regex default_api_key_rpm_limit default_api_key_tpm_limit mock_response mock_timeout mock_delay
	temperature top_p top_k max_tokens max_completion_tokens reasoning_effort drop_params stream seed stop n tools
	thinking extra_headers extra_body additional_drop_params use_in_pass_through merge_reasoning_content_in_choices
	id base_model mode tier allowed_fails allowed_fails_policy health_check_timeout health_check_model max_input_tokens
	max_output_tokens access_groups supported_environments team_id
	routing_strategy routing_strategy_args routing_groups model_group_alias retry_after retry_policy
	model_group_retry_policy disable_cooldowns fallbacks context_window_fallbacks content_policy_fallbacks
	default_fallbacks max_fallbacks default_max_parallel_requests enable_pre_call_checks enable_pre_call_check
	optional_pre_call_checks redis_url redis_host redis_port redis_password redis_db cache_responses cache_kwargs
	caching_groups client_ttl default_priority polling_interval provider_budget_config enable_tag_filtering
	tag_filtering_match_any default_litellm_params set_verbose debug_level alerting_config router_general_settings
	ignore_invalid_deployments search_tools guardrail_list hidden
	request_timeout cache json_logs callbacks success_callback failure_callback service_callbacks cache_params telemetry
	modify_params turn_off_message_logging redact_user_api_key_info default_team_settings
	master_key database_url custom_auth alerting_args key_management_settings key_management_system
	global_max_parallel_requests background_health_checks health_check_interval completion_model alerting
	store_model_in_db database_connection_pool_limit pass_through_endpoints proxy_batch_write_at
	disable_retry_on_max_parallel_request_limit_error
`)

// providers are LiteLLM's names of providers: others are not told, since they may be a slip.
var providers = set(`
	openai text-completion-openai custom_openai openai_like azure azure_ai azure_text anthropic anthropic_text bedrock
	bedrock_converse sagemaker sagemaker_chat vertex_ai vertex_ai_beta gemini palm cohere cohere_chat mistral codestral
	text-completion-codestral groq together_ai fireworks_ai openrouter deepseek deepinfra perplexity replicate
	huggingface ollama ollama_chat vllm hosted_vllm lm_studio llamafile llamacpp xinference triton databricks
	snowflake watsonx watsonx_text nvidia_nim cerebras sambanova ai21 ai21_chat nlp_cloud aleph_alpha baseten xai
	github github_copilot friendliai volcengine dashscope moonshot minimax zai hyperbolic novita nebius lambda_ai
	anyscale cloudflare predibase maritalk petals voyage jina_ai infinity clarifai empower featherless_ai galadriel
	gradient_ai heroku litellm_proxy meta_llama morph nscale oci ovhcloud vercel_ai_gateway wandb gigachat datarobot
	bytez cometapi aiml inception
`)

func set(words string) map[string]bool {
	out := map[string]bool{}
	for _, w := range strings.Fields(words) {
		out[w] = true
	}
	return out
}

// plainWords is a name that nobody has written a secret into: words without a digit.
var plainWords = regexp.MustCompile(`^[a-z]{1,24}(_[a-z]{1,24}){0,7}$`)

// settingName returns how the name of a setting is told; false if it is not. A name that import
// does not know is told only if it looks like one and is set to something: in "{api_key: , word}"
// the word is a value.
func settingName(key string, given bool) (string, bool) {
	if known[key] || given && plainWords.MatchString(key) {
		return key, true
	}
	return untold, false
}

// plainName is a group's name as it is told in a path.
var plainName = regexp.MustCompile(`^[A-Za-z0-9._/*@+ -]{1,60}$`)

// secretLike finds what keys to providers begin with, addresses with a scheme, references to the
// environment, and settings that slipped into a name.
var secretLike = regexp.MustCompile(`(?:^|[^A-Za-z0-9])(?:(?i:sk[-_]|bearer )[A-Za-z0-9]|AIza|AKIA|eyJ)|://|os\.environ` +
	`|(?i:(?:^|[^a-z])(?:api)?(?:key|token|secret|password|passwd|credentials?|auth)[a-z0-9_]*["']?[:=])`)

// run is text without a break; a name has no long ones of letters and digits alike.
var run = regexp.MustCompile(`[A-Za-z0-9]{24,}`)

// secretive reports whether a name may hold a secret.
func secretive(name string) bool {
	if secretLike.MatchString(name) {
		return true
	}
	for _, r := range run.FindAllString(name, -1) {
		if strings.ContainsAny(r, "0123456789") && strings.Trim(r, "0123456789") != "" {
			return true
		}
	}
	return false
}

// shownGroup returns a group's name, or group-N for one that may hold a secret.
func (c *config) shownGroup(name string) string {
	if !secretive(name) {
		return name
	}
	return "group-" + strconv.Itoa(numbered(c.groups, name))
}

// numbered returns a text's number in the order in which they were met, from 1.
func numbered(met map[string]int, text string) int {
	if met[text] == 0 {
		met[text] = len(met) + 1
	}
	return met[text]
}

// groupInPath returns how a path tells a group's name.
func groupInPath(name string, given bool) (string, bool) {
	if given && plainName.MatchString(name) && !secretive(name) {
		return name, true
	}
	return untold, true
}

// vendor is the name of a provider's upstream in the scenario: other-N if LiteLLM knows no such one.
func (c *config) vendor(provider string) string {
	if providers[provider] {
		return strings.ToLower(draft.Identifier(provider))
	}
	return "other-" + strconv.Itoa(numbered(c.others, provider))
}
