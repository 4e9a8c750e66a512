package report

import (
	"math"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/seed-4fd17b57/simload/stack"
)

// fairnessFixture is that of variantFixture's hour.
func fairnessFixture() Fairness {
	f := Fairness{
		Agents: 2000, RetryWaits: 1_120, EqualWaits: 0.0312, Amplification: 381_020.0 / 380_435, AmplificationWorst: 1.38,
		AmplificationWorstS: 872, BackoffS: 2_190, BackoffShare: 0.00204,
	}
	nan := Num(math.NaN())
	for _, g := range []struct {
		by                          By
		agents                      int64
		jain, least, even           Num
		wait, starved, starved99    Num
		waited, starvedAgent, waste int64
	}{
		{By{}, 2000, 0.99991, 0.842, nan, 299_100, 300_000, 118_000, 1904, 1904, 1_203_411},
		{By{Profile: "hypothesis", Class: "P0"}, 1850, 1, 1, 0.978, 98, 11_200, 4510, 17, 17, 400_100},
		{By{Profile: "literature", Class: "P1"}, 1850, 0.99997, 0.961, 0.981, 6210, nan, nan, 311, -1, 703_311},
		{By{Profile: "notes", Class: "P1"}, 1849, 1, 1, 0.744, 412, nan, nan, 12, -1, 0},
		{By{Profile: "log-clean", Class: "P2"}, 150, 0.9941, 0.842, 0.991, 299_100, 300_000, 290_000, 1904, 1904, 100_000},
		{By{Class: "P0"}, 1850, 1, 1, nan, 98, 11_200, 4510, 17, 17, 400_100},
		{By{Class: "P1"}, 1850, 0.99997, 0.961, nan, 6210, 41_900, 14_100, 311, 312, 703_311},
		{By{Class: "P2"}, 150, 0.9941, 0.842, nan, 299_100, 300_000, 290_000, 1904, 1904, 100_000},
	} {
		f.Groups = append(f.Groups, FairGroup{
			By: g.by, Agents: g.agents, Jain: g.jain, LeastShare: g.least, JainThroughput: g.even,
			LongestWaitMS: g.wait, LongestWaitAgent: g.waited, StarvationMS: g.starved, StarvationP99MS: g.starved99,
			StarvationAgent: g.starvedAgent, TokensWasted: g.waste,
		})
	}
	return f
}

// asked makes a request that waited in a queue, and then had attempts on the wire, in seconds from
// its intended instant: each attempt is {sent, ended}. The last one succeeds if ok.
func asked(profile int, agent uint32, intended, queued float64, ok bool, attempts ...[2]float64) life {
	s := func(x float64) time.Duration { return time.Duration(math.Round(x * 1e9)) }
	l := life{job: Job{Profile: profile, Agent: agent, Intended: s(intended), Issued: s(intended), In: 100, Out: 10}}
	l.res = stack.Result{Submitted: l.job.Issued, Queued: s(queued), Ending: stack.DeadLettered, Ended: s(intended + queued)}
	if ok {
		l.res.Ending = stack.Succeeded
	}
	for i, a := range attempts {
		st := stack.Step{Sent: s(intended + a[0]), Ended: s(intended + a[1]), Outcome: stack.Outcome{Kind: stack.ServerError, Status: 502}}
		if ok && i == len(attempts)-1 {
			st.Outcome = stack.Outcome{Kind: stack.Success, Status: 200}
		}
		if i > 0 {
			l.res.Backoff += st.Sent - l.res.Steps[i-1].Ended
		}
		l.res.Steps = append(l.res.Steps, st)
		l.res.Ended = st.Ended
		l.billed = append(l.billed, Bill{Usage: stack.Usage{In: 100, Out: 10}})
	}
	return l
}

// byHand is a run whose fairness is worked out below. Profiles: 0 hypothesis (P0), 1 literature
// and 2 notes (both P1). The first minute is warm-up.
func byHand() []life {
	all := []life{
		asked(0, 7, 10, 50, true, [2]float64{50, 55}), // in the warm-up: counts nowhere
		// Agent 7, P0: two of two. It wants the second at 65, is served at 70 and 74.
		asked(0, 7, 60, 0, true, [2]float64{0, 10}),
		asked(0, 7, 65, 5, true, [2]float64{5, 9}),
		// Agent 8, P0: one of two. It wants from 100 until it is served at 130, through a failure.
		asked(0, 8, 100, 0, false, [2]float64{0, 4}, [2]float64{6, 20}),
		asked(0, 8, 110, 10, true, [2]float64{10, 20}),
		// Agent 300, P1: one of one in literature, none of one in notes.
		asked(1, 300, 100, 1.5, true, [2]float64{1.5, 2.5}),
		asked(2, 300, 200, 0, false, [2]float64{0, 1}, [2]float64{3.0004, 4}),
	}
	// Agent 300 asks again and again in minute 5, without a success: 20 requests of 3 attempts.
	for i := range 20 {
		all = append(all, asked(2, 300, 300+float64(i), 0, false, [2]float64{0, 0.1}, [2]float64{0.3, 0.4}, [2]float64{0.7, 0.8}))
	}
	return all
}

