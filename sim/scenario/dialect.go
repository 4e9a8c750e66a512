package scenario

import (
	"reflect"

	"github.com/seed-4fd17b57/simload/mockupstream"
	"github.com/seed-4fd17b57/simload/stack"
)

// dialect is what a scenario has to know of a vendor's way of limiting.
type dialect struct {
	name string
	is   mockupstream.Dialect
	// charge is how the vendor counts a request against tokens per minute, as far as
	// the client can foresee it.
	charge stack.Charge
	knows  []string // limits that a quota can have, by their keys
}

// dialects is every dialect by name. A test holds what each knows against the mock.
var dialects = []dialect{
	{"openai", mockupstream.DialectOpenAI, stack.ChargeMax, []string{"rpm", "tpm", "rpd", "tpd", "quantum", "spend", "slope"}},
	{"anthropic", mockupstream.DialectAnthropic, stack.ChargeUncached, []string{"rpm", "tpm", "otpm", "concurrency", "quantum", "spend", "slope"}},
	{"gemini", mockupstream.DialectGemini, stack.ChargeInput, []string{"rpm", "tpm", "rpd", "spend"}},
	{"deepseek", mockupstream.DialectDeepSeek, stack.ChargeInput, []string{"concurrency", "spend"}},
	{"azure", mockupstream.DialectAzure, stack.ChargeSum, []string{"rpm", "tpm", "quantum"}},
	{"openrouter", mockupstream.DialectOpenRouter, stack.ChargeMax, []string{"rpm", "rpd", "spend"}},
}

// dialectOf returns the dialect of a vendor, by default OpenAI's.
func dialectOf(up *Upstream) *dialect {
	for i := range dialects {
		if dialects[i].name == up.Dialect {
			return &dialects[i]
		}
	}
	return &dialects[0]
}

// speakers returns the dialects that have a limit.
func speakers(limit string) []string {
	var names []string
	for _, d := range dialects {
		if contains(d.knows, limit) {
			names = append(names, d.name)
		}
	}
	return names
}

var charges = map[string]stack.Charge{
	"max": stack.ChargeMax, "sum": stack.ChargeSum, "input": stack.ChargeInput, "uncached": stack.ChargeUncached,
}

// chargeOf returns how the client counts requests to a model.
func chargeOf(up *Upstream, m *Model) stack.Charge {
	if m.Charge != "" {
		return charges[m.Charge]
	}
	d := dialectOf(up)
	if d.charge == stack.ChargeUncached && up.CountCached {
		return stack.ChargeInput
	}
	return d.charge
}

// masked returns the limits of a tier that the dialect has.
func (d *dialect) masked(q mockupstream.Quota) mockupstream.Quota {
	for _, l := range []struct {
		name  string
		limit *int64
	}{
		{"rpm", &q.RPM}, {"tpm", &q.TPM}, {"otpm", &q.OTPM}, {"rpd", &q.RPD}, {"tpd", &q.TPD}, {"concurrency", &q.Concurrency},
	} {
		if !contains(d.knows, l.name) {
			*l.limit = 0
		}
	}
	return q
}

// onlyFor notes keys of a vendor that its dialect gives no meaning to.
func (c *compiler) onlyFor(up *Upstream, key, speaker string, given bool, at ...string) {
	d := dialectOf(up)
	if given && d.name != speaker {
		c.fail(problem{key + " has no meaning in the " + d.name + " dialect", c.found(at...), key + " with dialect: " + speaker, "leave it out"}, at...)
	}
}

// limitsFit checks the limits that are written in one place: that the dialect has such,
// and what they must be to each other.
func (c *compiler) limitsFit(d *dialect, limits *Map[Limit], at ...string) {
	for i, name := range limits.Names {
		l := limits.Values[i]
		place := func(key ...string) []string { return append(append(at[:len(at):len(at)], name), key...) }
		v := reflect.ValueOf(l).Elem()
		for f := range v.NumField() {
			key := v.Type().Field(f).Tag.Get("yaml")
			if v.Field(f).IsNil() || contains(d.knows, key) {
				continue
			}
			c.fail(problem{
				"the " + d.name + " dialect has no limit " + key, c.found(place(key)...), list(d.knows),
				"leave it out; dialects that have it: " + list(speakers(key)),
			}, place(key)...)
		}
		c.partsFit(l, place)
	}
}

// partsFit checks times that a minute is measured by.
func (c *compiler) partsFit(l *Limit, place func(key ...string) []string) {
	const minute, milli = Duration(60e9), Duration(1e6)
	if q := l.Quantum; q != nil && (*q%milli != 0 || minute%*q != 0) {
		c.fail(problem{
			"a minute is not a multiple of it", c.found(place("quantum")...), "whole milliseconds that a minute is a multiple of", "write for example 1s, 10s or 100ms",
		}, place("quantum")...)
	}
	if s := l.Slope; s != nil && s.Over != nil && *s.Over%minute != 0 {
		c.fail(problem{"not whole minutes", c.found(place("slope", "over")...), "1m, 2m, 3m, ... up to 24h", "write for example 15m"}, place("slope", "over")...)
	}
}

// DialectLimits returns the limits that keys of a dialect can have, by their keys in the file;
// nil for a dialect that there is not.
func DialectLimits(name string) []string {
	for i := range dialects {
		if dialects[i].name == name {
			return append([]string(nil), dialects[i].knows...)
		}
	}
	return nil
}
