package mockupstream

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

func TestBilling(t *testing.T) {
	// 100 tokens in and 101 out: the first after 1 s, the last another second later.
	for at, want := range map[time.Duration]Usage{
		0:                {},
		ts - 1:           {},
		ts:               {In: 100, Out: 1},
		ts + 10*tms - 1:  {In: 100, Out: 1},
		ts + 10*tms:      {In: 100, Out: 2},
		1500 * tms:       {In: 100, Out: 51},
		2*ts - 1:         {In: 100, Out: 100},
		2 * ts:           {In: 100, Out: 101},
		2*ts + time.Hour: {In: 100, Out: 101},
	} {
		p := mustNew(t, single(0, 0))
		plan := p.Admit(0, Call{In: 100, Out: 101})
		if got := p.Disconnect(at, plan.ID); got != want {
			t.Errorf("disconnected at %v: billed %+v, want %+v", at, got, want)
		}
		if b := p.Books(); b.Billed != want || b.Keys[0].Billed != want || b.Running != 0 {
			t.Errorf("disconnected at %v: books %+v", at, b)
		}
	}
	p := mustNew(t, single(0, 0))
	plan := p.Admit(0, Call{In: 100, Out: 101})
	if got := p.Complete(ts, plan.ID); got != (Usage{In: 100, Out: 101}) {
		t.Errorf("a completed call is billed %+v, want all, even if the driver's clock is early", got)
	}
}

func TestEarlyRetries(t *testing.T) {
	// An empty bucket of one request a minute; a refusal takes 50 ms to arrive. It is
	// refused at 1 s and told to wait 59 s, so until 60.05 s.
	for name, c := range map[string]struct {
		at    []time.Duration
		early int64
	}{
		"with the refused call":        {[]time.Duration{0, ts, ts}, 0},
		"before the answer arrived":    {[]time.Duration{0, ts, 1049 * tms}, 0},
		"the moment it arrived":        {[]time.Duration{0, ts, 1050 * tms}, 1},
		"a nanosecond early":           {[]time.Duration{0, ts, 60050*tms - 1}, 1},
		"as told":                      {[]time.Duration{0, ts, 60050 * tms}, 0},
		"a storm counts every call":    {[]time.Duration{0, ts, 1050 * tms, 1060 * tms, 1070 * tms, 1080 * tms, 1200 * tms}, 5},
		"long after the last refusal":  {[]time.Duration{0, ts, 200 * ts}, 0},
		"a storm faster than its news": {[]time.Duration{0, ts, 1010 * tms, 1020 * tms, 1030 * tms, 1040 * tms}, 0},
	} {
		p := mustNew(t, single(1, 0))
		for i, at := range c.at {
			p.Admit(at, Call{ID: uint64(i)})
		}
		if got := p.Books().EarlyRetries; got != c.early {
			t.Errorf("%s: %d early retries, want %d", name, got, c.early)
		}
	}
}

// TestEarlyRetriesOfInstantRefusals: calls of one instant cannot have known of each other.
func TestEarlyRetriesOfInstantRefusals(t *testing.T) {
	cfg := single(1, 0)
	cfg.Models[0].Latency.Refusal = 0
	p := mustNew(t, cfg)
	for i := range 10 {
		p.Admit(0, Call{ID: uint64(i)})
	}
	p.Admit(1, Call{ID: 11})
	if got := p.Books().EarlyRetries; got != 1 {
		t.Errorf("%d early retries, want 1", got)
	}
}

// TestRefusalsAreForgotten: a storm does not pile up.
func TestRefusalsAreForgotten(t *testing.T) {
	p := mustNew(t, single(1, 0))
	for i := range 100_000 {
		p.Admit(time.Duration(i)*tms, Call{ID: uint64(i)})
	}
	if n := len(p.quotas[0].refusals); n > 200 {
		t.Errorf("%d refusals held, 50 are on their way at any time", n)
	}
}

func TestMinutes(t *testing.T) {
	p := mustNew(t, single(2, 1000))
	for i, at := range []time.Duration{0, 59 * ts, 59 * ts, time.Minute, 3 * time.Minute} {
		p.Admit(at, Call{ID: uint64(i), In: 100})
	}
	// By 59 s the first request has drained, a second later hardly anything has.
	want := []Minute{{Requests: 3, Tokens: 300}, {Refused: 1}, {}, {Requests: 1, Tokens: 100}}
	if got := p.Books().Quotas[0].Minutes; !reflect.DeepEqual(got, want) {
		t.Errorf("minutes %v, want %v", got, want)
	}
}

