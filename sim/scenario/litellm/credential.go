package litellm

import (
	"strconv"
	"strings"
)

// credentials are parameters whose values are never looked at but to tell credentials apart.
var credentials = set(`
	api_key api_base base_url api_version organization litellm_credential_name region_name aws_region_name
	vertex_project vertex_location vertex_credentials aws_access_key_id aws_secret_access_key aws_session_token
	aws_session_name aws_profile_name aws_role_name aws_web_identity_token aws_sts_endpoint aws_external_id
	aws_bedrock_runtime_endpoint azure_ad_token azure_ad_token_provider azure_username azure_password azure_scope
	tenant_id client_id client_secret watsonx_region_name project_id space_id
`)

// credential reports whether a parameter is a credential, or says whose it is.
func credential(param string) bool {
	if credentials[param] {
		return true
	}
	for _, end := range []string{"_key", "_secret", "_token", "_credentials", "password", "_username", "_account_id"} {
		if strings.HasSuffix(param, end) && !strings.Contains(param, "cost_per") {
			return true
		}
	}
	return false
}

// reference notes a credential, or a part of one, that stands in the environment: the first time that it is met.
func (c *config) reference(v value) {
	s, _ := v.scalar()
	if !v.environment() || c.references[s] {
		return
	}
	c.references[s] = true
	c.note(v, "stands for an environment variable, which is not read: it tells keys apart, by its name")
}

// whatever is all the text below a value, to compare it with others. Nothing in it is noted.
func (c *config) whatever(v value) string {
	defer func(before bool) { c.quiet = before }(c.quiet)
	c.quiet = true
	if s, ok := v.scalar(); ok {
		c.looked += len(s) / maxText // aliases must not multiply a long text
		return strconv.Quote(s)
	}
	var parts []string
	for _, item := range c.items(v) {
		parts = append(parts, c.whatever(item))
	}
	for _, f := range c.groupFields(v) {
		parts = append(parts, strconv.Quote(f.key)+c.whatever(f.value))
	}
	return "[" + strings.Join(parts, ",") + "]"
}

// shared notes a deployment that is limited together with an earlier one by the provider, but not here.
func (c *config) shared(d *deployment) {
	use := d.identity + "\x00" + d.model
	if first := c.uses[use]; first != nil {
		c.note(d.at, "the same credential and model as %s, whose provider limits them together: %s and %s have limits of their own here, as in LiteLLM; give the scenario the provider's", first.at.path, first.key, d.key)
		return
	}
	c.uses[use] = d
}

// key returns the id of a key: key-1 for the first credential, key-1b for the second
// deployment that uses it.
func (c *config) key(identity string) string {
	n, known := c.credentials[identity]
	if !known {
		n = len(c.keyUses)
		c.credentials[identity] = n
		c.keyUses = append(c.keyUses, 0)
	}
	c.keyUses[n]++
	id := "key-" + strconv.Itoa(n+1)
	switch use := c.keyUses[n]; {
	case use == 1:
		return id
	case use <= 26:
		return id + string(rune('a'+use-1))
	default:
		return id + "x" + strconv.Itoa(use)
	}
}
