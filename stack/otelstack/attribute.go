package otelstack

import (
	"strings"

	"go.opentelemetry.io/otel/attribute"
)

// Attributes of the conventions.
const (
	operationNameKey attribute.Key = "gen_ai.operation.name"
	providerNameKey  attribute.Key = "gen_ai.provider.name"
	requestModelKey  attribute.Key = "gen_ai.request.model"
	tokenTypeKey     attribute.Key = "gen_ai.token.type"
	errorTypeKey     attribute.Key = "error.type"
)

// Attributes of our own.
const (
	routeKey   attribute.Key = "simload.route"
	classKey   attribute.Key = "simload.class"
	endingKey  attribute.Key = "simload.ending"
	reasonKey  attribute.Key = "simload.reason"
	stepKey    attribute.Key = "simload.step"
	targetKey  attribute.Key = "simload.target"
	keyKey     attribute.Key = "simload.key"
	outcomeKey attribute.Key = "simload.outcome"
	tokenKey   attribute.Key = "simload.token_type"
)

// providers has the well-known values of gen_ai.provider.name (semantic conventions v1.41.0) for
// what people call the vendors, where that is something else.
var providers = map[string]string{
	"aws":          "aws.bedrock",
	"azure":        "azure.ai.openai",
	"azure openai": "azure.ai.openai",
	"bedrock":      "aws.bedrock",
	"gemini":       "gcp.gemini",
	"google":       "gcp.gen_ai", // which of its services is not known
	"grok":         "x_ai",
	"mistral":      "mistral_ai",
	"vertex":       "gcp.vertex_ai",
	"vertex ai":    "gcp.vertex_ai",
	"watsonx":      "ibm.watsonx.ai",
	"x.ai":         "x_ai",
	"xai":          "x_ai",
}

// provider returns the value of gen_ai.provider.name for a vendor: a well-known one, or the name in
// lower case, as the conventions allow.
func provider(vendor string) string {
	name := strings.ToLower(strings.ToValidUTF8(strings.TrimSpace(vendor), "?"))
	if known, ok := providers[strings.NewReplacer("-", " ", "_", " ").Replace(name)]; ok {
		return known
	}
	return name
}
