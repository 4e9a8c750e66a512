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
	// A bucket of one request a minute that request 9 has filled; a refusal takes 50 ms to arrive. Request 1
	// is refused at 1 s and told to wait 59 s, so until 60.05 s.
	type arrival struct {
		at time.Duration
		id uint64
	}
	for name, c := range map[string]struct {
		then  []arrival
		early int64
	}{
		"a hedge of the refused call":  {[]arrival{{ts, 1}}, 0},
		"before the answer arrived":    {[]arrival{{1049 * tms, 1}}, 0},
		"the moment it arrived":        {[]arrival{{1050 * tms, 1}}, 1},
		"a nanosecond early":           {[]arrival{{60050*tms - 1, 1}}, 1},
		"as told":                      {[]arrival{{60050 * tms, 1}}, 0},
		"long after":                   {[]arrival{{200 * ts, 1}}, 0},
		"another was told":             {[]arrival{{1050 * tms, 2}, {30 * ts, 3}}, 0},
		"both were told":               {[]arrival{{1100 * tms, 2}, {30 * ts, 1}, {31 * ts, 2}}, 2},
		"a storm counts every call":    {[]arrival{{1050 * tms, 1}, {1060 * tms, 1}, {1070 * tms, 1}, {1080 * tms, 1}, {1200 * tms, 1}}, 5},
		"a storm faster than its news": {[]arrival{{1010 * tms, 1}, {1020 * tms, 1}, {1030 * tms, 1}, {1040 * tms, 1}}, 0},
		"news of a hedge comes later":  {[]arrival{{1040 * tms, 1}, {1060 * tms, 1}}, 1},
	} {
		p := mustNew(t, single(1, 0))
		p.Admit(0, Call{ID: 9, Attempt: 1})
		p.Admit(ts, Call{ID: 1, Attempt: 1})
		for _, a := range c.then {
			p.Admit(a.at, Call{ID: a.id, Attempt: 2})
		}
		if got := p.Books().EarlyRetries; got != c.early {
			t.Errorf("%s: %d early retries, want %d", name, got, c.early)
		}
	}
}

// TestEarlyRetriesOfQuotas: a wait is one quota's. A request that goes on with another key is not early, and
// one that comes back to the first is.
func TestEarlyRetriesOfQuotas(t *testing.T) {
	cfg := fleet(1, 2)
	cfg.Quotas[0].RPM, cfg.Quotas[1].RPM = 1, 1
	p := mustNew(t, cfg)
	p.Admit(0, Call{ID: 8, Attempt: 1})
	p.Admit(0, Call{ID: 9, Attempt: 1, Key: 1})
	for i, s := range []struct{ key, early int }{{0, 0}, {1, 0}, {0, 1}, {1, 2}} {
		p.Admit(time.Duration(i+1)*ts, Call{ID: 1, Attempt: i + 1, Key: s.key})
		if got := p.Books().EarlyRetries; got != int64(s.early) {
			t.Errorf("attempt %d: %d early retries, want %d", i+1, got, s.early)
		}
	}
}

