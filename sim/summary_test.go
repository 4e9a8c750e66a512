package sim

import (
	"bytes"
	"testing"
	"time"

	"github.com/seed-4fd17b57/simload/mockupstream"
	"github.com/seed-4fd17b57/simload/report"
	"github.com/seed-4fd17b57/simload/sim/scenario"
	"github.com/seed-4fd17b57/simload/stack"
	"github.com/seed-4fd17b57/simload/stack/compaction"
	"github.com/seed-4fd17b57/simload/workload"
)

// talkers are agents whose conversations grow by 500 tokens a round from 1000 on, held to 4000; a second model writes
// the summaries.
func talkers(summaries bool) *scenario.Built {
	set := fleet(10, 2, 0, 20*time.Minute)
	must := workload.Must
	p := &set.Workload.Profiles[0]
	p.Context, p.Growth, p.EstimateSigma = must(workload.Constant(1000)), must(workload.Constant(500)), 0
	set.Workload.Agents[0].Phases[0].Rounds = must(workload.Constant(30))
	set.Stack.Kinds[0].Context = 4000
	set.Upstream.Models = append(set.Upstream.Models, set.Upstream.Models[0])
	set.Upstream.Models[1].Name = "s"
	set.Stack.Targets = append(set.Stack.Targets, set.Stack.Targets[0])
	set.Stack.Targets[1].Name = "s"
	set.Stack.Routes = append(set.Stack.Routes, stack.Route{Name: "s", Steps: []stack.RouteStep{{Target: 1}}})
	set.Report.Models = append(set.Report.Models, set.Report.Models[0])
	set.Report.Models[1].Name = "s"
	for k := range set.Upstream.Keys {
		set.Upstream.Keys[k].Quotas = []int{k, k}
		set.Report.KeyQuota[k] = []int{k, k}
	}
	if summaries {
		set.Stack.Kinds = append(set.Stack.Kinds, stack.Kind{Name: "summary"})
		set.Summaries = []scenario.Summary{{Policy: compaction.Policy{Cap: 4000, Keep: 2000, Output: 200}, Profile: 1, MaxWait: 30 * time.Second}}
		set.Profiles = append(set.Profiles, scenario.Entry{Class: stack.P0, Route: 1, Kind: 1})
		set.Report.Profiles = append(set.Report.Profiles, report.ProfileInfo{Name: "p/summary", Class: stack.P0})
	}
	return set
}

// talk runs a setup to its end, and checks the laws.
func talk(t *testing.T, set *scenario.Built, look func(r *run)) report.Variant {
	t.Helper()
	r, err := newRun(set)
	if err != nil {
		t.Fatal(err)
	}
	if look != nil {
		look(r)
	}
	if err := r.execute(); err != nil {
		t.Fatal(err)
	}
	v := r.rec.Finish(r.closing())
	if !v.Laws.ConservationOK || !v.Laws.BooksAgree || r.pending != 0 {
		t.Errorf("laws %+v, %d pending", v.Laws, r.pending)
	}
	return v
}

func profileOf(t *testing.T, v *report.Variant, name string) report.Group {
	t.Helper()
	for _, g := range v.Groups {
		if g.By.Profile == name {
			return g
		}
	}
	t.Fatalf("no group of %s", name)
	return report.Group{}
}

