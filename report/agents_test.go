package report

import (
	"math"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/seed-4fd17b57/simload/stack"
)

// crowd is the naive account of a run: everything by agent, in maps.
type crowd struct {
	asked, served map[string]map[uint32]float64 // by group, then agent
	wait          map[string]time.Duration
	waits         map[[2]int64]int          // by window and ms
	requests      map[time.Duration]float64 // by minute
	attempts      map[time.Duration]float64
	backoff, stay time.Duration
}

// recount makes the naive account of the measured requests.
func recount(s *Setup, all []life) *crowd {
	c := &crowd{
		asked: map[string]map[uint32]float64{}, served: map[string]map[uint32]float64{}, wait: map[string]time.Duration{},
		waits: map[[2]int64]int{}, requests: map[time.Duration]float64{}, attempts: map[time.Duration]float64{},
	}
	for i := range all {
		l := &all[i]
		j, res := &l.job, &l.res
		if j.Intended < s.Warmup || j.Intended >= s.Duration {
			continue
		}
		info := s.Profiles[j.Profile]
		for _, group := range []string{"", info.Name, info.Class.String()} {
			if c.asked[group] == nil {
				c.asked[group], c.served[group] = map[uint32]float64{}, map[uint32]float64{}
			}
			c.asked[group][j.Agent]++
			if res.Ending == stack.Succeeded {
				c.served[group][j.Agent]++
			}
			c.wait[group] = max(c.wait[group], res.Queued+res.Capped)
		}
		minute := j.Intended.Truncate(time.Minute)
		c.requests[minute]++
		c.attempts[minute] += float64(len(res.Steps))
		c.backoff += res.Backoff
		c.stay += res.Ended - j.Intended
		for k := 1; k < len(res.Steps); k++ {
			sent := res.Steps[k].Sent
			c.waits[[2]int64{int64(sent / (10 * time.Second)), (sent - res.Steps[k-1].Ended).Milliseconds()}]++
		}
	}
	return c
}

func (c *crowd) jain(group string, throughput bool) (index, least float64) {
	var sum, squares float64
	least = math.Inf(1)
	for agent, asked := range c.asked[group] {
		x := c.served[group][agent]
		if !throughput {
			x /= asked
		}
		sum, squares, least = sum+x, squares+x*x, min(least, x)
	}
	return sum * sum / squares / float64(len(c.asked[group])), least
}

// TestFairnessAgreesWithNaiveCount recounts a run from its list of requests.
func TestFairnessAgreesWithNaiveCount(t *testing.T) {
	near := func(t *rapid.T, what string, got Num, want float64) {
		if math.IsNaN(float64(got)) != math.IsNaN(want) || math.Abs(float64(got)-want) > 1e-7*math.Max(1, want) { // 30 bits a share
			t.Fatalf("%s is %v, want %v", what, got, want)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		all := lives(newRand(rapid.Uint64().Draw(t, "seed")), rapid.IntRange(1, 200).Draw(t, "n"))
		for i := range all { // several pages, with gaps
			all[i].job.Agent *= rapid.SampledFrom([]uint32{1, 1, 97}).Draw(t, "spread")
		}
		s := testSetup()
		r := NewRecorder(s)
		r.Close(play(r, all, forever))
		totals := r.totals()
		f := r.fairness(&totals)
		c := recount(&s, all)
		for _, g := range f.Groups {
			group := g.By.Profile
			if group == "" {
				group = g.By.Class
			}
			if int(g.Agents) != len(c.asked[group]) {
				t.Fatalf("%q has %d agents, want %d", group, g.Agents, len(c.asked[group]))
			}
			if g.Agents == 0 {
				continue
			}
			index, least := c.jain(group, false)
			near(t, group+" Jain", g.Jain, index)
			near(t, group+" least", g.LeastShare, least)
			if g.By.Profile != "" {
				index, _ = c.jain(group, true)
				near(t, group+" throughput", g.JainThroughput, index)
			}
			near(t, group+" wait", g.LongestWaitMS, float64(inMS(c.wait[group])))
		}
		var waits, equal, worst float64
		for _, n := range c.waits {
			waits += float64(n)
			if n > 1 {
				equal += float64(n)
			}
		}
		for minute, n := range c.requests {
			if n >= 20 {
				worst = max(worst, c.attempts[minute]/n)
			}
		}
		near(t, "waits", Num(f.RetryWaits), waits)
		if waits > 0 {
			near(t, "equal waits", f.EqualWaits, equal/waits)
		}
		if worst > 0 {
			near(t, "worst minute", f.AmplificationWorst, worst)
		}
		near(t, "backoff", f.BackoffS, c.backoff.Seconds())
		if c.stay > 0 {
			near(t, "share of backoff", f.BackoffShare, float64(c.backoff)/float64(c.stay))
		}
	})
}

