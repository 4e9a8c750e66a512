// Package catalog knows real models: what they cost, how large they are, how fast they
// typically are, and what their vendors' tiers allow.
//
// Start with [Load], which parses the list that is built in (catalog.yaml). Every figure
// in it has a source and a date:
//
//	c, err := catalog.Load()
//	m, ok := c.Model("gpt-4.1")
//	t, ok := m.Tier("tier2") // 5000 requests and 450 000 tokens per minute
//
// Prices are integers: pico-USD (10^-12 USD) per token, which is USD per million tokens
// times 10^6. So 0.42 USD per million tokens is 420 000 pico-USD a token, and a bill is a
// sum of integers. [ParsePrice] reads prices that users write, without a detour through
// floating point.
//
// A [Price] also knows what writing to a prompt cache costs, and from which prompt length on the whole
// call is dearer; a [Tier] knows limits on output and per day, and OpenAI's for long prompts. What
// is assumed, not read somewhere, is named so at the source in catalog.yaml.
//
// Latencies are typical of a size of model. They are not measurements of the model they
// stand at; catalog.yaml says what they are taken from.
package catalog
