package sim

import (
	"fmt"
	"testing"
	"time"

	"github.com/seed-4fd17b57/simload/mockupstream"
	"github.com/seed-4fd17b57/simload/sim/scenario"
)

// TestOutcomesOfEveryDialect: whatever happens to a call, what the client's codec makes of the bytes is
// what virtual time makes of the plan, in every dialect.
func TestOutcomesOfEveryDialect(t *testing.T) {
	always := func(k mockupstream.FaultKind, status int) []mockupstream.Fault {
		return []mockupstream.Fault{{Name: "f", Kind: k, For: time.Hour, Share: 1, Status: status, RetryAfter: 1500 * time.Millisecond}}
	}
	absent := always(mockupstream.FaultBurst429, 0)
	absent[0].Mode = mockupstream.RetryAfterAbsent
	cases := map[string][]mockupstream.Fault{
		"answer": nil, "burst": always(mockupstream.FaultBurst429, 0), "burst without a wait": absent,
		"credit": always(mockupstream.FaultNoCredit, 0), "refused": always(mockupstream.FaultRefuseConnection, 0),
		"broken": always(mockupstream.FaultBrokenStream, 0),
	}
	for _, status := range []int{500, 502, 503, 504, 529} {
		cases[fmt.Sprintf("error %d", status)] = always(mockupstream.FaultError, status)
	}
	for _, status := range []int{429, 500, 502, 503, 504, 529} {
		cases[fmt.Sprintf("stream error %d", status)] = always(mockupstream.FaultStreamError, status)
	}
	for d := mockupstream.DialectOpenAI; d <= mockupstream.DialectOpenRouter; d++ {
		for name, faults := range cases {
			t.Run(d.String()+"/"+name, func(t *testing.T) {
				set := dialectSetup(d)
				set.Upstream.Faults = faults
				for _, call := range outcomeCalls() {
					sameOutcome(t, set.Upstream, call)
				}
			})
		}
	}
}

// outcomeCalls are calls that a limit, the size of the window, an unknown key or nothing stands in the
// way of.
func outcomeCalls() []mockupstream.Call {
	plain := mockupstream.Call{ID: 1, Attempt: 1, In: 100, MaxOut: 50, Out: 20}
	long, large, refused := plain, plain, plain
	long.In = 90_000
	large.In = 40_000
	refused.Key = 1
	write := plain
	write.Write, write.WriteID, write.IdempotencyKey = true, 1, 77
	return []mockupstream.Call{plain, write, write, plain, plain, plain, large, long, refused}
}

// sameOutcome sends a call both ways, each time to a provider that has seen four others.
func sameOutcome(t *testing.T, cfg mockupstream.Config, call mockupstream.Call) {
	t.Helper()
	straight, err := mockupstream.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	behind, err := mockupstream.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	set := dialectSetup(cfg.Models[0].Dialect)
	set.Upstream = cfg
	link := newWireLink(set, behind)
	for i := range 6 {
		call.Attempt = i + 1
		now := time.Duration(i) * 100 * time.Millisecond
		plan := straight.Admit(now, call)
		wired, told, err := link.admit(now, &call)
		if err != nil {
			t.Fatal(err)
		}
		if plan.Fate == mockupstream.FateHang {
			continue
		}
		if plan.End != wired.End || plan.FirstToken != wired.FirstToken || plan.Fate != wired.Fate {
			t.Fatalf("the plan is %+v, over the wire %+v", plan, wired)
		}
		var used mockupstream.Usage
		if plan.Fate == mockupstream.FateAnswer && plan.Status == 200 {
			used = straight.Usage(plan.ID)
		}
		if want := outcome(&plan, used); told != want {
			t.Fatalf("%+v\nis   %+v\nwant %+v (%v)", call, told, want, plan.Code)
		}
	}
}

// dialectSetup is one model with tight limits and two keys, of which the second may not use it.
func dialectSetup(d mockupstream.Dialect) *scenario.Built {
	set := fleet(1, 1, 0, time.Minute)
	u := &set.Upstream
	u.Models[0].Dialect, u.Models[0].ContextWindow, u.Models[0].Capacity = d, 64_000, nil
	u.Quotas[0] = mockupstream.Quota{Name: "q", Group: "org", RPM: 3, TPM: 30_000}
	switch d {
	case mockupstream.DialectDeepSeek:
		u.Quotas[0] = mockupstream.Quota{Name: "q", Concurrency: 2}
	case mockupstream.DialectOpenRouter:
		u.Quotas[0] = mockupstream.Quota{Name: "q", RPM: 3}
	case mockupstream.DialectAnthropic:
		u.Quotas[0].OTPM = 40
	}
	u.Keys = append(u.Keys, mockupstream.Key{ID: "stranger", Quotas: []int{-1}})
	return set
}
