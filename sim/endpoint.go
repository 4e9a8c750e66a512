package sim

import (
	"strings"

	"github.com/seed-4fd17b57/simload/mockupstream"
	"github.com/seed-4fd17b57/simload/sim/scenario"
	"github.com/seed-4fd17b57/simload/stack"
	"github.com/seed-4fd17b57/simload/stack/wire"
	"github.com/seed-4fd17b57/simload/workload"
)

// endpoints says where the mock at a base URL serves each model of a setup: Anthropic's in their
// own form, all others in OpenAI's, at the paths of their vendors.
func endpoints(set *scenario.Built, base string) []stack.Endpoint {
	base = strings.TrimRight(base, "/")
	list := make([]stack.Endpoint, len(set.Upstream.Models))
	for i := range set.Upstream.Models {
		m := &set.Upstream.Models[i]
		e := stack.Endpoint{BaseURL: base + "/v1", Model: m.Name}
		switch m.Dialect {
		case mockupstream.DialectAnthropic:
			e.Format = wire.Anthropic
		case mockupstream.DialectGemini:
			e.BaseURL = base + "/v1beta/openai"
		case mockupstream.DialectAzure:
			e.BaseURL = base + "/openai/deployments/" + m.Name
			e.Query, e.AuthHeader = "api-version=2024-10-21", "api-key"
		case mockupstream.DialectOpenRouter:
			e.BaseURL = base + "/api/v1"
		}
		list[i] = e
	}
	return list
}

// callOf is the attempt as the upstream is to understand it. Its key and model are what the
// wire says.
func callOf(d *workload.Demand, a *stack.Attempt) mockupstream.Call {
	in, prefix := d.In, d.Prefix
	if a.ContextCap > 0 && d.EstIn > a.ContextCap {
		// The rest is summarised: the real prompt shrinks as the estimate does, and a
		// fresh summary repeats nothing.
		in, prefix = max(1, d.In*a.ContextCap/d.EstIn), 0
	}
	return mockupstream.Call{
		ID: d.ID, Attempt: a.Number, Key: a.Key, Model: a.Target, In: in, MaxOut: a.MaxOut, Out: d.Out,
		Conversation: conversation(d), Prefix: prefix, Shared: d.Shared,
		Write: a.Write, WriteID: d.ID, IdempotencyKey: a.IdempotencyKey,
	}
}
