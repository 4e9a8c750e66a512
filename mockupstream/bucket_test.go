package mockupstream

import (
	"fmt"
	"math"
	"math/big"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// filled returns a bucket with used tokens in it at instant 0.
func filled(limit, used int64) bucket {
	b := perMinute(limit)
	b.charge(used)
	return b
}

// TestObservedMessages replays refusals as OpenAI worded them in public reports. Its
// wait is the formula's, cut to whole milliseconds; ours is rounded up, so that it
// can be followed.
func TestObservedMessages(t *testing.T) {
	for _, o := range []struct {
		limit, used, requested int64
		said                   time.Duration
		source                 string
	}{
		{10000, 8554, 3082, 9816 * time.Millisecond, "FoundationAgents/MetaGPT#523"},
		{30000, 29937, 385, 644 * time.Millisecond, "BuilderIO/micro-agent#86"},
		{30000, 14567, 24754, 18642 * time.Millisecond, "semanser/codel#72"},
		{30000, 18928, 11159, 174 * time.Millisecond, "continuedev/continue#11472"},
		{30000, 28039, 3906, 3890 * time.Millisecond, "continuedev/continue#10502"},
		{200000, 162960, 42288, 1574 * time.Millisecond, "openai/codex#88"},
		{30000, 20122, 18269, 16782 * time.Millisecond, "Doctor-One/doctor-dok#105"},
		{200000, 199821, 2295, 634 * time.Millisecond, "vercel/ai#2637"},
		{500, 500, 1, 120 * time.Millisecond, "RPM 500"},
		{15, 15, 1, 4 * time.Second, "RPM 15"},
		{3, 3, 1, 20 * time.Second, "RPM 3"},
	} {
		t.Run(o.source, func(t *testing.T) {
			exact := new(big.Rat).SetFrac64((o.used+o.requested-o.limit)*60_000, o.limit) // ms
			floor := new(big.Int).Quo(exact.Num(), exact.Denom()).Int64()
			want := floor
			if !exact.IsInt() {
				want++
			}
			b := filled(o.limit, o.used)
			if got := b.wait(o.requested); got.Milliseconds() != want {
				t.Errorf("wait = %v, want %d ms", got, want)
			}
			if floor != o.said.Milliseconds() {
				t.Errorf("formula gives %d ms, OpenAI said %v", floor, o.said)
			}
		})
	}
}

// TestObservedHeaders replays rate-limit headers of public reports.
func TestObservedHeaders(t *testing.T) {
	for _, o := range []struct {
		limit, used, remaining int64
		reset                  time.Duration
	}{
		{500, 1, 499, 120 * time.Millisecond},
		{30000, 4, 29996, 8 * time.Millisecond},
		{30000, 0, 30000, 0},
		{30000, 30000, 0, time.Minute},
	} {
		b := filled(o.limit, o.used)
		if remaining, reset := b.state(); remaining != o.remaining || reset != o.reset {
			t.Errorf("%d of %d used: %d remain, reset in %v; want %d, %v", o.used, o.limit, remaining, reset, o.remaining, o.reset)
		}
	}
}

func TestBucketSteps(t *testing.T) {
	const s, ms = time.Second, time.Millisecond
	type step struct {
		at   time.Duration
		n    int64
		wait time.Duration // 0: admitted
	}
	for name, c := range map[string]struct {
		limit int64
		steps []step
	}{
		"a full burst, then one slot at a time": {3, []step{{0, 1, 0}, {0, 1, 0}, {0, 1, 0}, {0, 1, 20 * s}, {20*s - 1, 1, ms}, {20 * s, 1, 0}, {20 * s, 1, 20 * s}}},
		"fractions of a token are kept":         {7, []step{{0, 7, 0}, {s, 1, 7572 * ms}, {8572 * ms, 1, 0}, {8572 * ms, 1, 8571 * ms}}},
		"use does not fall below nothing":       {60, []step{{0, 30, 0}, {time.Hour, 60, 0}, {time.Hour, 1, s}}},
		"the whole limit at once":               {30000, []step{{0, 30000, 0}, {30 * s, 15001, 2 * ms}, {30 * s, 15000, 0}}},
		"nothing is always admitted":            {1, []step{{0, 1, 0}, {0, 0, 0}}},
		"no limit":                              {0, []step{{0, 1 << 40, 0}, {0, 1 << 40, 0}}},
	} {
		t.Run(name, func(t *testing.T) {
			b := perMinute(c.limit)
			for i, s := range c.steps {
				b.drain(s.at)
				got := b.wait(s.n)
				if got == 0 {
					b.charge(s.n)
				}
				if got != s.wait {
					t.Errorf("step %d (%d at %v): wait %v, want %v", i, s.n, s.at, got, s.wait)
				}
			}
		})
	}
}

func TestBucketExtremes(t *testing.T) {
	b := filled(maxLimit, maxLimit)
	if got := b.wait(maxLimit); got != time.Minute {
		t.Errorf("full bucket of %d: wait %v, want 1m0s", int64(maxLimit), got)
	}
	b.resize(1)
	if got := b.wait(1); got <= 100*365*24*time.Hour || got%time.Millisecond != 0 {
		t.Errorf("10^12 used of a limit of 1: wait %v, want the most there is", got)
	}
	if remaining, reset := b.state(); remaining != 0 || reset != math.MaxInt64 {
		t.Errorf("10^12 used of a limit of 1: state %d, %v", remaining, reset)
	}
	b.drain(never / 2)
	if b.lo|b.hi == 0 {
		t.Error("a bucket of 10^12 tokens that drains one a minute is empty after 146 years")
	}
}

// model of a bucket in rational numbers.
type rational struct {
	limit int64
	used  *big.Rat
	last  time.Duration
}

func (r *rational) drain(now time.Duration) {
	out := new(big.Rat).SetFrac(new(big.Int).Mul(big.NewInt(r.limit), big.NewInt(int64(now-r.last))), big.NewInt(int64(time.Minute)))
	r.used.Sub(r.used, out)
	if r.used.Sign() < 0 {
		r.used.SetInt64(0)
	}
	r.last = now
}

// TestBucketIsExact compares every answer with rational arithmetic, under changing limits.
func TestBucketIsExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		limits := rapid.OneOf(rapid.Int64Range(1, 20), rapid.Int64Range(1, 30_000), rapid.Int64Range(1, maxLimit))
		b := perMinute(limits.Draw(t, "limit"))
		r := rational{limit: b.limit, used: new(big.Rat)}
		for range rapid.IntRange(1, 60).Draw(t, "steps") {
			now := b.last + time.Duration(rapid.OneOf(rapid.Just[int64](0), rapid.Int64Range(0, 1e6), rapid.Int64Range(0, 1e11)).Draw(t, "dt"))
			b.drain(now)
			r.drain(now)
			if rapid.IntRange(0, 9).Draw(t, "resize") == 0 {
				b.resize(limits.Draw(t, "new limit"))
				r.limit = b.limit
			}
			n := rapid.Int64Range(0, b.limit).Draw(t, "n")
			excess := new(big.Rat).Add(r.used, new(big.Rat).SetInt64(n-b.limit))
			if (b.wait(n) == 0) != (excess.Sign() <= 0) {
				t.Fatalf("limit %d, used %v, requested %d: wait %v", b.limit, r.used, n, b.wait(n))
			}
			ceil := new(big.Int).Neg(new(big.Int).Div(new(big.Int).Neg(r.used.Num()), r.used.Denom()))
			remaining, reset := b.state()
			if want := max(0, b.limit-ceil.Int64()); remaining != want {
				t.Fatalf("limit %d, used %v: %d remain, want %d", b.limit, r.used, remaining, want)
			}
			ns := new(big.Int).Mul(ceil, big.NewInt(int64(time.Minute)))
			want := new(big.Int).Neg(ns.Div(ns.Neg(ns), big.NewInt(b.limit)))
			if want.IsInt64() && int64(reset) != want.Int64() {
				t.Fatalf("limit %d, used %v: reset in %v, want %d ns", b.limit, r.used, reset, want)
			}
			if b.wait(n) == 0 {
				b.charge(n)
				r.used.Add(r.used, new(big.Rat).SetInt64(n))
			}
		}
	})
}

