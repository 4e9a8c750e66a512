package scenario

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"time"

	"github.com/seed-4fd17b57/simload/mockupstream"
	"github.com/seed-4fd17b57/simload/mockupstream/catalog"
	"github.com/seed-4fd17b57/simload/report"
	"github.com/seed-4fd17b57/simload/stack"
	"github.com/seed-4fd17b57/simload/workload"
)

// Built is a variant as the rooms want it. Stack and upstream share one numbering:
// target i is model i, key i is key i, quota i is quota i. Numbers follow the order
// of appearance in the file.
type Built struct {
	Name     string // of the variant
	Workload workload.Config
	Stack    stack.Config
	Upstream mockupstream.Config
	Report   report.Setup
	// Instances is the number of independent stacks. They share Stack, but each
	// should get a seed of its own.
	Instances int
	// Shared is where the books are that they share; nil: each has its own. In virtual time they are in memory.
	Shared *SharedBooks
	// Hard is the share of a route's requests that its routing takes for hard, by route; only of
	// those that have a routing.
	Hard map[int]float64
	// Profiles says for each profile of Workload, and then of Summaries, how its requests enter the stack.
	Profiles []Entry
	// Summaries says for each profile of Workload how its conversations are held to their cap; nil: none is by summaries.
	Summaries []Summary
	Expect    []report.Expect
}

// Entry is how a profile's requests enter the stack.
type Entry struct {
	Class stack.Class
	Route int // index into Stack.Routes
	Kind  int // index into Stack.Kinds
}

// Build returns the configuration of all rooms for a run with the seed. It may be
// called concurrently, and nothing of one result is shared with another. It looks at the
// traces; the error, of type [Errors], tells one that cannot be read.
func (v *Variant) Build(seed uint64) (*Built, error) {
	p := &problems{file: v.scenario.File}
	if v.scenario.Spec.Variants.Len() > 0 {
		p.variant = v.Name
	}
	b := v.compile(p, seed, true)
	if err := p.err(); err != nil {
		return nil, err
	}
	return b, nil
}

// compiler turns a decoded variant into configurations, and notes what does not fit
// together, with the places of the tree.
type compiler struct {
	*problems
	tree      *node
	spec      *Spec
	catalog   *catalog.Catalog
	priced    []bool // by model: the catalogue knows its price
	out       *Built
	tracePath func(*node, string) string
	open      Opener // of traces; nil: the file system

	models, keys, routes, kinds, profiles map[string]int
	modelNames, routeNames, profileNames  []string
	vendors                               []vendor // in the order of the file
	quotas                                map[quotaID]quotaAt
	asked                                 map[int]bool              // profiles that something asks with
	books                                 []book                    // by quota
	projectOf                             map[[2]string]([2]string) // vendor and project: group, and a pool that says so
	longAt                                map[int]string            // model: a pool that says which prompts are long
}

// vendor is the range of a vendor's models and keys in the common numbering.
type vendor struct {
	models, keys [2]int // from, up to but not including
	pools        map[string][]int
	broken       bool // an error in its keys was told
}

// compile checks everything that needs more than one value to judge, and returns the
// result. It is called by loading, with any seed, and by building.
func (v *Variant) compile(p *problems, seed uint64, traces bool) *Built {
	c := &compiler{
		problems: p, tree: v.tree, spec: v.Spec, out: &Built{Name: v.Name, Instances: 1, Hard: make(map[int]float64)},
		models: make(map[string]int), keys: make(map[string]int), routes: make(map[string]int),
		kinds: make(map[string]int), profiles: make(map[string]int), quotas: make(map[quotaID]quotaAt), tracePath: v.tracePath, open: v.scenario.open,
		asked: make(map[int]bool), projectOf: make(map[[2]string][2]string), longAt: make(map[int]string),
	}
	var err error
	if c.catalog, err = builtin(); err != nil {
		c.add(c.tree, problem{what: "the built-in catalogue is damaged: " + err.Error()})
		return nil
	}
	before := len(c.list) + c.more
	c.run()
	c.upstreams()
	c.stackConfig()
	c.workloadConfig()
	c.summaries()
	c.shared()
	c.prices()
	c.alerts()
	c.expect(v)
	if traces {
		c.traceFiles(v)
	}
	c.out.Workload.Seed = seed
	c.out.Upstream.Seed = derive(seed, "upstream")
	c.out.Stack.Seed = derive(seed, "stack")
	c.out.Report.Seed = seed
	if before == len(c.list)+c.more {
		c.rooms()
	}
	return c.out
}

