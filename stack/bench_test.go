package stack_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/failsafe-go/failsafe-go"
	"github.com/failsafe-go/failsafe-go/adaptivelimiter"
	"github.com/failsafe-go/failsafe-go/bulkhead"
	"github.com/failsafe-go/failsafe-go/retrypolicy"
	"golang.org/x/time/rate"

	"github.com/seed-4fd17b57/simload/stack"
)

// BenchmarkAdmitSettle is one request through a gate with requests and tokens limited and
// every layer of the default on: submit, grant, first token, settlement, result.
func BenchmarkAdmitSettle(b *testing.B) {
	for _, keys := range []int{1, 20} {
		b.Run(fmt.Sprintf("keys=%d", keys), func(b *testing.B) {
			cfg := plain()
			def := stack.Default()
			cfg.Concurrency, cfg.Rotation, cfg.Reserve, cfg.Retry = def.Concurrency, def.Rotation, def.Reserve, def.Retry
			cfg.Breaker, cfg.Queue = def.Breaker, def.Queue
			cfg.Keys, cfg.Quotas, cfg.Targets[0].Keys = nil, nil, nil
			for k := range keys {
				cfg.Keys = append(cfg.Keys, stack.Key{ID: fmt.Sprint("k", k)})
				cfg.Quotas = append(cfg.Quotas, stack.Quota{Name: fmt.Sprint("q", k), RPM: 1 << 30, TPM: 1 << 40})
				cfg.Targets[0].Keys = append(cfg.Targets[0].Keys, stack.KeyUse{Key: k, Quota: k, Weight: 1})
			}
			c, err := stack.New(cfg)
			if err != nil {
				b.Fatal(err)
			}
			done, now := 0, time.Duration(0)
			r := stack.Request{Class: stack.P1, EstIn: 1000, MaxOut: 300}
			o := stack.Outcome{Kind: stack.Success, Status: 200, Usage: stack.Usage{In: 980, Out: 250}}
			b.ReportAllocs()
			for b.Loop() {
				now += 50 * time.Microsecond
				r.ID++
				c.Submit(now, r)
				id := c.Effects()[0].Attempt.ID
				c.FirstToken(now, id)
				c.Finish(now, id, o)
				done += len(c.Effects())
			}
			if done < b.N {
				b.Fatalf("%d of %d done", done, b.N)
			}
		})
	}
}

// BenchmarkTimeRate is golang.org/x/time/rate alone, one limit, at made-up instants.
func BenchmarkTimeRate(b *testing.B) {
	l := rate.NewLimiter(1e9, 1e9)
	now, granted := time.Unix(0, 0), 0
	b.ReportAllocs()
	for b.Loop() {
		now = now.Add(50 * time.Microsecond)
		if l.AllowN(now, 1) {
			granted++
		}
	}
	if granted < b.N {
		b.Fatalf("%d of %d granted", granted, b.N)
	}
}

// BenchmarkFailsafeExecutor is a failsafe-go executor of three policies (retry, bulkhead,
// adaptive limiter) around a call that succeeds at once.
func BenchmarkFailsafeExecutor(b *testing.B) {
	executor := failsafe.With[int](
		retrypolicy.NewBuilder[int]().WithMaxRetries(3).WithBackoff(time.Second, 30*time.Second).WithJitterFactor(0.5).Build(),
		bulkhead.New[int](64),
		adaptivelimiter.NewBuilder[int]().Build(),
	)
	call := func() (int, error) { return 1, nil }
	b.ReportAllocs()
	for b.Loop() {
		if n, err := executor.Get(call); n != 1 || err != nil {
			b.Fatal(n, err)
		}
	}
}