// TestWaitsAreForgotten: what a storm was told does not pile up, not even if it is told to wait for ever.
func TestWaitsAreForgotten(t *testing.T) {
	for name, c := range map[string]struct {
		wait time.Duration
		most int
	}{
		"short": {100 * tms, 2 * waitsLeast},
		"long":  {1000 * time.Hour, waitsMost},
	} {
		var w waits
		for i := range 3 * waitsMost {
			now := time.Duration(i) * tms
			w.tell(now, now, now+c.wait, uint64(i), 0)
			if len(w.told) > c.most {
				t.Fatalf("%s waits: %d held, at most %d", name, len(w.told), c.most)
			}
		}
		last := uint64(3*waitsMost - 1)
		now := time.Duration(last) * tms
		if !w.early(now, last, []int32{0}) || w.early(now+c.wait, last, []int32{0}) || w.early(now, last+1, []int32{0}) {
			t.Errorf("%s waits: the last one is not known", name)
		}
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

// randomConfig draws a small upstream with everything in it, in any dialect.
func randomConfig(t *rapid.T) Config {
	cfg := fleet(rapid.IntRange(1, 3).Draw(t, "models"), rapid.IntRange(1, 3).Draw(t, "keys"))
	cfg.Seed = rapid.Uint64().Draw(t, "seed")
	d := rapid.SampledFrom(all).Draw(t, "dialect")
	for m := range cfg.Models {
		cfg.Models[m].Dialect = d
		cfg.Models[m].MaxWait = 20 * ts
		cfg.Models[m].Price = Price{Input: 5, Cached: 1, Output: 20, CacheWrite: 6, LongFrom: 600, Long: Rates{10, 2, 30, 12}}
		cfg.Models[m].LongFrom = 800
		cfg.Models[m].Latency.OutputSigma = .2
		cfg.Models[m].Cache = PromptCache{Block: 10, TTL: 30 * ts}
		cfg.Models[m].ContextWindow = rapid.SampledFrom([]int64{0, 900}).Draw(t, "window")
		if rapid.Bool().Draw(t, "capacity") {
			cfg.Models[m].Capacity = []CapacityStep{{0, 5}, {20 * ts, 1}, {40 * ts, 8}}
		}
	}
	for q := range cfg.Quotas {
		name := cfg.Quotas[q].Name
		cfg.Quotas[q] = randomQuota(t, d)
		cfg.Quotas[q].Name = name
		cfg.Quotas[q].CountRefused = rapid.Bool().Draw(t, "count refused")
		cfg.Quotas[q].CountCached = rapid.Bool().Draw(t, "count cached")
		if dialects[d].knows.Has(MeterSpend) {
			cfg.Quotas[q].Spend = rapid.SampledFrom([]int64{0, 60_000}).Draw(t, "spend")
		}
	}
	if rapid.Bool().Draw(t, "no access") {
		cfg.Keys[0].Quotas[0] = -1
	} else if rapid.Bool().Draw(t, "organisation") {
		org := len(cfg.Quotas)
		cfg.Quotas = append(cfg.Quotas, randomQuota(t, d))
		for k := range cfg.Keys {
			for range cfg.Models {
				cfg.Keys[k].Extra = append(cfg.Keys[k].Extra, []int{org})
				cfg.Keys[k].Long = append(cfg.Keys[k].Long, []int{org})
			}
		}
	}
	for range rapid.IntRange(0, 4).Draw(t, "faults") {
		f := Fault{
			Kind: FaultKind(rapid.IntRange(0, int(FaultNoCredit)).Draw(t, "kind")), Share: rapid.SampledFrom([]float64{.3, 1}).Draw(t, "share"),
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

// ledger is the test's own account of what happens to a provider.
type ledger struct {
	p       *Provider
	books   Books
	running map[CallID]entry
	order   []CallID
	quotas  []Minute // sums
	spent   []int64
}

type entry struct {
	plan Plan
	call Call
	ids  []int32
}

// admit sends a call and enters its answer.
func (l *ledger) admit(t *rapid.T, now time.Duration, c Call) {
	p := l.p
	m := &p.models[c.Model]
	ids := p.scope(c.Key*len(p.models)+c.Model, m, c.In)
	var cached int64
	if len(ids) > 0 {
		cached = m.cache.peek(max(now, p.now), &m.cfg.Cache, p.tenant(&c), &c)
	}
	plan := p.Admit(now, c)
	charge := func(only func(q *quota) bool, with int64) {
		for _, i := range ids {
			if q := &p.quotas[i]; only(q) {
				read := cached
				if q.cfg.CountCached {
					read = 0
				}
				l.quotas[i].Requests++
				l.quotas[i].Tokens += with * tokensOf(m.cfg.Dialect, c, read)
			}
		}
	}
	l.books.Received++
	switch {
	case plan.Status/100 == 4:
		l.books.Refused++
		if plan.Status == 429 && plan.Refusal.Meter != MeterNone && plan.Refusal.Wait > 0 {
			charge(func(q *quota) bool { return q.counted }, 1)
		} else if plan.Code == CodeRequestTooLarge {
			charge(func(q *quota) bool { return q.dialect.countsRefused }, 0)
		}
	case plan.Fate == FateClosed:
		l.books.Faulted++
	case plan.Status == 200, plan.Fate == FateHang && p.slots.all[uint32(plan.ID)-1].mode != modeBlackhole: // lost
		l.books.Admitted++
		charge(func(*quota) bool { return true }, 1)
	default:
		l.books.Faulted++
	}
	if plan.ID != 0 {
		if plan.Fate != FateHang && plan.Fate != FateClosed && (plan.FirstToken < p.now || plan.End < plan.FirstToken) {
			t.Fatalf("INV-3: plan %+v of a call at %v", plan, p.now)
		}
		l.running[plan.ID] = entry{plan, c, ids}
		l.order = append(l.order, plan.ID)
	}
	if b := p.Books(); b.Received != b.Admitted+b.Refused+b.Faulted || b.Running != int64(len(l.running)) {
		t.Fatalf("books %+v with %d running", b, len(l.running))
	}
}

// end ends the i-th running call and enters its bill.
func (l *ledger) end(i int, now time.Duration) {
	id := l.order[i]
	l.order = append(l.order[:i], l.order[i+1:]...)
	e := l.running[id]
	delete(l.running, id)
	end := l.p.Disconnect
	if e.plan.Fate == FateAnswer && now >= e.plan.End {
		end = l.p.Complete
	}
	u := end(now, id)
	l.books.Billed.add(u)
	var price int64
	if u != (Usage{}) {
		m := &l.p.models[e.call.Model].cfg
		price = m.Price.Rates(e.plan.Long).Cost(u, e.plan.CacheWrite)
		l.books.Tariff.CacheWrite += e.plan.CacheWrite
		if e.plan.Long {
			l.books.Tariff.Long.add(u)
			l.books.Tariff.LongCacheWrite += e.plan.CacheWrite
		}
	}
	for _, i := range e.ids {
		if l.p.quotas[i].fluid != nil {
			l.quotas[i].Output += u.Out
		}
		if l.p.quotas[i].tracked {
			l.spent[i] += price
		}
	}
}

// TestINV6Books: whatever happens, in any dialect, the books add up, at every instant, and equal what
// the caller was told: every call is admitted, refused or faulted; what was billed is
// what Complete and Disconnect returned; what was charged is what the dialect charges
// for what was admitted (and refused, where that counts); at rest nothing runs.
func TestINV6Books(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cfg := randomConfig(t)
		l := &ledger{p: mustNew(t, cfg), running: map[CallID]entry{}, quotas: make([]Minute, len(cfg.Quotas)), spent: make([]int64, len(cfg.Quotas))}
		now := time.Duration(0)
		for i := range rapid.IntRange(1, 120).Draw(t, "steps") {
			now += time.Duration(rapid.Int64Range(-1e8, 2e9).Draw(t, "dt"))
			if len(l.running) > 0 && rapid.IntRange(0, 2).Draw(t, "end one") == 0 {
				l.end(rapid.IntRange(0, len(l.running)-1).Draw(t, "which"), now)
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
			l.admit(t, now, c)
		}
		for len(l.running) > 0 {
			l.end(0, now+time.Duration(rapid.Int64Range(0, 1e10).Draw(t, "rest")))
		}
		checkBooks(t, l)
	})
}

func checkBooks(t *rapid.T, l *ledger) {
	p, b, want := l.p, l.p.Books(), l.books
	if b.Received != want.Received || b.Admitted != want.Admitted || b.Refused != want.Refused || b.Faulted != want.Faulted ||
		b.Billed != want.Billed || b.Tariff != want.Tariff || b.Running != 0 {
		t.Fatalf("books %+v, want %+v", b, want)
	}
	for m := range p.models {
		if m := &p.models[m]; m.running != 0 || m.line != nil && m.line.place(p.now, 1) != p.now {
			t.Fatalf("%d calls run at rest, in line %v", m.running, m.line)
		}
	}
	for key, state := range p.writes.keys {
		if state == keyRunning {
			t.Fatalf("key %v is held by a call that is over", key)
		}
	}
	var sum KeyBook
	for _, k := range b.Keys {
		sum.Received += k.Received
		sum.Admitted += k.Admitted
		sum.Billed.add(k.Billed)
		sum.Tariff.CacheWrite += k.Tariff.CacheWrite
		sum.Tariff.Long.add(k.Tariff.Long)
		sum.Tariff.LongCacheWrite += k.Tariff.LongCacheWrite
	}
	if sum.Received != b.Received || sum.Admitted != b.Admitted || sum.Billed != b.Billed || sum.Tariff != b.Tariff {
		t.Fatalf("the keys' books add up to %+v, the whole is %+v", sum, b)
	}
	for i := range p.quotas {
		q := &p.quotas[i]
		var sum Minute
		for _, m := range b.Quotas[i].Minutes {
			sum.Requests += m.Requests
			sum.Tokens += m.Tokens
			sum.Output += m.Output
		}
		if sum != l.quotas[i] || q.open != 0 || q.spent != l.spent[i] {
			t.Fatalf("quota %d charged %+v, want %+v; %d calls open; spent %d, want %d", i, sum, l.quotas[i], q.open, q.spent, l.spent[i])
		}
		if q.drain(never / 2); q.fluid != nil && (q.fluid.rate != 0 || len(q.fluid.flows) != 0) {
			t.Fatalf("quota %d: %d units a nanosecond still flow", i, q.fluid.rate)
		}
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
