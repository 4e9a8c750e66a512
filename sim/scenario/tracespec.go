package scenario

import (
	"strconv"
)

// Trace is a recording.
type Trace struct {
	Profile       string          `yaml:"profile" jsonschema:"required" doc:"Profile of its requests, unless models says another; lengths come from the trace."`
	Path          string          `yaml:"path" jsonschema:"required" doc:"File of the trace, .gz and .zst too, relative to the scenario file; in --set relative to the working directory."`
	Format        string          `yaml:"format" jsonschema:"enum=auto,enum=azure,enum=mooncake,enum=burstgpt,enum=events" doc:"auto (default): by the first line, else by the extension. azure, burstgpt: CSV. mooncake: JSON lines with prefix blocks. events: a log of --events."`
	Models        Map[ProfileRef] `yaml:"models" doc:"Profiles by the model (burstgpt) or profile (events) that a row bears: the first pattern that matches, case aside and with * for any text; then a profile of that name; then profile."`
	Sessions      Map[ProfileRef] `yaml:"sessions" doc:"Profiles by the session (mooncake, burstgpt) or agent (events: a number, or a range such as 0-49) that a row bears, ahead of models. A client gets keys of its own by a profile whose model has them."`
	Speed         *Number         `yaml:"speed" jsonschema:"exclusiveMinimum=0,maximum=1000000" doc:"Divides the gaps between arrivals (default 1: as recorded)."`
	Clients       *int            `yaml:"clients" jsonschema:"minimum=1,maximum=10000000" doc:"Client identities that the trace is spread over (default 100)."`
	ClientsInTurn bool            `yaml:"clients_in_turn" doc:"Give the rows to the clients in turn, whatever session or agent they bear (default false)."`
	OnError       string          `yaml:"on_error" jsonschema:"enum=fail,enum=skip" doc:"A row that is not understood ends the run (fail, the default), or is left out and counted (skip)."`
	Failed        string          `yaml:"failed" jsonschema:"enum=replay,enum=skip" doc:"Requests that failed when they were recorded are replayed (replay, the default) or left out (skip)."`
	Spread        Duration        `yaml:"spread" jsonschema:"maximum=24h" doc:"Spreads the arrivals of one instant evenly over so long, in the trace's time (default 0s)."`
	Loop          Loop            `yaml:"loop" doc:"Times that the trace is replayed, one after the other, or forever: until the end of the run (default 1)."`
	Reorder       *Tokens         `yaml:"reorder" jsonschema:"minimum=1,maximum=10000000" doc:"Rows held to sort them by instant; a later one is not understood (default: 100000 for events, none for the others)."`
	CacheBlocks   *Tokens         `yaml:"cache_blocks" jsonschema:"minimum=1,maximum=1073741824" doc:"Prefix blocks of a mooncake trace that the cache holds, the latest used (default: all). It is one cache for all keys of a model whose prompt_cache is on; the model's ttl does not apply to it."`
}

// ProfileRef is the name of a profile, with a pattern for its key.
type ProfileRef string

// Loop is how often a trace is replayed; -1: until the end of the run.
type Loop int

func (v *Loop) decode(d *decoder, n *node, _ rules) {
	if n.kind == scalarNode && n.text == "forever" {
		*v = -1
		return
	}
	const most = 1_000_000_000
	allowed := "a whole number of at least 1, or forever"
	if n.kind != scalarNode || n.tag != "!!int" || !integerText.MatchString(n.text) {
		d.add(n, problem{"not a number of times", n.found(), allowed, didYouMean(n.text, []string{"forever"}, "write loop: 3, or loop: forever")})
		return
	}
	r := rules{min: "1", max: strconv.Itoa(most)}
	if i, ok := d.integer(n, r); ok {
		*v = Loop(i)
	}
}