func TestCallIDs(t *testing.T) {
	p := mustNew(t, single(0, 0))
	if u := p.Complete(0, 0); u != (Usage{}) {
		t.Errorf("the zero id is billed %+v", u)
	}
	plan := p.Admit(0, Call{})
	p.Complete(plan.End, plan.ID)
	reused := p.Admit(plan.End, Call{})
	for name, id := range map[string]CallID{"stale": plan.ID, "never given": 12345, "wild": ^CallID(0)} {
		func() {
			defer func() {
				if msg := fmt.Sprint(recover()); !strings.Contains(msg, "is not running") {
					t.Errorf("%s id: %q, want a panic that says so", name, msg)
				}
			}()
			p.Disconnect(plan.End, id)
		}()
	}
	if uint32(reused.ID) != uint32(plan.ID) {
		t.Error("the slot was not used again")
	}
	p.Complete(reused.End, reused.ID)
}

// randomConfig draws a small upstream with everything in it.
func randomConfig(t *rapid.T) Config {
	cfg := fleet(rapid.IntRange(1, 3).Draw(t, "models"), rapid.IntRange(1, 3).Draw(t, "keys"))
	cfg.Seed = rapid.Uint64().Draw(t, "seed")
	for m := range cfg.Models {
		cfg.Models[m].Latency.OutputSigma = .2
		cfg.Models[m].Cache = PromptCache{Block: 10, TTL: 30 * ts}
		cfg.Models[m].ContextWindow = rapid.SampledFrom([]int64{0, 900}).Draw(t, "window")
		if rapid.Bool().Draw(t, "capacity") {
			cfg.Models[m].Capacity = []CapacityStep{{0, 5}, {20 * ts, 1}, {40 * ts, 8}}
		}
	}
	for q := range cfg.Quotas {
		cfg.Quotas[q].RPM = rapid.Int64Range(0, 60).Draw(t, "rpm")
		cfg.Quotas[q].TPM = rapid.Int64Range(0, 20_000).Draw(t, "tpm")
	}
	if rapid.Bool().Draw(t, "no access") {
		cfg.Keys[0].Quotas[0] = -1
	}
	for range rapid.IntRange(0, 4).Draw(t, "faults") {
		f := Fault{
			Kind: FaultKind(rapid.IntRange(0, int(FaultStall)).Draw(t, "kind")), Share: rapid.SampledFrom([]float64{.3, 1}).Draw(t, "share"),
			At: time.Duration(rapid.Int64Range(0, 60).Draw(t, "at")) * ts, For: 5 * ts, Status: 500, Factor: .5,
			Every: rapid.SampledFrom([]time.Duration{0, 15 * ts}).Draw(t, "every"), RetryAfter: ts,
		}
		switch f.Kind {
		case FaultCutLimit:
			f.Share = 1
		case FaultSlowdown:
			f.Factor = 2
		}
		cfg.Faults = append(cfg.Faults, f)
	}
	return cfg
}

// TestINV6Books: whatever happens, the books add up, at every instant, and equal what
// the caller was told: every call is admitted, refused or faulted; what was billed is
// what Complete and Disconnect returned; what was charged is what was admitted; at
// rest nothing runs.
func TestINV6Books(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cfg := randomConfig(t)
		p := mustNew(t, cfg)
		var want Books
		var running []Plan
		var charged, chargedTokens int64
		end := func(i int, now time.Duration) {
			plan := running[i]
			running = append(running[:i], running[i+1:]...)
			if plan.Fate == FateAnswer && now >= plan.End {
				want.Billed.add(p.Complete(now, plan.ID))
			} else {
				want.Billed.add(p.Disconnect(now, plan.ID))
			}
		}
		now := time.Duration(0)
		for i := range rapid.IntRange(1, 120).Draw(t, "steps") {
			now += time.Duration(rapid.Int64Range(-1e8, 2e9).Draw(t, "dt"))
			if len(running) > 0 && rapid.IntRange(0, 2).Draw(t, "end one") == 0 {
				end(rapid.IntRange(0, len(running)-1).Draw(t, "which"), now)
				continue
			}
			c := Call{
				ID: uint64(i), Attempt: 1, Key: rapid.IntRange(0, len(cfg.Keys)-1).Draw(t, "key"), Model: rapid.IntRange(0, len(cfg.Models)-1).Draw(t, "model"),
				In: rapid.Int64Range(0, 1000).Draw(t, "in"), MaxOut: rapid.Int64Range(0, 300).Draw(t, "max"), Out: rapid.Int64Range(0, 300).Draw(t, "out"),
				Conversation: rapid.Uint64Range(0, 3).Draw(t, "conversation"), Prefix: 500, Write: rapid.Bool().Draw(t, "write"),
				WriteID: rapid.Uint64Range(1, 5).Draw(t, "write id"),
			}
			if c.IdempotencyKey = 0; rapid.Bool().Draw(t, "keyed") {
				c.IdempotencyKey = c.WriteID
			}
			plan := p.Admit(now, c)
			want.Received++
			switch {
			case plan.Status/100 == 4:
				want.Refused++
			case plan.Status == 200:
				want.Admitted++
				charged++
				chargedTokens += max(c.In, c.MaxOut)
			case plan.Fate == FateHang && p.slots.all[uint32(plan.ID)-1].mode != modeBlackhole: // lost
				want.Admitted++
				charged++
				chargedTokens += max(c.In, c.MaxOut)
			default:
				want.Faulted++
			}
			if plan.ID != 0 {
				if plan.Fate != FateHang && (plan.FirstToken < p.now || plan.End < plan.FirstToken) {
					t.Fatalf("INV-3: plan %+v of a call at %v", plan, p.now)
				}
				running = append(running, plan)
			}
			if b := p.Books(); b.Received != b.Admitted+b.Refused+b.Faulted || b.Running != int64(len(running)) {
				t.Fatalf("books %+v with %d running", b, len(running))
			}
		}
		for len(running) > 0 {
			end(0, now+time.Duration(rapid.Int64Range(0, 1e10).Draw(t, "rest")))
		}
		checkBooks(t, p, want, charged, chargedTokens)
	})
}