// wish is one request of an agent, in ms.
type wish struct {
	from, to uint32
	ok       bool
}

// starvation is the definition: the longest time in which something was wanted throughout and
// nothing was served.
func starvation(all []wish) int64 {
	slices.SortStableFunc(all, func(a, b wish) int { return int(a.from) - int(b.from) })
	longest := int64(0)
	for i := 0; i < len(all); {
		from, to := all[i].from, all[i].to
		cuts := []uint32{}
		for ; i < len(all) && all[i].from <= to; i++ {
			to = max(to, all[i].to)
			if all[i].ok {
				cuts = append(cuts, all[i].to)
			}
		}
		slices.Sort(cuts)
		for _, c := range append(cuts, to) {
			longest = max(longest, int64(c)-int64(from))
			from = c
		}
	}
	return longest
}

// longestSpell is the recorder's answer.
func longestSpell(all []wish) (lasted, coded int64) {
	slices.SortStableFunc(all, func(a, b wish) int { return int(a.to) - int(b.to) })
	var s spell
	for _, w := range all {
		lasted = max(lasted, int64(s.ends(w.from, w.to, w.ok)))
		s = s.entry().spell()
	}
	return lasted, spellLength(s.worst)
}

// TestSpellsOfAgentsWithOneRequestAreExact: agents that ask for one thing at a time, with
// a schedule that does not wait for them.
func TestSpellsOfAgentsWithOneRequestAreExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var all []wish
		intended, free := uint32(rapid.IntRange(0, 100_000).Draw(t, "start")), uint32(0)
		for range rapid.IntRange(1, 60).Draw(t, "n") {
			issued := max(intended, free)
			free = issued + uint32(rapid.IntRange(0, 30_000).Draw(t, "takes"))
			all = append(all, wish{intended, free, rapid.IntRange(0, 3).Draw(t, "ok") == 0})
			// Two seconds are more than 0.05 % of what sixty requests can last.
			intended = max(intended, rapid.SampledFrom([]uint32{intended + 9000, free + 2000}).Draw(t, "next"))
		}
		want := starvation(slices.Clone(all))
		got, coded := longestSpell(all)
		if got != want || coded < want || float64(coded) > float64(want)*1.0005 {
			t.Fatalf("spell %d ms, kept as %d, want %d: %v", got, coded, want, all)
		}
	})
}

// TestSpellsAreNeverTooLong: with several requests at once the answer is a lower bound.
func TestSpellsAreNeverTooLong(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		all := make([]wish, rapid.IntRange(1, 12).Draw(t, "n"))
		for i := range all { // below 4096 ms lengths are exact
			from := uint32(rapid.IntRange(0, 3000).Draw(t, "from"))
			all[i] = wish{from, from + uint32(rapid.IntRange(0, 800).Draw(t, "takes")), rapid.Bool().Draw(t, "ok")}
		}
		want := starvation(slices.Clone(all))
		if got, _ := longestSpell(all); got > want {
			t.Fatalf("spell %d ms, want at most %d: %v", got, want, all)
		}
	})
}

