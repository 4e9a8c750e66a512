package plan

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/seed-4fd17b57/simload/report"
	"github.com/seed-4fd17b57/simload/sim/scenario"
)

// Kinds of resources, in the order of the reader's question: what binds first?
const (
	KindRPM         = "RPM"
	KindTPM         = "TPM"
	KindConcurrency = "concurrency"
	KindReserve     = "P0 reserve"
	KindUpstream    = "upstream latency"
	KindOther       = "other" // output tokens, requests of a day, open calls of keys: known by the waiting for them alone
)

// Kinds lists those that every answer has, each with one resource at least, be it to say that there is no limit.
func Kinds() []string { return []string{KindRPM, KindTPM, KindConcurrency, KindReserve, KindUpstream} }

// windowShare is the part of a budget that a client sustains: its windows are 62 s wide, to be safe at both ends.
const windowShare = 60.0 / 62

// waited are the resources that a gate is waited at for and that have no use of their own, by the report's name.
var waited = map[string]struct{ kind, name, note string }{ // asked, never walked
	"reserve": {KindReserve, "P0's reserve at ", "time in which lower classes waited for it"},
	"otpm":    {KindOther, "output TPM of keys at ", waitedFor},
	"rpd":     {KindOther, "requests per day of keys at ", waitedFor},
	"places":  {KindOther, "open calls of keys at ", waitedFor},
}

const waitedFor = "time in which requests waited for it"

// resources lists how far each resource of a point is from binding, the nearest first. Limits bind at the headroom
// (times 60/62: see the README on how to read the numbers), slots when all are taken. Of each of [Kinds] there is one at least.
func resources(p *Point, b *scenario.Built) []Resource {
	var list []Resource
	n := report.Num(len(p.samples))
	add := func(kind, name string, share, limit report.Num, note string) {
		i := slices.IndexFunc(list, func(r Resource) bool { return r.Name == name })
		if i < 0 {
			i = len(list)
			list = append(list, Resource{Kind: kind, Name: name, Free: limit, Note: note})
		}
		list[i].Use += share / n
	}
	head := headroomOf(b)
	for k := range p.samples {
		s := &p.samples[k]
		for _, r := range s.Resources {
			kind, limit := head.of(r.Name)
			add(kind, r.Name, r.Share, limit, "")
		}
		for _, r := range s.Waits {
			what, model, _ := strings.Cut(r.Name, " at ")
			if w, ok := waited[what]; ok {
				add(w.kind, w.name+model, r.Share, 1, w.note)
			}
		}
		add(KindUpstream, "upstream latency", s.WireShare, 1, "part of the requests' time")
	}
	for i := range list {
		list[i].Free -= list[i].Use
	}
	list = append(list, unlimited(list, b)...)
	slices.SortStableFunc(list, func(a, b Resource) int {
		return cmp.Or(cmp.Compare(a.last(), b.last()), cmp.Compare(a.Free, b.Free))
	})
	return list
}

// last orders limits before shares of time, which are of another kind, and what is not limited last.
func (r *Resource) last() int {
	switch {
	case math.IsNaN(float64(r.Use)):
		return 2
	case r.Note != "":
		return 1
	}
	return 0
}

// unlimited says of every kind that has no resource that there is none, or that it was not touched.
func unlimited(list []Resource, b *scenario.Built) []Resource {
	none := report.Num(math.NaN())
	var out []Resource
	for _, kind := range Kinds() {
		if slices.ContainsFunc(list, func(r Resource) bool { return r.Kind == kind }) {
			continue
		}
		r := Resource{Kind: kind, Name: kind, Use: none, Free: none, Note: "no key has such a limit"}
		switch c := &b.Stack.Reserve; {
		case kind == KindConcurrency:
			r.Note = "the stack has no such limit"
		case kind == KindReserve && c.Slots == 0 && c.Rate == 0 && c.Queue == 0:
			r.Name, r.Note = "P0's reserve", "nothing is reserved"
		case kind == KindReserve:
			r.Name, r.Use, r.Free, r.Note = "P0's reserve", 0, 1, "nobody waited for it"
		case kind == KindUpstream:
			r.Note = "not measured"
		}
		out = append(out, r)
	}
	return out
}

// headroom is how much of the limits the client uses.
type headroom struct{ rpm, tpm float64 }

func headroomOf(b *scenario.Built) headroom {
	c := &b.Stack.Budget
	return headroom{float64(c.RPMHeadroom) / 100, float64(c.TPMHeadroom) / 100}
}

// of is the kind of a resource of report.Bound, and the use at which it binds.
func (h headroom) of(name string) (kind string, limit report.Num) {
	switch {
	case strings.HasPrefix(name, "RPM "):
		return KindRPM, report.Num(h.rpm * windowShare)
	case strings.HasPrefix(name, "TPM "):
		return KindTPM, report.Num(h.tpm * windowShare)
	}
	return KindConcurrency, 1
}