// fail notes a problem with the value at the path.
func (c *compiler) fail(pr problem, path ...string) {
	n, rest := c.tree.at(path...)
	c.add(n, pr, rest...)
}

// found describes the value at the path.
func (c *compiler) found(path ...string) string {
	n, rest := c.tree.at(path...)
	if len(rest) > 0 {
		return "nothing"
	}
	return n.found()
}

// derive returns a seed of its own for a room.
func derive(seed uint64, room string) uint64 {
	sum := sha256.Sum256(fmt.Appendf(nil, "simload %s %d", room, seed))
	return binary.LittleEndian.Uint64(sum[:8])
}

// run sets what concerns the run as a whole.
func (c *compiler) run() {
	s := c.spec
	if s.Warmup >= s.Duration {
		c.fail(problem{
			"the warm-up leaves nothing to measure", c.found("warmup"), "less than the duration, " + c.found("duration"), "shorten warmup or lengthen duration",
		}, "warmup")
	}
	c.out.Workload.Duration, c.out.Upstream.Epoch = time.Duration(s.Duration), s.Epoch.time()
	r := &c.out.Report
	r.Name, r.Duration, r.Warmup = c.out.Name, time.Duration(s.Duration), time.Duration(s.Warmup)
	if s.Stack.Instances != nil {
		c.out.Instances = *s.Stack.Instances
	}
}

// rooms lets each room judge its part. What it finds has no place of its own: the
// checks here are meant to find everything first.
func (c *compiler) rooms() {
	for _, room := range []struct {
		section string
		err     error
	}{
		{"workload", c.out.Workload.Validate()},
		{"upstreams", c.out.Upstream.Validate()},
		{"stack", c.out.Stack.Validate()},
	} {
		if room.err != nil {
			c.fail(problem{what: room.err.Error(), hint: "`simload schema` describes every key"}, room.section)
		}
	}
}

// unknownName is the problem of a name that refers to nothing.
func unknownName(kind, name string, names []string) problem {
	return problem{"unknown " + kind, quote(name), list(names), didYouMean(name, names, "define it, or name one of these")}
}

// traceFiles checks that the traces can be opened.
func (c *compiler) traceFiles(v *Variant) {
	for i, name := range c.spec.Workload.Traces.Names {
		at, _ := c.tree.at("workload", "traces", name, "path")
		path := v.tracePath(at, c.spec.Workload.Traces.Values[i].Path)
		if err := v.scenario.readable(path); err != nil {
			c.note(v.unreadable(at, err))
		}
	}
}

// unreadable is the error of a trace whose path stands at the node.
func (v *Variant) unreadable(at *node, err error) Error {
	p := problems{file: v.scenario.File}
	p.add(at, problem{
		"cannot read the trace: " + err.Error(), at.found(), "a readable file, relative to the scenario file",
		"check the path, or give one with --set " + at.path() + "=FILE",
	})
	return p.list[0]
}

// alerts fills in the rules of observability.
func (c *compiler) alerts() {
	a := &c.spec.Alerts
	for i, name := range a.P99.Names {
		if p, ok := c.profiles[name]; ok {
			c.out.Report.Profiles[p].P99Alert = time.Duration(*a.P99.Values[i])
		} else {
			c.fail(unknownName("profile", name, c.profileNames), "alerts", "p99", name)
		}
	}
	if a.Ratio429 != nil {
		c.out.Report.Ratio429Alert = float64(*a.Ratio429)
	}
	if a.TPMUtilisation != nil {
		c.out.Report.TPMAlert = float64(*a.TPMUtilisation)
	}
}
