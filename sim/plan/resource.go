package plan

import (
	"cmp"
	"slices"
	"strings"

	"github.com/seed-4fd17b57/simload/report"
	"github.com/seed-4fd17b57/simload/sim/scenario"
)

// windowShare is the part of a budget that a client sustains: its windows are 62 s wide, to be safe at both ends.
const windowShare = 60.0 / 62

// resources lists how far each resource of a point is from binding, the nearest first. Limits bind at the headroom
// (times 60/62: see the README on how to read the numbers), slots when all are taken.
func resources(p *Point, head headroom) []Resource {
	var list []Resource
	n := report.Num(len(p.samples))
	add := func(name string, share, limit report.Num, note string) {
		i := slices.IndexFunc(list, func(r Resource) bool { return r.Name == name })
		if i < 0 {
			i = len(list)
			list = append(list, Resource{Name: name, Free: limit, Note: note})
		}
		list[i].Use += share / n
	}
	for k := range p.samples {
		s := &p.samples[k]
		for _, r := range s.Resources {
			add(r.Name, r.Share, head.of(r.Name), "")
		}
		for _, r := range s.Waits {
			if model, ok := strings.CutPrefix(r.Name, "reserve at "); ok {
				add("P0's reserve at "+model, r.Share, 1, "time in which lower classes waited for it")
			}
		}
		add("upstream latency", s.WireShare, 1, "part of the requests' time; what remains is waiting in the client")
	}
	for i := range list {
		list[i].Free -= list[i].Use
	}
	slices.SortStableFunc(list, func(a, b Resource) int {
		return cmp.Or(cmp.Compare(min(len(a.Note), 1), min(len(b.Note), 1)), cmp.Compare(a.Free, b.Free)) // shares of time last: they are of another kind
	})
	return list
}

// headroom is how much of the limits the client uses.
type headroom struct{ rpm, tpm float64 }

func headroomOf(b *scenario.Built) headroom {
	c := &b.Stack.Budget
	return headroom{float64(c.RPMHeadroom) / 100, float64(c.TPMHeadroom) / 100}
}

// of is the use at which a resource of report.Bound binds.
func (h headroom) of(name string) report.Num {
	switch {
	case strings.HasPrefix(name, "RPM "):
		return report.Num(h.rpm * windowShare)
	case strings.HasPrefix(name, "TPM "):
		return report.Num(h.tpm * windowShare)
	}
	return 1
}
