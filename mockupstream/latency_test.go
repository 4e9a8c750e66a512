package mockupstream

import (
	"math"
	"testing"
	"time"
)

func TestLatencyFormula(t *testing.T) {
	const ms = time.Millisecond
	cfg := single(0, 0)
	cfg.Models[0].Latency = Latency{Base: 200 * ms, PerPromptToken: time.Millisecond, PerCachedToken: 100 * time.Microsecond, PerOutputToken: 20 * ms, Load: .5}
	cfg.Models[0].Capacity = []CapacityStep{{0, 4}}
	cfg.Models[0].Cache = PromptCache{Block: 100, MinTokens: 200, TTL: time.Minute}
	cfg.Models[0].MaxOutput = 50
	p := mustNew(t, cfg)
	for i, s := range []struct {
		call       Call
		first, end time.Duration
	}{
		{Call{In: 1000, Out: 11, MaxOut: 100, Conversation: 9}, 1200 * ms, 1400 * ms},
		// 750 repeated tokens are 7 blocks; a second call on 4 slots is 1 + .5/4 as slow.
		{Call{In: 1000, Out: 11, MaxOut: 100, Conversation: 9, Prefix: 750}, 641250 * time.Microsecond, 866250 * time.Microsecond},
		// max_tokens bounds the answer, two of four slots run.
		{Call{In: 0, Out: 11, MaxOut: 1}, 250 * ms, 250 * ms},
		// So does the model where the call says nothing.
		{Call{In: 0, Out: 1000}, 275 * ms, 275*ms + 49*27500*time.Microsecond},
	} {
		s.call.MaxOut = min(s.call.MaxOut, 50)
		plan := p.Admit(0, s.call)
		if plan.FirstToken != s.first || plan.End != s.end {
			t.Errorf("call %d: first token %v, end %v; want %v, %v", i, plan.FirstToken, plan.End, s.first, s.end)
		}
	}
}

// TestNoise: the logarithm of the noise has mean 0 and the configured standard deviation,
// in both parts, and the parts are not correlated. All are inside their 99.9 % confidence
// intervals at 40 000 draws.
func TestNoise(t *testing.T) {
	const n, z, sigmaFirst, sigmaOut = 40_000, 3.29, .25, .1
	cfg := single(0, 0)
	cfg.Models[0].Latency = Latency{Base: time.Second, PerOutputToken: time.Second, FirstTokenSigma: sigmaFirst, OutputSigma: sigmaOut}
	p := mustNew(t, cfg)
	var sum, squares [2]float64
	product := 0.
	for i := range n {
		// Identities that differ in few bits are the hard case.
		plan := p.Admit(0, Call{ID: uint64(i / 2), Attempt: 1 + i%2, Out: 2})
		x := [2]float64{math.Log(plan.FirstToken.Seconds()), math.Log((plan.End - plan.FirstToken).Seconds())}
		for k := range x {
			sum[k] += x[k]
			squares[k] += x[k] * x[k]
		}
		product += x[0] * x[1]
		p.Complete(0, plan.ID)
	}
	for k, sigma := range []float64{sigmaFirst, sigmaOut} {
		mean := sum[k] / n
		if bound := z * sigma / math.Sqrt(n); math.Abs(mean) > bound {
			t.Errorf("part %d: log-mean %g, want 0 within %g", k, mean, bound)
		}
		sd := math.Sqrt(squares[k]/n - mean*mean)
		if bound := z * sigma / math.Sqrt(2*n); math.Abs(sd-sigma) > bound {
			t.Errorf("part %d: log-sd %g, want %g within %g", k, sd, sigma, bound)
		}
	}
	if r := product / n / (sigmaFirst * sigmaOut); math.Abs(r) > z/math.Sqrt(n) {
		t.Errorf("correlation of the parts %g, want 0 within %g", r, z/math.Sqrt(n))
	}
}

// TestNoiseIsAFunctionOfTheCall: neither order nor other calls nor the other part's sigma matter,
// another attempt or seed draws anew.
func TestNoiseIsAFunctionOfTheCall(t *testing.T) {
	cfg := single(0, 0)
	cfg.Models[0].Latency.FirstTokenSigma = .3
	draw := func(cfg Config, calls ...Call) (last time.Duration) {
		p := mustNew(t, cfg)
		for _, c := range calls {
			last = p.Admit(0, c).FirstToken
		}
		return last
	}
	a, b, again := Call{ID: 1, Attempt: 1}, Call{ID: 2, Attempt: 1}, Call{ID: 1, Attempt: 2}
	alone := draw(cfg, a)
	if got := draw(cfg, b, b, again, a); got != alone {
		t.Errorf("after other calls %v, alone %v", got, alone)
	}
	if draw(cfg, again) == alone || draw(cfg, b) == alone {
		t.Error("another attempt or call draws the same noise")
	}
	seeded := cfg
	seeded.Seed++
	if draw(seeded, a) == alone {
		t.Error("another seed draws the same noise")
	}
	cfg.Models[0].Latency.OutputSigma = .5
	if got := draw(cfg, a); got != alone {
		t.Errorf("with noise on the output %v, without %v", got, alone)
	}
}

func TestCapacityMoves(t *testing.T) {
	const s = time.Second
	cfg := single(1000, 0)
	cfg.Models[0].Capacity = []CapacityStep{{0, 2}, {10 * s, 1}, {20 * s, 0}, {30 * s, 3}}
	p := mustNew(t, cfg)
	var ids []CallID
	at := func(now time.Duration, want int) {
		t.Helper()
		plan := p.Admit(now, Call{ID: uint64(now)})
		if plan.Status != want || (want == 503) != (plan.Code == CodeOverloaded) {
			t.Errorf("at %v: status %d, code %d; want %d", now, plan.Status, plan.Code, want)
		}
		if plan.ID != 0 {
			ids = append(ids, plan.ID)
		}
	}
	at(0, 200)
	at(0, 200)
	at(0, 503)
	p.Complete(s, ids[0])
	at(2*s, 200)
	p.Disconnect(3*s, ids[1])
	at(10*s, 503) // one runs, and one is all there may be
	p.Complete(11*s, ids[2])
	at(11*s, 200)
	p.Complete(12*s, ids[3])
	at(20*s, 503)
	for range 3 {
		at(30*s, 200)
	}
	at(30*s, 503)
	b := p.Books()
	if b.Faulted != 4 || b.Admitted != 7 || b.Running != 3 {
		t.Errorf("books %+v", b)
	}
	if charged := b.Quotas[0].Minutes[0].Requests; charged != 7 {
		t.Errorf("%d requests charged: a 503 is not", charged)
	}
}

func TestNoCapacityBeforeTheFirstStep(t *testing.T) {
	cfg := single(0, 0)
	cfg.Models[0].Capacity = []CapacityStep{{time.Minute, 0}}
	p := mustNew(t, cfg)
	if a, b := p.Admit(0, Call{}), p.Admit(time.Minute, Call{}); a.Status != 200 || b.Status != 503 {
		t.Errorf("before the first step %d, from it on %d", a.Status, b.Status)
	}
}