func checkBooks(t *rapid.T, p *Provider, want Books, charged, chargedTokens int64) {
	b := p.Books()
	if b.Received != want.Received || b.Admitted != want.Admitted || b.Refused != want.Refused || b.Faulted != want.Faulted || b.Billed != want.Billed || b.Running != 0 {
		t.Fatalf("books %+v, want %+v", b, want)
	}
	for m := range p.models {
		if p.models[m].running != 0 {
			t.Fatalf("%d calls run on model %d at rest", p.models[m].running, m)
		}
	}
	for key, id := range p.writes.keys {
		if id != committed {
			t.Fatalf("key %v is held by a call that is over", key)
		}
	}
	var sum KeyBook
	for _, k := range b.Keys {
		sum.Received += k.Received
		sum.Admitted += k.Admitted
		sum.Billed.add(k.Billed)
	}
	if sum.Received != b.Received || sum.Admitted != b.Admitted || sum.Billed != b.Billed {
		t.Fatalf("the keys' books add up to %+v, the whole is %+v", sum, b)
	}
	var requests, tokens int64
	for _, q := range b.Quotas {
		for _, m := range q.Minutes {
			requests += m.Requests
			tokens += m.Tokens
		}
	}
	if requests != charged || tokens != chargedTokens {
		t.Fatalf("charged %d requests and %d tokens, admitted %d and %d", requests, tokens, charged, chargedTokens)
	}
	if len(p.writes.done) != int(b.CommittedWrites) {
		t.Fatalf("%d writes known, %d counted", len(p.writes.done), b.CommittedWrites)
	}
}

// TestINV4SameCallsSameBooks: the provider is a function of its configuration and its calls.
func TestINV4SameCallsSameBooks(t *testing.T) {
	run := func() (plans []Plan, b Books) {
		cfg := benchConfig()
		cfg.Faults = append(cfg.Faults, Fault{Name: "stall", Kind: FaultStall, For: time.Hour, Share: .1})
		p := mustNew(t, cfg)
		for i := range 5000 {
			plan := p.Admit(time.Duration(i)*20*tms, Call{ID: uint64(i), Attempt: 1, Key: i % 24, Model: i % 3, In: 5000, Prefix: 4000, Out: 200, Conversation: uint64(i % 90)})
			plans = append(plans, plan)
			if i >= 200 {
				p.Disconnect(p.now, plans[i-200].ID)
			}
		}
		return plans, p.Books()
	}
	plans, books := run()
	again, booksAgain := run()
	if !reflect.DeepEqual(plans, again) || !reflect.DeepEqual(books, booksAgain) {
		t.Error("two runs differ")
	}
	if books.Billed.Cached == 0 || books.Running != 200 {
		t.Errorf("the run exercises too little: billed %+v, %d running", books.Billed, books.Running)
	}
}

func TestAdmitCompleteAllocatesNothing(t *testing.T) {
	p := mustNew(t, benchConfig())
	i := uint64(0)
	step := func() {
		i++
		now := time.Duration(i) * tms
		plan := p.Admit(now, Call{ID: i, Key: int(i % 24), In: 8000, Prefix: 7000, Out: 300, Conversation: i % 10})
		p.Complete(now, plan.ID)
	}
	for range 1000 {
		step()
	}
	if n := testing.AllocsPerRun(1000, step); n != 0 {
		t.Errorf("%v allocations a call", n)
	}
}