func TestFairnessByHand(t *testing.T) {
	r := NewRecorder(testSetup())
	v := r.Finish(play(r, byHand(), forever))
	f := v.Fairness
	close := func(what string, got Num, want float64) {
		t.Helper()
		if math.Abs(float64(got)-want) > 1e-9*math.Max(1, want) && !(math.IsNaN(want) && math.IsNaN(float64(got))) {
			t.Errorf("%s is %v, want %v", what, got, want)
		}
	}
	nan := math.NaN()
	for i, c := range []struct {
		by                     By
		agents                 int64
		jain, least, even      float64
		wait                   float64 // s
		waited                 int64
		starved                float64 // s
		hungry, tokensOfFailed int64
	}{
		// Shares 1, 1/2 and 1/22: (17/11)^2 / (3 * (1 + 1/4 + 1/484)).
		{By{}, 3, 289.0 / 121 / (3 * (1 + 0.25 + 1.0/484)), 1.0 / 22, nan, 10, 8, 30, 8, 110 * (2 + 2 + 60)},
		// Shares 1 and 1/2: 2.25 / (2 * 1.25). Successes 2 and 1: 9 / (2 * 5).
		{By{"hypothesis", "P0", "", ""}, 2, 0.9, 0.5, 0.9, 10, 8, 30, 8, 110 * 2},
		{By{"literature", "P1", "", ""}, 1, 1, 1, 1, 1.5, 300, nan, -1, 0},
		{By{"notes", "P1", "", ""}, 1, nan, 0, nan, 0, -1, nan, -1, 110 * 62},
		{By{Class: "P0"}, 2, 0.9, 0.5, nan, 10, 8, 30, 8, 110 * 2},
		// It wanted something from 200 to 204 and got nothing; in minute 5 never longer than 0.8.
		{By{Class: "P1"}, 1, 1, 1.0 / 22, nan, 1.5, 300, 4, 300, 110 * 62},
	} {
		g := f.Groups[i]
		if g.By != c.by || g.Agents != c.agents || g.LongestWaitAgent != c.waited || g.StarvationAgent != c.hungry || g.TokensWasted != c.tokensOfFailed {
			t.Errorf("got %+v, want %+v", g, c)
		}
		name := jsonOf(t, c.by)
		if math.Abs(float64(g.Jain)-c.jain) > 1e-8 || math.Abs(float64(g.LeastShare)-c.least) > 1e-9 { // 30 bits
			t.Errorf("%s: Jain %v of least %v, want %v of %v", name, g.Jain, g.LeastShare, c.jain, c.least)
		}
		close(name+" throughput", g.JainThroughput, c.even)
		close(name+" wait", g.LongestWaitMS, 1000*c.wait)
		close(name+" starvation", g.StarvationMS, 1000*c.starved)
	}
	if f.Agents != 3 || len(f.Groups) != 6 {
		t.Errorf("%d agents in %d groups", f.Agents, len(f.Groups))
	}
	// Agent 8 waited 2 s and agent 300 2.0004 s at its first retry, in other tens of seconds. In minute 5
	// the waits of 200 and 300 ms come ten times each in both windows.
	close("retry waits", Num(f.RetryWaits), 42)
	close("equal waits", f.EqualWaits, 40.0/42)
	close("amplification", f.Amplification, (1+1+2+1+1+2+60)/26.0)
	close("worst minute", f.AmplificationWorst, 3)
	close("its beginning", f.AmplificationWorstS, 300)
	close("backoff", f.BackoffS, 2+2.0004+20*0.5)
	close("its share", f.BackoffShare, 14.0004/(10+9+20+20+2.5+4+20*0.8))
}

func TestJainByHand(t *testing.T) {
	for _, c := range []struct {
		xs   []uint64
		want float64
	}{
		{nil, math.NaN()},
		{[]uint64{0, 0}, math.NaN()},
		{[]uint64{5}, 1},
		{[]uint64{3, 3, 3}, 1},
		{[]uint64{9, 0, 0}, 1.0 / 3},
		{[]uint64{4, 4, 0, 0}, 0.5},
		{[]uint64{1, 2, 3}, 36.0 / 42},
		{[]uint64{shareUnit, shareUnit / 2}, 0.9},
		{[]uint64{1 << 62, 1 << 62, 1 << 62}, 1},
	} {
		var j jain
		for _, x := range c.xs {
			j.add(x)
		}
		if got := float64(j.index()); got != c.want && !(math.IsNaN(got) && math.IsNaN(c.want)) {
			t.Errorf("Jain's index of %v is %v, want %v", c.xs, got, c.want)
		}
	}
}

// TestJainIsAnIndex: INV-24's index lies in [1/n, 1], is 1 for equal values alone, and does not
// depend on their unit or order.
func TestJainIsAnIndex(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		xs := rapid.SliceOfN(rapid.Uint64Range(0, 1<<31), 1, 50).Draw(t, "xs")
		var j, scaled, back jain
		for i, x := range xs {
			j.add(x)
			scaled.add(7 * x)
			back.add(xs[len(xs)-1-i])
		}
		got := float64(j.index())
		if slices.Max(xs) == 0 {
			if !math.IsNaN(got) {
				t.Fatalf("index %v of nothing", got)
			}
			return
		}
		even := slices.Min(xs) == slices.Max(xs)
		if got > 1 || got < 1/float64(len(xs))-1e-15 || even && got != 1 || !even && len(xs) < 20 && slices.Max(xs) < 1e6 && got == 1 {
			t.Fatalf("index %v", got)
		}
		if scaled.index() != j.index() || back.index() != j.index() {
			t.Fatalf("index %v, in another unit %v, in another order %v", got, scaled.index(), back.index())
		}
		asked := rapid.Uint64Range(1, 1<<20).Draw(t, "asked")
		if x, y := shareOf(asked/2, asked), shareOf(asked/2*3, asked*3); x != y {
			t.Fatalf("equal shares are %d and %d", x, y)
		}
	})
}