// TestWaitIsExact: one who waits as told is admitted, one who comes a millisecond earlier is not.
func TestWaitIsExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		limit := rapid.Int64Range(1, 1e8).Draw(t, "limit")
		b := filled(limit, rapid.Int64Range(0, limit).Draw(t, "used"))
		b.drain(time.Duration(rapid.Int64Range(0, int64(time.Minute)).Draw(t, "drained")))
		n := rapid.Int64Range(1, limit).Draw(t, "requested")
		wait := b.wait(n)
		if wait == 0 {
			return
		}
		early, due := b, b
		early.drain(b.last + wait - time.Millisecond)
		due.drain(b.last + wait)
		if early.wait(n) == 0 || due.wait(n) != 0 || wait%time.Millisecond != 0 {
			t.Fatalf("told to wait %v: 1 ms early %v, at that instant %v", wait, early.wait(n), due.wait(n))
		}
	})
}

// TestINV10Bucket: in any window of length d a bucket admits at most limit + limit*d/60 s.
func TestINV10Bucket(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		limit := rapid.OneOf(rapid.Int64Range(1, 20), rapid.Int64Range(1, 100_000)).Draw(t, "limit")
		p := mustNew(t, single(0, limit))
		type grant struct {
			at time.Duration
			n  int64
		}
		var grants []grant
		now := time.Duration(0)
		for i := range rapid.IntRange(1, 80).Draw(t, "calls") {
			// The clock may stand still or step back.
			now += time.Duration(rapid.OneOf(rapid.Just[int64](0), rapid.Int64Range(-1e9, 2e9), rapid.Int64Range(0, 3e10)).Draw(t, "dt"))
			n := rapid.Int64Range(1, limit).Draw(t, "tokens")
			if plan := p.Admit(now, Call{ID: uint64(i), In: n}); plan.Status == 200 {
				grants = append(grants, grant{p.now, n})
			}
		}
		for i := range grants {
			sum := int64(0)
			for _, g := range grants[i:] {
				sum += g.n
				most := new(big.Int).Mul(big.NewInt(limit), big.NewInt(int64(time.Minute+g.at-grants[i].at)))
				if new(big.Int).Mul(big.NewInt(sum), big.NewInt(int64(time.Minute))).Cmp(most) > 0 {
					t.Fatalf("limit %d: %d tokens admitted from %v to %v", limit, sum, grants[i].at, g.at)
				}
			}
		}
	})
}