func TestSpellStepTable(t *testing.T) {
	var s spell
	for i, step := range []struct {
		from, to uint32
		ok       bool
		lasted   uint32
	}{
		{0, 5, true, 5},
		{3, 9, true, 4},     // wanted since 3, but served at 5
		{20, 26, false, 6},  // nothing was wanted from 9 to 20
		{26, 30, false, 10}, // wanted at the instant of the failure: the spell goes on
		{27, 40, true, 20},  // and ends
		{41, 41, false, 0},  // refused at once
		{45, 1_000_045, false, 1_000_000},
		{1_000_040, 1_000_100, true, 1_000_055},
		{math.MaxUint32, math.MaxUint32, true, 0},
	} {
		if got := s.ends(step.from, step.to, step.ok); got != step.lasted {
			t.Errorf("step %d: the spell lasted %d, want %d", i, got, step.lasted)
		}
	}
	for _, ms := range []uint32{0, 1, 4095, 4096, 60_000, math.MaxUint32} {
		if got := spellLength(spellCode(ms)); got < int64(ms) || float64(got) > float64(ms)*1.0005 {
			t.Errorf("%d ms are kept as %d", ms, got)
		}
	}
}

// TestEqualWaitsByChance: with jitter the share is what chance gives, inside its 99.9 % interval.
func TestEqualWaitsByChance(t *testing.T) {
	const windows, n, width = 400, 40, 1000
	var e echoes
	rng := newRand(9)
	var sum, squares float64
	for w := range windows {
		before := e.equal
		for i := range n {
			now := time.Duration(w)*echoWindow + time.Duration(i)*time.Millisecond
			e.retry(now, time.Duration(rng.IntN(width*1e6)))
		}
		x := float64(e.equal-before) / n
		sum, squares = sum+x, squares+x*x
	}
	mean := sum / windows
	half := 3.29 * math.Sqrt((squares/windows-mean*mean)/windows)
	if want := 1 - math.Pow(1-1.0/width, n-1); math.Abs(mean-want) > half || half > want/5 {
		t.Errorf("share %v +- %v, by chance %v", mean, half, want)
	}
	if e.waits != windows*n {
		t.Errorf("%d waits", e.waits)
	}
}

func TestEqualWaitsWithoutJitter(t *testing.T) {
	var e echoes
	for i := range 10 {
		e.retry(time.Duration(i)*time.Second, 500*time.Millisecond)
	}
	e.retry(10*time.Second, 500*time.Millisecond) // alone in its ten seconds
	if e.waits != 11 || e.equal != 10 {
		t.Errorf("%d of %d waits are equal", e.equal, e.waits)
	}
}

// TestMemoryPerAgent: 200 000 agents that ask in three profiles of three classes take 48 bytes each.
func TestMemoryPerAgent(t *testing.T) {
	s := testSetup()
	for p := range s.Profiles {
		s.Profiles[p].Class = stack.Class(p)
	}
	r := NewRecorder(s)
	const n = 200_000
	for i := range n {
		for p := range s.Profiles {
			j := Job{Profile: p, Agent: uint32(i), Intended: 2 * time.Minute}
			r.Offered(&j)
			r.agents.done(&j, &stack.Result{Ending: stack.Succeeded, Ended: j.Intended + time.Second}, time.Second)
		}
	}
	bytes := 0
	for c := range r.agents.classes {
		for _, page := range r.agents.classes[c].pages {
			bytes += 8 * cap(page)
		}
	}
	if per := float64(bytes) / n; per > 48.1 { // the last page is not full
		t.Errorf("%.1f bytes per agent", per)
	}
	if r.Close(Run{}); r.fair.agents != n || r.fair.all.shares.index() != 1 || r.agents.classes != nil {
		t.Errorf("%d agents with index %v", r.fair.agents, r.fair.all.shares.index())
	}
}
