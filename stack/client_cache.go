package stack

import (
	"hash/fnv"
	"math"
	"slices"
	"strconv"

	"github.com/seed-4fd17b57/simload/stack/wire"
)

// reads reports whether the configuration looks at what is asked.
func (cfg *Config) reads() bool {
	return cfg.Cache != nil || slices.ContainsFunc(cfg.Routes, func(r Route) bool { return r.Routing != nil })
}

// recite tells the core what a call asks, unless the caller has: its last message, and a hash of all
// else that shapes the answer. Where the caller names no Tenant all calls of this client are one's.
func (c *Client) recite(k *call) {
	if !c.reads || k.Text != "" || len(k.Prompt.Messages) == 0 {
		return
	}
	p := k.Prompt
	k.Text = p.Messages[len(p.Messages)-1].Text
	if k.Params == 0 {
		k.Params = params(p, k.MaxOut)
	}
	for _, name := range []string{"tools", "functions"} {
		if _, has := p.Extra[name]; has {
			k.Tools = true
		}
	}
}

// params is a hash of what shapes an answer beside the last message (INV-60).
func params(p *wire.Prompt, maxOut int64) uint64 {
	h := fnv.New64a()
	put := func(parts ...string) {
		for _, s := range parts {
			h.Write(strconv.AppendInt(nil, int64(len(s)), 10))
			h.Write([]byte{':'})
			h.Write([]byte(s))
		}
	}
	put(p.System, strconv.FormatInt(maxOut, 10))
	for _, m := range p.Messages[:len(p.Messages)-1] {
		put(m.Role, m.Text)
	}
	put(p.Messages[len(p.Messages)-1].Role)
	if p.Temperature != nil {
		put("temperature", strconv.FormatUint(math.Float64bits(*p.Temperature), 16))
	}
	put(p.Stop...)
	names := make([]string, 0, len(p.Extra))
	for name := range p.Extra {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		put(name, string(p.Extra[name]))
	}
	return max(1, h.Sum64())
}

// whole are the finish reasons of an answer that came to its own end.
var whole = []string{"stop", "end_turn", "stop_sequence"}

// memorable puts the answer into the outcome, for the cache.
func (c *Client) memorable(v *verdict) {
	if c.cfg.Stack.Cache == nil || v.Kind != Success {
		return
	}
	reply := v.reply
	v.Value, v.Partial = &reply, !slices.Contains(whole, reply.Finish)
}

// remembered is the answer that a call got from the cache. Nothing was used for it.
func remembered(r *Result) wire.Reply {
	reply, ok := r.Value.(*wire.Reply)
	if !ok {
		return wire.Reply{}
	}
	out := *reply
	out.Usage, out.HasUsage = wire.Usage{}, true
	return out
}
