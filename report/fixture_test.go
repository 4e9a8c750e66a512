package report

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/seed-4fd17b57/simload/mockupstream"
	"github.com/seed-4fd17b57/simload/stack"
)

// testSetup is a run of ten minutes with three profiles, two models and three keys.
func testSetup() Setup {
	return Setup{
		Name: "base", Seed: 1,
		Profiles: []ProfileInfo{
			{Name: "hypothesis", Class: stack.P0, P99Alert: 5 * time.Second},
			{Name: "literature", Class: stack.P1},
			{Name: "notes", Class: stack.P1},
		},
		Models: []ModelInfo{
			{Name: "gpt-4.1", Vendor: "openai", Price: mockupstream.Price{
				Input: 2_000_000, Cached: 500_000, Output: 8_000_000, CacheWrite: 2_500_000,
				Long: mockupstream.Rates{Input: 4_000_000, Cached: 1_000_000, Output: 8_000_000, CacheWrite: 5_000_000},
			}},
			{Name: "gemini-2.5-flash", Vendor: "google", Price: mockupstream.Price{
				Input: 300_000, Cached: 75_000, Output: 2_500_000, CacheWrite: 375_000,
				Long: mockupstream.Rates{Input: 600_000, Cached: 150_000, Output: 2_500_000, CacheWrite: 750_000},
			}},
		},
		Keys:     []string{"k1", "k2", "k3"},
		Quotas:   []QuotaInfo{{Name: "org/gpt-4.1", RPM: 1000, TPM: 1_000_000}, {Name: "org/flash", TPM: 500_000}},
		KeyQuota: [][]int{{0, 1}, {0, 1}, {0, -1}},
		Duration: 10 * time.Minute, Warmup: time.Minute,
		CNYPerUSD: 7.2, MonthlyBudgetUSD: 1000, Ratio429Alert: 0.05, TPMAlert: 0.9,
	}
}

// life is one request of a made-up run, with what the recorder is to be told.
type life struct {
	job    Job
	res    stack.Result
	billed []Bill // by step
}

// lives draws n requests with up to four attempts each and every kind of ending.
func lives(rng *rand.Rand, n int) []life {
	ms := func(most int) time.Duration {
		return time.Duration(rng.IntN(most+1))*time.Millisecond + time.Duration(rng.IntN(1e6))
	}
	out := make([]life, n)
	for i := range out {
		l := &out[i]
		l.job = Job{
			Profile: rng.IntN(3), Agent: uint32(rng.IntN(50)), ID: rng.Uint64(), Intended: time.Duration(rng.Int64N(int64(11 * time.Minute))),
			In: int64(rng.IntN(9000)), Out: int64(rng.IntN(500)),
		}
		l.job.Issued = l.job.Intended + ms(500)*time.Duration(rng.IntN(2))
		r := &l.res
		r.Submitted, r.Capped = l.job.Issued, ms(300)*time.Duration(rng.IntN(2))
		r.Request.Write = rng.IntN(4) == 0
		now := r.Submitted + r.Capped
		steps := rng.IntN(5)
		r.Ending = []stack.Ending{stack.Succeeded, stack.Succeeded, stack.Failed, stack.DeadLettered, stack.Cancelled}[rng.IntN(5)]
		if steps == 0 && r.Ending != stack.Succeeded {
			r.Ending, r.Reason = stack.Rejected, stack.ReasonQueueFull
		}
		for s := range steps {
			st := stack.Step{Target: rng.IntN(2), Key: rng.IntN(3), Degrade: s, Queued: now}
			now += ms(2000)
			st.Sent = now
			r.Queued += st.Sent - st.Queued
			now += ms(3000)
			st.FirstToken = now
			now += ms(20000)
			st.Ended = now
			r.OnWire += st.Ended - st.Sent
			st.Outcome, l.billed = endStep(rng, s == steps-1 && r.Ending == stack.Succeeded, l)
			r.Steps = append(r.Steps, st)
			r.Degrade = st.Degrade
			if s < steps-1 {
				wait := ms(1000)
				r.Backoff += wait
				now += wait
			}
		}
		r.Ended = now
	}
	return out
}