// Ensure a summary is a request like any other: one for every four rounds (2000 tokens of room, 500 a round), billed
// with what it reads and writes, and waited for by the request whose conversation it is of; prompts stay below the cap.
func TestSummariesAreRequests(t *testing.T) {
	set := talkers(true)
	set.Report.Warmup = 0
	longest, waited := int64(0), 0
	v := talk(t, set, func(r *run) {
		r.probe.done = func(j *job, res *stack.Result) {
			if j.demand.Profile == 1 {
				if j.demand.In < 2000 || j.demand.Out != 200 || res.Usage.In != j.demand.In || res.Usage.Out != 200 {
					t.Errorf("a summary of %+v used %+v", j.demand, res.Usage)
				}
				return
			}
			longest = max(longest, res.Usage.In)
			if j.report.Held > 0 {
				waited++
				if least := time.Duration(200) * 10 * time.Millisecond; j.report.Held < least {
					t.Errorf("waited %v for 200 tokens of 12 ms", j.report.Held)
				}
				if j.report.Issued+j.report.Held != res.Submitted {
					t.Errorf("issued %v, held %v, submitted %v", j.report.Issued, j.report.Held, res.Submitted)
				}
			}
		}
	})
	ask, sum := profileOf(t, &v, "p"), profileOf(t, &v, "p/summary")
	if longest > 4000 || longest < 3000 {
		t.Errorf("the longest prompt had %d tokens", longest)
	}
	if share := float64(sum.Requests) / float64(ask.Requests); share < 0.15 || share > 0.25 {
		t.Errorf("%d summaries for %d requests", sum.Requests, ask.Requests)
	}
	if int64(waited) != sum.Succeeded || sum.Succeeded != sum.Requests || sum.TokensOut != 200*sum.Succeeded || ask.Succeeded != ask.Requests {
		t.Errorf("%d waited; %+v, %+v", waited, ask, sum)
	}
	waits := false
	for _, s := range v.Slowest {
		total, sum := 0.0, 0.0
		for _, p := range s.Parts {
			waits = waits || p.Name == "summary"
			sum += float64(p.MS)
		}
		if total = float64(s.TotalMS); sum < total-0.01 || sum > total+0.01 {
			t.Errorf("parts of %+v are %v", s, sum)
		}
	}
	if !waits {
		t.Error("no slow request tells that it waited for a summary")
	}
}

// Ensure that a summary that cannot be had keeps nobody: the request goes out with what is left.
func TestSummariesThatFail(t *testing.T) {
	set := talkers(true)
	set.Upstream.Faults = []mockupstream.Fault{{Name: "f", Kind: mockupstream.FaultError, Status: 500, For: 24 * time.Hour, Share: 1, Models: []int{1}}}
	v := talk(t, set, func(r *run) {
		r.probe.done = func(j *job, _ *stack.Result) {
			if j.demand.Profile == 0 && j.report.Held > 30*time.Second {
				t.Errorf("%v was waited for a summary", j.report.Held)
			}
		}
	})
	ask, sum := profileOf(t, &v, "p"), profileOf(t, &v, "p/summary")
	if sum.Succeeded != 0 || sum.Requests == 0 || ask.Requests == 0 || ask.Succeeded != ask.Requests {
		t.Errorf("%+v, %+v", ask, sum)
	}
}

// Ensure that callers who give up while their conversation is summarised end as cancelled, once, and so do the summaries.
func TestSummariesThatNobodyWaitsFor(t *testing.T) {
	set := talkers(true)
	set.Workload.Profiles[0].Patience = workload.Must(workload.Constant(2)) // a summary takes about 3 s
	cancelled := [2]int{}
	v := talk(t, set, func(r *run) {
		r.probe.done = func(j *job, res *stack.Result) {
			if res.Ending == stack.Cancelled {
				cancelled[j.demand.Profile]++
				if j.demand.Profile == 0 && (res.Ended-j.report.Issued != 2*time.Second || res.Submitted > res.Ended) {
					t.Errorf("issued %v, submitted %v, given up %v", j.report.Issued, res.Submitted, res.Ended)
				}
			}
		}
	})
	if sum := profileOf(t, &v, "p/summary"); cancelled[1] == 0 || cancelled[0] < cancelled[1] || sum.Succeeded != 0 {
		t.Errorf("cancelled %v, %+v", cancelled, sum)
	}
}

// Ensure that without a cap nothing is summarised, and nothing else is different.
func TestSummariesNeedACap(t *testing.T) {
	plain, idle := talkers(false), talkers(true)
	idle.Summaries[0] = scenario.Summary{}
	a, b := talk(t, plain, nil), talk(t, idle, nil)
	if a.Digest != b.Digest || a.Totals != b.Totals {
		t.Errorf("%+v and %+v", a.Totals, b.Totals)
	}
}

// Ensure that summaries go over the wire as they go straight (INV-4).
func TestSummariesOverTheWire(t *testing.T) {
	straight := talk(t, talkers(true), nil)
	wired := talk(t, talkers(true), func(r *run) { r.wire = newWireLink(r.set, r.prov) })
	a, b := asJSON(t, &report.Report{Schema: report.Schema, Variants: []report.Variant{straight}}), asJSON(t, &report.Report{Schema: report.Schema, Variants: []report.Variant{wired}})
	if !bytes.Equal(a, b) {
		t.Errorf("the reports differ at byte %d", firstDifference(a, b))
	}
}

