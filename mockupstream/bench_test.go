package mockupstream

import (
	"testing"
	"time"
)

// benchConfig is a fleet's upstream: 24 keys on three models, noise, caches and
// capacity, and a script of faults most of which is over or still to come.
func benchConfig() Config {
	cfg := Config{Seed: 1}
	for _, name := range []string{"small", "medium", "large"} {
		cfg.Models = append(cfg.Models, Model{
			Name: name, Vendor: "v", ContextWindow: 1 << 20, MaxOutput: 32768,
			Latency: Latency{
				Base: 300 * time.Millisecond, PerPromptToken: 160 * time.Microsecond,
				PerCachedToken: 16 * time.Microsecond, PerOutputToken: 20 * time.Millisecond,
				FirstTokenSigma: .2, OutputSigma: .1, Load: .5, Refusal: 50 * time.Millisecond,
			},
			Capacity: []CapacityStep{{0, 4000}, {30 * time.Minute, 3000}},
			Cache:    PromptCache{MinTokens: 1024, Block: 128, TTL: 5 * time.Minute},
		})
	}
	for k := range 24 {
		q := len(cfg.Quotas)
		cfg.Quotas = append(cfg.Quotas, Quota{Name: "q", RPM: 1e7, TPM: 1e11})
		cfg.Keys = append(cfg.Keys, Key{ID: string(rune('a' + k)), Quotas: []int{q, q, q}})
	}
	cfg.Faults = []Fault{
		{Name: "burst", Kind: FaultBurst429, At: 1000 * time.Hour, For: time.Minute, Share: 1},
		{Name: "cut", Kind: FaultCutLimit, At: 0, For: time.Millisecond, Share: 1, Factor: .5},
	}
	return cfg
}

// BenchmarkAdmitComplete is one call after another of 2000 conversations, in flight
// one at a time; "read" is the usual case, "write" adds a write with an idempotency key.
func BenchmarkAdmitComplete(b *testing.B) {
	for _, kind := range []string{"read", "write", "refused"} {
		b.Run(kind, func(b *testing.B) {
			cfg := benchConfig()
			if kind == "refused" {
				for i := range cfg.Quotas {
					cfg.Quotas[i].TPM = 10_000
				}
			}
			p, err := New(cfg)
			if err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			now := time.Duration(0)
			i := uint64(0)
			for b.Loop() {
				i++
				c := Call{
					ID: i * golden, Attempt: 1, Key: int(i % 24), Model: int(i % 3),
					In: 8000, Prefix: 7000, MaxOut: 512, Out: 300, Conversation: i % 2000 * golden,
				}
				if kind == "write" {
					c.Write, c.WriteID, c.IdempotencyKey = true, i, i
				}
				now += 10 * time.Millisecond
				plan := p.Admit(now, c)
				p.Complete(now, plan.ID)
			}
		})
	}
}
