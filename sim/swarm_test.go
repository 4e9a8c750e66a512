package sim

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"
	"time"

	"github.com/seed-4fd17b57/simload/sim/scenario"

	"github.com/seed-4fd17b57/simload/stack"
)

var (
	swarmSeeds = flag.Int("swarm.seeds", 200, "number of random scenarios; make swarm SEEDS=N")
	swarmSeed  = flag.Uint64("swarm.seed", 0, "run this one random scenario only")
)

// TestSwarm runs randomised scenarios (loads, limits, faults, cancellations,
// configurations) and checks every invariant that can be seen from outside.
func TestSwarm(t *testing.T) {
	n := *swarmSeeds
	if e := os.Getenv("SIMLOAD_SWARM_SEEDS"); e != "" {
		v, err := strconv.Atoi(e)
		if err != nil {
			t.Fatalf("SIMLOAD_SWARM_SEEDS: %v", err)
		}
		n = v
	}
	if testing.Short() {
		n = min(n, 40)
	}
	if *swarmSeed != 0 {
		swarm(t, *swarmSeed)
		return
	}
	failed := make([]string, n)
	inParallel(n, func(i int) {
		seed := uint64(i) + 1
		probe := &collector{}
		swarm(probe, seed)
		failed[i] = probe.text
	})
	for i, text := range failed {
		if text != "" {
			t.Errorf("seed %d (again with: go test ./sim -run Swarm -swarm.seed %d)\n%s", i+1, i+1, text)
		}
	}
}

// failer is the part of testing.T that checks need.
type failer interface {
	Helper()
	Errorf(format string, args ...any)
}

// collector keeps the first failures of one scenario.
type collector struct {
	text string
	n    int
}

func (c *collector) Helper() {}

func (c *collector) Errorf(format string, args ...any) {
	if c.n++; c.n <= 5 {
		c.text += "  " + fmt.Sprintf(format, args...) + "\n"
	}
}

// swarm runs the random scenario of a seed, twice for some seeds.
func swarm(t failer, seed uint64) {
	digest := swarmRun(t, seed)
	if seed%8 == 0 {
		if again := swarmRun(t, seed); again != digest {
			t.Errorf("INV-4: digest %x, then %x", digest, again)
		}
	}
}

func swarmRun(t failer, seed uint64) uint64 {
	set := randomSetup(seed)
	r, err := newRun(set)
	if err != nil {
		t.Errorf("the random setup does not build: %v", err)
		return 0
	}
	w := newWitness(t, r)
	if err := r.execute(); err != nil {
		t.Errorf("running: %v", err)
		return 0
	}
	v := r.rec.Finish(r.closing())
	w.atRest(&v)
	return r.digest
}

// dice draws the parameters of a random scenario.
type dice struct{ *rand.Rand }

func (d dice) between(lo, hi int) int  { return lo + d.IntN(hi-lo+1) }
func (d dice) chance(percent int) bool { return d.IntN(100) < percent }
func (d dice) span(lo, hi time.Duration) time.Duration {
	return lo + time.Duration(d.Int64N(int64(hi-lo)+1))
}

func pick[T any](d dice, of ...T) T { return of[d.IntN(len(of))] }

// randomSetup makes a scenario from a seed: small enough to run in some ten
// milliseconds, and odd in every way that the configuration allows.
func randomSetup(seed uint64) *scenario.Built {
	d := dice{rand.New(rand.NewPCG(seed, 0x5a4d))}
	s := &scenario.Built{Instances: pick(d, 1, 1, 1, 2, 5)}
	length := d.span(2*time.Minute, 8*time.Minute)
	s.Stack = stack.Default()
	randomWorkload(d, s, seed, length)
	randomUpstream(d, s, seed)
	randomStack(d, s)
	if d.chance(40) {
		randomSummaries(d, s)
	}
	s.Report.Name, s.Report.Seed = "swarm", seed
	s.Report.Duration, s.Report.Warmup = length, d.span(0, length/4)
	s.Report.CNYPerUSD = 7
	if s.Instances > 1 && d.chance(50) {
		s.Shared = &scenario.SharedBooks{Latency: d.span(0, 50*time.Millisecond)}
		s.Stack.Shared = true
	}
	return s
}

func randomStack(d dice, s *scenario.Built) {
	c := &s.Stack
	c.Seed = d.Uint64()
	for m := range c.Targets {
		route := stack.Route{Name: c.Targets[m].Name, Steps: []stack.RouteStep{{Target: m}}}
		for range d.IntN(min(4, len(c.Targets))) {
			route.Steps = append(route.Steps, stack.RouteStep{Target: d.IntN(len(c.Targets)), MaxOut: int64(pick(d, 0, 0, 64))})
		}
		c.Routes = append(c.Routes, route)
	}
	for p := range s.Profiles {
		s.Profiles[p].Route = d.IntN(len(c.Routes))
	}
	c.Queue = stack.QueueConfig{Bound: d.between(1, 300), Overflow: pick(d, stack.OverflowReject, stack.OverflowBlock), MaxWait: pick(d, 0, d.span(time.Second, 5*time.Minute))}
	c.Concurrency.Controller = pick(d, "static", "aimd", "aimd")
	c.Concurrency.Min, c.Concurrency.Max = d.between(1, 4), d.between(4, 200)
	c.Concurrency.Start = d.between(c.Concurrency.Min, c.Concurrency.Max)
	c.Concurrency.Signal = pick(d, stack.SignalFirstToken, stack.SignalPerToken, stack.SignalTotal)
	c.Concurrency.DecreaseOnRate, c.Concurrency.DecreaseOnOverload, c.Concurrency.DecreaseOnTimeout = d.chance(50), d.chance(50), d.chance(50)
	c.Rotation = stack.RotationConfig{Weights: pick(d, stack.WeightsFixed, stack.WeightsRemaining), Exclude: pick(d, 0, time.Minute, d.span(time.Second, 2*time.Minute))}
	c.Budget = stack.BudgetConfig{RPMHeadroom: d.between(50, 100), TPMHeadroom: d.between(50, 100), Burst: d.span(time.Second, 20*time.Second)}
	c.Reserve = stack.ReserveConfig{Slots: d.between(0, 50), Rate: d.between(0, 50), Queue: d.between(0, 50)}
	c.Retry = stack.RetryConfig{
		Attempts: d.between(1, 6), Base: d.span(10*time.Millisecond, 2*time.Second), Cap: d.span(2*time.Second, time.Minute),
		NoJitter: d.chance(20), BudgetPercent: d.between(0, 50), BudgetBurst: d.between(0, 50),
	}
	c.Breaker.Enabled, c.Breaker.MinSamples = d.chance(60), d.between(2, 30)
	c.Timeouts.FirstToken, c.Timeouts.Gap = d.span(time.Second, 10*time.Second), d.span(time.Second, 30*time.Second)
	for class := range c.Timeouts.Deadline {
		c.Timeouts.Deadline[class] = pick(d, 0, 0, d.span(5*time.Second, 3*time.Minute))
	}
	c.AgentCap = stack.AgentCapConfig{PerMinute: int64(pick(d, 0, d.between(2, 60))), Burst: int64(d.between(1, 10)), MaxWait: pick(d, 0, d.span(time.Second, time.Minute))}
	c.Fallback = stack.FallbackConfig{After: d.between(1, 3), MaxWait: d.span(0, 20*time.Second)}
	c.Idempotency = pick(d, stack.IdempotencyKeys, stack.IdempotencyNone)
}