// Ensure that wrong estimates, and a bound of the conversation as a whole, make no more and no fewer summaries: they come by
// what is added, one for every 2000 tokens.
func TestSummariesComeByGrowth(t *testing.T) {
	count := func(change func(p *workload.Profile)) int64 {
		set := talkers(true)
		change(&set.Workload.Profiles[0])
		v := talk(t, set, nil)
		return profileOf(t, &v, "p/summary").Requests
	}
	plain := count(func(*workload.Profile) {})
	for name, change := range map[string]func(p *workload.Profile){
		"estimates wrong by 10 %": func(p *workload.Profile) { p.EstimateSigma = 0.1 },
		"at most 6000 tokens":     func(p *workload.Profile) { p.MaxContext = 6000 },
	} {
		if got := count(change); plain == 0 || got < plain*85/100 || got > plain*115/100 {
			t.Errorf("%s: %d summaries, else %d", name, got, plain)
		}
	}
}

// Ensure that a phase that begins its context anew knows nothing of the summaries of the one before.
func TestSummariesEndWithTheirContext(t *testing.T) {
	set := talkers(true)
	must := workload.Must
	long, short := set.Workload.Profiles[0], set.Workload.Profiles[0]
	long.Context, long.Growth = must(workload.Constant(9000)), must(workload.Constant(0))
	short.Name, short.Context = "q", must(workload.Constant(3000))
	set.Workload.Profiles = []workload.Profile{long, short}
	set.Workload.Agents[0].Phases = []workload.Phase{{Profile: 0, Rounds: must(workload.Constant(1))}, {Profile: 1, Rounds: must(workload.Constant(2))}}
	set.Profiles = []scenario.Entry{set.Profiles[0], set.Profiles[0], set.Profiles[1]}
	set.Report.Profiles = []report.ProfileInfo{set.Report.Profiles[0], {Name: "q", Class: stack.P0}, set.Report.Profiles[1]}
	s := set.Summaries[0]
	s.Profile = 2
	set.Summaries = []scenario.Summary{s, s}
	v := talk(t, set, func(r *run) {
		r.probe.done = func(j *job, res *stack.Result) {
			if in := res.Usage.In; j.demand.Profile == 1 && in != 3000 && in != 3500 {
				t.Errorf("a prompt of %d tokens went out, want all 3000 or 3500", in)
			}
		}
	})
	if first, sum := profileOf(t, &v, "p"), profileOf(t, &v, "p/summary"); first.Requests == 0 || sum.Requests < first.Requests*9/10 || sum.Requests > first.Requests {
		t.Errorf("%d summaries for %d long contexts", sum.Requests, first.Requests)
	}
}

// Ensure that sessions of a stream are conversations that are summarised, as often as those of agents that
// grow alike, and that they are the same over the wire.
func TestSummariesOfStreams(t *testing.T) {
	share := func(v report.Variant) float64 {
		return float64(profileOf(t, &v, "p/summary").Requests) / float64(profileOf(t, &v, "p").Requests)
	}
	streaming := func() *scenario.Built {
		set := talkers(true)
		set.Workload.Streams = []workload.Stream{{
			Name: "s", Rate: 2, Arrivals: workload.ArrivalsPoisson, Clients: 5,
			Sessions: []workload.Session{{Rounds: set.Workload.Agents[0].Phases[0].Rounds}},
		}}
		set.Workload.Agents = nil
		return set
	}
	agents, straight := share(talk(t, talkers(true), nil)), talk(t, streaming(), nil)
	if got := share(straight); agents == 0 || got < agents*0.85 || got > agents*1.15 {
		t.Errorf("%v summaries a request, of agents %v", got, agents)
	}
	wired := talk(t, streaming(), func(r *run) { r.wire = newWireLink(r.set, r.prov) })
	a, b := asJSON(t, &report.Report{Schema: report.Schema, Variants: []report.Variant{straight}}), asJSON(t, &report.Report{Schema: report.Schema, Variants: []report.Variant{wired}})
	if !bytes.Equal(a, b) {
		t.Errorf("the reports differ at byte %d", firstDifference(a, b))
	}
}