// endStep draws an outcome and what was billed for it.
func endStep(rng *rand.Rand, success bool, l *life) (stack.Outcome, []Bill) {
	u := stack.Usage{In: l.job.In, Cached: l.job.In / 3, Out: l.job.Out}
	b := Bill{Usage: u, Long: rng.IntN(4) == 0}
	if rng.IntN(2) == 0 {
		b.CacheWrite = (u.In - u.Cached) / 2
	}
	if success {
		return stack.Outcome{Kind: stack.Success, Status: 200, Usage: u}, append(l.billed, b)
	}
	switch rng.IntN(3) {
	case 0:
		return stack.Outcome{Kind: stack.RateLimited, Status: 429}, append(l.billed, Bill{})
	case 1:
		return stack.Outcome{Kind: stack.GapTimeout, Status: 200}, append(l.billed, b)
	}
	return stack.Outcome{Kind: stack.ServerError, Status: 502}, append(l.billed, Bill{})
}

type testEvent struct {
	at time.Duration
	do func(now time.Duration)
}

// play tells the recorder the lives, and further events, in order of time, up to until, and returns the
// driver's side: the provider's books and the requests in flight.
func play(r *Recorder, all []life, until time.Duration, further ...testEvent) Run {
	events := slices.Clone(further)
	b := &mockupstream.Books{}
	pairs := make([]mockupstream.KeyBook, 6)
	inFlight := make([]int64, 3)
	for i := range all {
		l := &all[i]
		j, res := &l.job, &l.res
		events = append(events, testEvent{j.Issued, func(now time.Duration) {
			r.Offered(j)
			r.Submitted(now, j)
			inFlight[j.Profile]++
		}})
		for s := range res.Steps {
			st := &res.Steps[s]
			events = append(events, testEvent{st.Sent, func(now time.Duration) {
				r.Sent(now, j, st.Target, st.Key, s+1)
				b.Received++
				pairs[st.Key*2+st.Target].Received++
			}}, testEvent{st.Ended, func(now time.Duration) {
				r.Attempted(now, j, st, l.billed[s], st.Outcome.Kind.Unknown())
				b.Billed.In += l.billed[s].In
				b.Billed.Cached += l.billed[s].Cached
				b.Billed.Out += l.billed[s].Out
				bookTariff(&b.Tariff, &l.billed[s])
				bookTariff(&pairs[st.Key*2+st.Target].Tariff, &l.billed[s])
				switch st.Outcome.Status {
				case 429:
					b.Refused++
					pairs[st.Key*2+st.Target].Refused429++
				case 502:
					b.Faulted++
				default:
					b.Admitted++
				}
			}})
		}
		events = append(events, testEvent{res.Ended, func(now time.Duration) {
			r.Done(now, j, res)
			inFlight[j.Profile]--
			if res.Ending == stack.Succeeded && res.Request.Write && len(res.Steps) > 0 {
				b.CommittedWrites++
			}
		}})
	}
	slices.SortStableFunc(events, func(a, b testEvent) int { return cmp.Compare(a.at, b.at) })
	now := time.Duration(0)
	for _, e := range events {
		if e.at > until {
			break
		}
		now = e.at
		e.do(now)
	}
	for i, p := range pairs {
		p.Key, p.Model = i/2, i%2
		if p.Received > 0 {
			b.Keys = append(b.Keys, p)
		}
	}
	// Calls that were admitted and run still.
	b.Admitted = b.Received - b.Refused - b.Faulted
	return Run{Now: max(now, r.setup.Duration), Books: b, InFlight: inFlight, Digest: 0xfeed}
}

// bookTariff enters what the provider does of tokens that have a price of their own.
func bookTariff(t *mockupstream.Tariff, b *Bill) {
	t.CacheWrite += b.CacheWrite
	if b.Long {
		t.Long.In += b.In
		t.Long.Cached += b.Cached
		t.Long.Out += b.Out
		t.LongCacheWrite += b.CacheWrite
	}
}

const forever = 1000 * time.Hour

func newRand(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 2)) }
