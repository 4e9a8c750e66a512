package scenario

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/seed-4fd17b57/simload/mockupstream"
	"github.com/seed-4fd17b57/simload/report"
)

var faultKinds = map[string]mockupstream.FaultKind{
	"burst_429": mockupstream.FaultBurst429, "cut_limit": mockupstream.FaultCutLimit, "error": mockupstream.FaultError,
	"slowdown": mockupstream.FaultSlowdown, "blackhole": mockupstream.FaultBlackhole, "refuse_connection": mockupstream.FaultRefuseConnection,
	"lost_response": mockupstream.FaultLostResponse, "broken_stream": mockupstream.FaultBrokenStream, "stall": mockupstream.FaultStall,
	"stream_error": mockupstream.FaultStreamError, "no_credit": mockupstream.FaultNoCredit,
}

func (c *compiler) faults(v *vendor, name string, up *Upstream) {
	for i, id := range up.Faults.Names {
		f, at := up.Faults.Values[i], []string{"upstreams", name, "faults", id}
		out := mockupstream.Fault{
			Name: id, Kind: faultKinds[f.Kind], At: time.Duration(f.At), For: time.Duration(f.For), Share: 1,
			RetryAfter: time.Duration(f.RetryAfter.Wait), Mode: mockupstream.RetryAfterAbsent,
		}
		setDuration(&out.Every, f.Every)
		if f.Share != nil {
			out.Share = float64(*f.Share)
		}
		setNumber(&out.Factor, f.Factor)
		switch f.RetryAfter.Mode {
		case "fixed":
			out.Mode = mockupstream.RetryAfterFixed
		case "wrong":
			out.Mode = mockupstream.RetryAfterWrong
		}
		c.faultFields(f, &out, at)
		out.Models = c.faultModels(v, f, at)
		out.Keys = c.faultKeys(v, f, at)
		c.out.Upstream.Faults = append(c.out.Upstream.Faults, out)
		c.out.Report.Faults = append(c.out.Report.Faults, c.told(f, &out))
	}
}

// told is what the report says of a fault.
func (c *compiler) told(f *Fault, out *mockupstream.Fault) report.Fault {
	t := report.Fault{
		Name: out.Name, Kind: f.Kind, FromS: report.Num(out.At.Seconds()), ToS: report.Num((out.At + out.For).Seconds()),
		EveryS: report.Num(out.Every.Seconds()), Keys: slices.Clone(f.Keys),
	}
	for _, m := range out.Models {
		t.Models = append(t.Models, c.modelNames[m])
	}
	return t
}

// faultFields checks the fields that only some kinds have.
func (c *compiler) faultFields(f *Fault, out *mockupstream.Fault, at []string) {
	if f.Every != nil && *f.Every < f.For {
		c.fail(problem{"repeats before it is over", c.found(append(at, "every")...), "at least the length, " + c.found(append(at, "for")...), "lengthen every or shorten for"}, append(at, "every")...)
	}
	only := func(key string, given bool, kinds ...string) {
		if given && !contains(kinds, f.Kind) {
			c.fail(problem{key + " has no meaning for a " + f.Kind, c.found(append(at, key)...), key + " with " + list(kinds), "leave it out"}, append(at, key)...)
		}
	}
	only("status", f.Status != nil, "error", "stream_error")
	only("factor", f.Factor != nil, "cut_limit", "slowdown")
	only("retry_after", f.RetryAfter.Mode != "", "burst_429")
	switch f.Kind {
	case "error", "stream_error":
		out.Status = 500
		if f.Status != nil {
			out.Status = *f.Status
		}
		allowed := []string{"500", "502", "503", "504", "529"}
		if f.Kind == "stream_error" {
			allowed = append([]string{"429"}, allowed...)
		}
		if status := strconv.Itoa(out.Status); !contains(allowed, status) {
			c.fail(problem{"not a status of a provider's error", status, list(allowed), "pick one of them"}, append(at, "status")...)
		}
	case "cut_limit":
		if out.Factor <= 0 || out.Factor >= 1 {
			c.fail(problem{"not a cut", c.found(append(at, "factor")...), "a factor above 0 and below 1", "write factor: 0.5 to halve the limits"}, append(at, "factor")...)
		}
		if out.Share != 1 {
			c.fail(problem{"a cut of limits hits all calls", c.found(append(at, "share")...), "no share", "leave share out, or name keys"}, append(at, "share")...)
		}
	case "slowdown":
		if out.Factor <= 1 {
			c.fail(problem{"not a slow-down", c.found(append(at, "factor")...), "a factor above 1", "write factor: 3 for thrice the time"}, append(at, "factor")...)
		}
	}
}

func (c *compiler) faultModels(v *vendor, f *Fault, at []string) []int {
	if f.Models == nil && len(c.vendors) == 1 {
		return nil
	}
	var out []int
	if f.Models == nil {
		for m := v.models[0]; m < v.models[1]; m++ {
			out = append(out, m)
		}
		return out
	}
	for i, name := range f.Models {
		if m, ok := c.vendorModel(v, name); ok {
			out = append(out, m)
		} else {
			c.fail(unknownName("model", name, c.modelNames[v.models[0]:v.models[1]]), append(at, "models", strconv.Itoa(i))...)
		}
	}
	c.notEmpty(len(f.Models), append(at, "models"))
	return out
}

func (c *compiler) faultKeys(v *vendor, f *Fault, at []string) []int {
	if f.Keys == nil {
		return nil
	}
	var names []string
	for i, name := range f.Keys {
		if v.keysNamed(name) == nil {
			if names == nil {
				names = c.keyNames(v)
			}
			c.fail(unknownName("key", name, names), append(at, "keys", strconv.Itoa(i))...)
		}
	}
	c.notEmpty(len(f.Keys), append(at, "keys"))
	var out []int
	for _, name := range f.Keys {
		out = append(out, v.keysNamed(name)...)
	}
	return out
}

// keysNamed are the keys of a pool, or one of its keys by its number, with zeros in front or without: how many digits a
// name has depends on how many keys there are, and what a fault means by oa-03 does not. Nil: there are none.
func (v *vendor) keysNamed(name string) []int {
	if keys, ok := v.pools[name]; ok {
		return keys
	}
	if i := strings.LastIndexByte(name, '-'); i > 0 {
		return v.pools[name[:i+1]+strings.TrimLeft(name[i+1:], "0")]
	}
	return nil
}

func (c *compiler) notEmpty(n int, at []string) {
	if n == 0 {
		c.fail(problem{"an empty list", "[]", "at least one name", "leave it out for all"}, at...)
	}
}
