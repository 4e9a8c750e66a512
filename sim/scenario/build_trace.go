package scenario

import (
	"io"
	"time"

	"github.com/seed-4fd17b57/simload/workload"
)

func (c *compiler) trace(name string, t *Trace) {
	at := func(names ...string) []string { return append([]string{"workload", "traces", name}, names...) }
	p, _ := c.profileOf(t.Profile, at("profile")...)
	if t.Path == "" {
		c.fail(problem{"an empty path", `""`, "the path of a trace", "name the file"}, at("path")...)
	}
	out := workload.Trace{
		Name: name, Profile: p, Speed: 1, Clients: defaultClients, ClientsInTurn: t.ClientsInTurn,
		SkipBad: t.OnError == "skip", SkipFailed: t.Failed == "skip", Spread: time.Duration(t.Spread), Loop: 1,
	}
	node, _ := c.tree.at(at("path")...)
	out.Path = c.tracePath(node, t.Path)
	if open := c.open; open != nil {
		path := out.Path
		out.Source = func() (io.ReadCloser, error) { return open(path) }
	}
	if t.Loop != 0 {
		out.Loop = int(t.Loop)
	}
	setNumber(&out.Speed, t.Speed)
	set(&out.Clients, t.Clients)
	if t.Reorder != nil {
		out.Reorder = int(*t.Reorder)
	}
	if t.CacheBlocks != nil {
		out.CacheBlocks = int(*t.CacheBlocks)
	}
	if t.Format != "" {
		var err error
		if out.Format, err = workload.ParseTraceFormat(t.Format); err != nil {
			c.fail(problem{"unknown format: " + err.Error(), quote(t.Format), "a format of traces", "leave it out"}, at("format")...)
		}
	}
	for i, pattern := range t.Models.Names {
		if p, ok := c.profileOf(string(*t.Models.Values[i]), at("models", pattern)...); ok {
			out.Models = append(out.Models, workload.TraceModel{Match: pattern, Profile: p})
		}
	}
	for i, name := range t.Sessions.Names {
		if _, _, err := workload.ParseAgents(name); err != nil && t.Format == workload.FormatEvents.String() {
			c.fail(problem{"not an agent", quote(name), "an agent's number, or a range of them", "write 7, or 0-49"}, at("sessions", name)...)
		}
		if p, ok := c.profileOf(string(*t.Sessions.Values[i]), at("sessions", name)...); ok {
			out.Sessions = append(out.Sessions, workload.TraceSession{Match: name, Profile: p})
		}
	}
	if out.Format != workload.FormatAzure && out.Format != workload.FormatMooncake {
		for i := range c.profileNames {
			c.asked[i] = true // a row may bear its name
		}
	}
	c.formatHas(t, "models", t.Models.Len() > 0, at("models"), workload.FormatBurstGPT, workload.FormatEvents)
	c.formatHas(t, "sessions", t.Sessions.Len() > 0, at("sessions"), workload.FormatMooncake, workload.FormatBurstGPT, workload.FormatEvents)
	c.formatHas(t, "cache_blocks", t.CacheBlocks != nil, at("cache_blocks"), workload.FormatMooncake)
	c.out.Workload.Traces = append(c.out.Workload.Traces, out)
}

// formatHas checks that a key has a meaning in the format that a trace is said to have.
func (c *compiler) formatHas(t *Trace, key string, given bool, at []string, formats ...workload.TraceFormat) {
	if !given || t.Format == "" || t.Format == workload.FormatAuto.String() {
		return
	}
	var names []string
	for _, f := range formats {
		if f.String() == t.Format {
			return
		}
		names = append(names, f.String())
	}
	c.fail(problem{key + " has no meaning for a trace of format " + t.Format, c.found(at...), key + " with format " + list(names), "leave it out"}, at...)
}