// fataler is what testing.T, testing.B and rapid.T have in common here.
type fataler interface {
	Helper()
	Fatalf(format string, args ...any)
}

func mustNew(t fataler, cfg Config) *Provider {
	t.Helper()
	p, err := New(cfg)
	if err != nil {
		t.Fatalf("New: %v", err)
	}
	return p
}

// single is a provider of one model that answers in 1 s and 10 ms a token, one quota and one key.
func single(rpm, tpm int64) Config {
	return Config{
		Seed: 7,
		Models: []Model{{
			Name: "m", Vendor: "v",
			Latency: Latency{Base: time.Second, PerOutputToken: 10 * time.Millisecond, Refusal: 50 * time.Millisecond},
		}},
		Quotas: []Quota{{Name: "q", RPM: rpm, TPM: tpm}},
		Keys:   []Key{{ID: "k", Quotas: []int{0}}},
	}
}

// fleet is single with n models of one vendor, and keys that have one quota each for all of them.
func fleet(models, keys int) Config {
	cfg := single(0, 0)
	for i := 1; i < models; i++ {
		m := cfg.Models[0]
		m.Name = fmt.Sprint("m", i)
		cfg.Models = append(cfg.Models, m)
	}
	cfg.Keys, cfg.Quotas = nil, nil
	for k := range keys {
		key := Key{ID: fmt.Sprint("k", k)}
		for range models {
			key.Quotas = append(key.Quotas, k)
		}
		cfg.Keys = append(cfg.Keys, key)
		cfg.Quotas = append(cfg.Quotas, Quota{Name: fmt.Sprint("q", k)})
	}
	return cfg
}
