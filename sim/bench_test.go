package sim

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"runtime"
	"testing"
	"time"

	"github.com/failsafe-go/failsafe-go"
	"github.com/failsafe-go/failsafe-go/adaptivelimiter"
	"github.com/failsafe-go/failsafe-go/bulkhead"
	"github.com/failsafe-go/failsafe-go/ratelimiter"
	"github.com/failsafe-go/failsafe-go/retrypolicy"
	"golang.org/x/time/rate"

	"github.com/seed-4fd17b57/simload/stack"
)

var benchTable = flag.Bool("bench.table", false, "run the benchmarks of make bench and print them as one table")

// BenchmarkEventQueue is the bare reference: 2000 processes that draw an exponential gap
// from a generator of their own and sleep, and nothing else.
func BenchmarkEventQueue(b *testing.B) {
	const processes = 2000
	gens := make([]rand.PCG, processes)
	var q queue
	for i := range gens {
		gens[i].Seed(1, uint64(i))
		q.push(time.Duration(gens[i].Uint64()%1e9), evArrive, uint32(i), 0)
	}
	for b.Loop() {
		e := q.pop()
		gap := rand.New(&gens[e.ref]).ExpFloat64() * 1e9
		q.push(e.at+time.Duration(gap), evArrive, e.ref, 0)
	}
}

// gateCore is a core with one target and unlimited demand for its keys.
func gateCore(tb testing.TB, keys int) *stack.Core {
	cfg := fleet(1, keys, 1<<39, time.Hour).Stack
	for i := range cfg.Quotas {
		cfg.Quotas[i].RPM = 1 << 39
	}
	cfg.AgentCap.PerMinute = 0
	c, err := stack.New(cfg)
	if err != nil {
		tb.Fatal(err)
	}
	return c
}

// benchmarkGate admits a request, sees its first token, and settles it.
func benchmarkGate(b *testing.B, keys int) {
	c := gateCore(b, keys)
	now := time.Duration(0)
	id := uint64(0)
	b.ReportAllocs()
	for b.Loop() {
		now += time.Millisecond
		id++
		c.Submit(now, stack.Request{ID: stack.RequestID(id), EstIn: 1000, MaxOut: 100})
		e := &c.Effects()[0]
		if e.Kind != stack.EffectSend {
			b.Fatalf("effect %v", e.Kind)
		}
		c.Finish(now, e.Attempt.ID, stack.Outcome{Kind: stack.Success, Usage: stack.Usage{In: 990, Out: 50}})
		if c.Effects()[0].Kind != stack.EffectDone {
			b.Fatal("not done")
		}
	}
}

func BenchmarkGate1Key(b *testing.B)   { benchmarkGate(b, 1) }
func BenchmarkGate20Keys(b *testing.B) { benchmarkGate(b, 20) }

// BenchmarkTimeRate is golang.org/x/time/rate alone: one bucket, no queue, no settling.
func BenchmarkTimeRate(b *testing.B) {
	l := rate.NewLimiter(1e9, 1e9)
	now := time.Unix(0, 0)
	b.ReportAllocs()
	for b.Loop() {
		now = now.Add(time.Millisecond)
		if !l.AllowN(now, 1000) {
			b.Fatal("refused")
		}
	}
}

// BenchmarkFailsafe is an executor of three policies: retry, rate limit and adaptive
// concurrency limit.
func BenchmarkFailsafe(b *testing.B) {
	ex := failsafe.With[any](
		retrypolicy.NewWithDefaults[any](),
		ratelimiter.NewSmoothBuilder[any](1_000_000_000, time.Second).WithMaxWaitTime(time.Second).Build(),
		adaptivelimiter.NewBuilder[any]().WithLimits(1, 1000, 200).Build(),
	)
	b.ReportAllocs()
	for b.Loop() {
		if err := ex.Run(func() error { return nil }); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkFailsafeBulkhead is the same with a bulkhead in place of the rate limit, which
// spares it the limiter's timer.
func BenchmarkFailsafeBulkhead(b *testing.B) {
	ex := failsafe.With[any](
		retrypolicy.NewWithDefaults[any](),
		bulkhead.New[any](64),
		adaptivelimiter.NewBuilder[any]().WithLimits(1, 1000, 200).Build(),
	)
	b.ReportAllocs()
	for b.Loop() {
		if err := ex.Run(func() error { return nil }); err != nil {
			b.Fatal(err)
		}
	}
}

// measureFleet runs a fleet of the given size for as long as makes about 360 000
// requests, and returns the time per request and the memory per agent.
func measureFleet(tb testing.TB, agents int) (perRequest time.Duration, bytes uint64) {
	scale := agents / 2000
	d := time.Hour / time.Duration(scale)
	set := fleet(agents, 20, 4_000_000*int64(scale), d)
	set.Stack.Concurrency.Start, set.Stack.Concurrency.Max = 600*scale, 1000*scale
	set.Upstream.Models[0].Capacity[0].Slots = 2000 * int64(scale)
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	start := time.Now()
	r, err := newRun(set)
	if err == nil {
		err = r.execute()
	}
	if err != nil {
		tb.Fatal(err)
	}
	el := time.Since(start)
	runtime.GC()
	runtime.ReadMemStats(&after)
	if r.pending != 0 || r.requests < 300_000 {
		tb.Fatalf("%d requests, %d pending", r.requests, r.pending)
	}
	bytes = (after.HeapAlloc + after.StackInuse - before.HeapAlloc - before.StackInuse)
	runtime.KeepAlive(r)
	return el / time.Duration(r.requests), bytes
}

// TestBenchTable prints the benchmarks and their ratios from one run; see make bench.
func TestBenchTable(t *testing.T) {
	if !*benchTable {
		t.Skip("only with -bench.table (make bench)")
	}
	w := os.Stdout
	per := func(f func(*testing.B)) (float64, int64) {
		r := testing.Benchmark(f)
		return float64(r.T.Nanoseconds()) / float64(r.N), r.AllocsPerOp()
	}
	bare, _ := per(BenchmarkEventQueue)
	fmt.Fprintf(w, "bare event queue (2000 processes)          %8.0f ns/event\n", bare)
	request := scenarioCost(t)
	fmt.Fprintf(w, "2000-agents, every layer on                %8.0f ns/request   %5.1f bare events (goal: at most 12)   an hour in %.2f s (goal: about 1)\n",
		float64(request.per), float64(request.per)/bare, request.total.Seconds())
	one, a1 := per(BenchmarkGate1Key)
	many, a20 := per(BenchmarkGate20Keys)
	xrate, _ := per(BenchmarkTimeRate)
	exec, ae := per(BenchmarkFailsafe)
	plain, ap := per(BenchmarkFailsafeBulkhead)
	fmt.Fprintf(w, "gate, admit + settle, 1 key                %8.0f ns %3d allocs   (goal: under 200 ns, 0 allocs)\n", one, a1)
	fmt.Fprintf(w, "gate, admit + settle, 20 keys              %8.0f ns %3d allocs\n", many, a20)
	fmt.Fprintf(w, "golang.org/x/time/rate AllowN alone        %8.0f ns              the gate is %.1f times it\n", xrate, one/xrate)
	fmt.Fprintf(w, "failsafe-go executor of three policies     %8.0f ns %3d allocs   %.1f times the gate (goal: at least 10)\n", exec, ae, exec/one)
	fmt.Fprintf(w, "the same, a bulkhead for the rate limiter   %8.0f ns %3d allocs   %.1f times the gate\n", plain, ap, plain/one)
	small, smallBytes := measureFleet(t, 2000)
	for _, n := range []int{2000, 20_000, 200_000} {
		cost, bytes := measureFleet(t, n)
		fmt.Fprintf(w, "%7d agents   %6d ns/request   %4.2f times 2000 (goal: at most 3)   %6d bytes/agent",
			n, cost.Nanoseconds(), float64(cost)/float64(small), bytes/uint64(n))
		if n > 2000 {
			fmt.Fprintf(w, "   %5d for each agent beyond 2000 (goal: under 2048)", (bytes-smallBytes)/uint64(n-2000))
		}
		fmt.Fprintln(w)
	}
}
