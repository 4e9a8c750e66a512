package redisstore_test

import (
	"context"
	"fmt"
	"reflect"
	"sync/atomic"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"pgregory.net/rapid"

	"github.com/seed-4fd17b57/simload/stack/fleet"
	"github.com/seed-4fd17b57/simload/stack/limit"
	"github.com/seed-4fd17b57/simload/stack/redisstore"
	"github.com/seed-4fd17b57/simload/stack/redisstore/redistest"
)

const (
	ms = time.Millisecond
	s  = time.Second
)

var space atomic.Int64 // numbers the namespaces

// connect returns a client of a server, for stores of many namespaces.
func connect(tb testing.TB, server *redistest.Server) *redis.Client {
	c := redis.NewClient(&redis.Options{Network: "unix", Addr: server.Socket(), DisableIdentity: true})
	tb.Cleanup(func() { _ = c.Close() })
	return c
}

// madeUp returns a store of a namespace of its own whose instants are made up.
func madeUp(tb testing.TB, c redis.UniversalClient) *redisstore.Store {
	store, err := redisstore.New(c, redisstore.Config{Namespace: fmt.Sprint("test-", space.Add(1)), Apart: -1})
	if err != nil {
		tb.Fatal(err)
	}
	return store
}

// drawConfig draws small books: limits that bind soon, targets that share quotas or do not.
func drawConfig(t *rapid.T) fleet.Config {
	cfg := fleet.Config{Lease: 20 * s, Quiet: 500 * ms, Remaining: rapid.Bool().Draw(t, "remaining")}
	draw := func(name string, lo, hi int64) fleet.Limit {
		if rapid.IntRange(0, 2).Draw(t, name+" none") == 0 {
			return fleet.Limit{}
		}
		return fleet.Limit{
			Capacity: rapid.OneOf(rapid.Int64Range(lo, hi), rapid.Int64Range(hi/3, hi), rapid.Int64Range(hi, 2*hi)).Draw(t, name), Burst: time.Duration(rapid.Int64Range(1, 10_000).Draw(t, name+" burst")) * ms,
			Reserve: rapid.IntRange(0, 30).Draw(t, name+" reserve"),
		}
	}
	quotas := rapid.IntRange(1, 4).Draw(t, "quotas")
	for range quotas {
		cfg.Quotas = append(cfg.Quotas, fleet.Quota{
			Requests: draw("rpm", 10, 300), Tokens: draw("tpm", 2000, 40_000), Output: draw("otpm", 500, 20_000), Daily: draw("rpd", 20, 60),
			Places: rapid.IntRange(0, 4).Draw(t, "places"),
		})
	}
	for range rapid.IntRange(1, 3).Draw(t, "targets") {
		target := fleet.Target{
			Controller: rapid.SampledFrom([]string{"static", "aimd"}).Draw(t, "controller"), Reserve: rapid.IntRange(0, 40).Draw(t, "slot reserve"),
			Limit: limit.Config{
				Start: rapid.SampledFrom([]int{1, 2, 4, 8, 12}).Draw(t, "start"), Min: 1, Max: 16, Interval: 2 * s, Low: 200 * ms, High: 900 * ms, Samples: 8, MinSamples: 3,
				IncreasePercent: 150, DecreasePercent: 50,
			},
		}
		for k := range rapid.IntRange(1, 4).Draw(t, "keys") {
			target.Keys = append(target.Keys, fleet.KeyUse{Key: k, Quota: rapid.IntRange(0, quotas-1).Draw(t, "quota"), Weight: rapid.SampledFrom([]int64{0, 1, 1, 2, 3}).Draw(t, "weight")})
		}
		cfg.Targets = append(cfg.Targets, target)
	}
	return cfg.Exact()
}

// process is a member as the model test plays it: what it has said and heard.
type process struct {
	name       string
	batch, ack uint64
	known      uint64
	joined     bool
	next       uint64
	waiting    []uint64
	granted    []fleet.Grant
	said       []fleet.Message
	skew       time.Duration
}

// draw makes up what a process says next.
func (p *process) draw(t *rapid.T, cfg *fleet.Config, now time.Duration) fleet.Message {
	switch n := len(p.said); {
	case n > 0 && rapid.IntRange(0, 9).Draw(t, "again") == 0: // its answer was lost
		again := p.said[n-1]
		again.Given = max(0, now+p.skew)
		return again
	case n > 0 && rapid.IntRange(0, 29).Draw(t, "late") == 0: // one that was long on its way
		return p.said[rapid.IntRange(0, n-1).Draw(t, "which")]
	}
	p.batch++
	m := fleet.Message{Member: p.name, Given: max(0, now+p.skew), Batch: p.batch, Ack: p.ack, Known: p.known, Join: !p.joined, Config: cfg, Fingerprint: cfg.Fingerprint()}
	if rapid.IntRange(0, 40).Draw(t, "probe") == 0 {
		p.batch--
		m.Probe, m.Join = true, false
		if rapid.Bool().Draw(t, "other") {
			m.Fingerprint = "other"
		}
		return m
	}
	if p.joined && rapid.IntRange(0, 60).Draw(t, "other") == 0 {
		m.Fingerprint = "other" // of books that were here before
	}
	for range rapid.IntRange(0, 4).Draw(t, "ops") {
		if o := p.op(t, cfg, now); o.Kind != 0 {
			m.Ops = append(m.Ops, o)
		}
	}
	p.said = append(p.said, m)
	return m
}

func (p *process) op(t *rapid.T, cfg *fleet.Config, now time.Duration) fleet.Op {
	quota := func() int { return rapid.IntRange(0, len(cfg.Quotas)-1).Draw(t, "quota") }
	tokens := func() int64 {
		return rapid.OneOf(rapid.Int64Range(0, 200), rapid.Int64Range(0, 200), rapid.Int64Range(0, 6000)).Draw(t, "tokens")
	}
	past := func() time.Duration {
		return max(0, now-time.Duration(rapid.Int64Range(0, 90_000_000).Draw(t, "ago"))*fleet.Grain)
	}
	switch k := rapid.IntRange(0, 19).Draw(t, "kind"); {
	case k < 9:
		p.next++
		p.waiting = append(p.waiting, p.next)
		o := fleet.Op{
			Kind: fleet.OpAsk, ID: p.next, Target: rapid.IntRange(0, len(cfg.Targets)-1).Draw(t, "target"), Class: rapid.IntRange(0, 2).Draw(t, "class"),
			Quota: -1, Tokens: tokens(), Output: rapid.Int64Range(0, 200).Draw(t, "output"),
		}
		if rapid.IntRange(0, 9).Draw(t, "pinned") == 0 {
			o.Quota = quota()
		}
		return o
	case k < 15 && len(p.granted) > 0:
		i := rapid.IntRange(0, len(p.granted)-1).Draw(t, "which")
		g := p.granted[i]
		p.granted = append(p.granted[:i:i], p.granted[i+1:]...)
		o := fleet.Op{Kind: fleet.OpSettle, ID: g.ID, Signal: -1, Failed: rapid.IntRange(0, 5).Draw(t, "failed") == 0}
		o.Unused, o.Known = rapid.IntRange(0, 7).Draw(t, "unused") == 0, rapid.Bool().Draw(t, "known")
		o.Tokens, o.Output = tokens(), rapid.Int64Range(0, 1200).Draw(t, "out")
		if rapid.Bool().Draw(t, "signal") {
			o.Signal = time.Duration(rapid.Int64Range(0, 1_500_000).Draw(t, "latency")) * fleet.Grain
		}
		if rapid.IntRange(0, 9).Draw(t, "rest") == 0 {
			o.Rest = time.Duration(rapid.Int64Range(1, 20_000).Draw(t, "for")) * ms
		}
		return o
	case k < 17 && len(p.waiting) > 0:
		i := rapid.IntRange(0, len(p.waiting)-1).Draw(t, "which")
		id := p.waiting[i]
		p.waiting = append(p.waiting[:i:i], p.waiting[i+1:]...)
		return fleet.Op{Kind: fleet.OpWithdraw, ID: id}
	case k == 17 && rapid.IntRange(0, 4).Draw(t, "kill") == 0:
		return fleet.Op{Kind: fleet.OpKill, Key: cfg.Targets[0].Keys[0].Key}
	case k == 18 && rapid.Bool().Draw(t, "exclude"):
		return fleet.Op{Kind: fleet.OpExclude, Quota: quota(), Rest: time.Duration(rapid.Int64Range(1, 9000).Draw(t, "for")) * ms}
	case k == 18:
		return fleet.Op{Kind: fleet.OpCharge, Quota: quota(), Taken: past(), Requests: rapid.Int64Range(0, 5).Draw(t, "n"), Tokens: tokens(), Output: 10}
	case k == 19 && rapid.IntRange(0, 3).Draw(t, "adopt") == 0:
		p.next++
		p.granted = append(p.granted, fleet.Grant{ID: p.next})
		return fleet.Op{
			Kind: fleet.OpAdopt, ID: p.next, Target: rapid.IntRange(0, len(cfg.Targets)-1).Draw(t, "target"), Quota: quota(), Tokens: tokens(), Output: 5,
			Taken: past(), Charged: rapid.Bool().Draw(t, "charged"),
		}
	case k == 19 && rapid.IntRange(0, 9).Draw(t, "leave") == 0:
		p.joined = false
		return fleet.Op{Kind: fleet.OpLeave}
	}
	return fleet.Op{}
}

// hear takes the books' answer.
func (p *process) hear(r *fleet.Reply) {
	if r.Status != fleet.StatusOK {
		p.joined, p.ack, p.known, p.waiting, p.granted = false, 0, 0, nil, nil
		return
	}
	p.joined = true
	for _, g := range r.Grants {
		if g.Number > p.ack {
			p.ack = g.Number
			p.granted = append(p.granted, g)
		}
	}
	if r.News != nil {
		p.known = r.News.Version
	}
}

// INV-34: books in memory and in Redis give the same answers to the same trace, to the microsecond and in the same order: random
// traces of several processes at made-up instants, with clocks that are apart and step back, answers that are lost, members that
// die, fall silent and come back.
func TestSameAnswersAsInMemory_INV34(t *testing.T) {
	client := connect(t, redistest.Start(t))
	ctx := context.Background()
	grants, exchanges := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		cfg := drawConfig(t)
		books, err := fleet.NewBooks(cfg)
		if err != nil {
			t.Skip(err)
		}
		store, err := redisstore.New(client, redisstore.Config{Namespace: fmt.Sprint("test-", space.Add(1)), Apart: -1})
		if err != nil {
			t.Fatal(err)
		}
		now := time.Duration(rapid.Int64Range(0, 2_000_000_000).Draw(t, "start")) * s
		procs := make([]*process, rapid.IntRange(1, 4).Draw(t, "processes"))
		for i := range procs {
			procs[i] = &process{name: fmt.Sprint("p", i), skew: time.Duration(rapid.Int64Range(-300, 300).Draw(t, "skew")) * ms}
		}
		for range rapid.IntRange(1, 100).Draw(t, "exchanges") {
			now += time.Duration(rapid.OneOf(
				// Whole ranges are drawn from their small end; so there are steps of a size too.
				rapid.Just(int64(0)), rapid.Int64Range(0, 50_000), rapid.SampledFrom([]int64{10_007, 400_001, 1_000_003, 3_000_017}),
				rapid.SampledFrom([]int64{100_003, 1_000_003, 2_000_003}), rapid.Int64Range(0, 2_000_000), rapid.Int64Range(-2_000_000, 0),
				rapid.OneOf(rapid.Int64Range(0, 2_000_000), rapid.Int64Range(0, 2_000_000), rapid.Int64Range(0, 2_000_000), rapid.Int64Range(0, 70_000_000)),
			).Draw(t, "step")) * fleet.Grain
			now = max(now, 0)
			p := procs[rapid.IntRange(0, len(procs)-1).Draw(t, "who")]
			m := p.draw(t, &cfg, now)
			want := books.Exchange(m)
			got, err := store.Exchange(ctx, &m)
			if err != nil {
				t.Fatalf("%+v: %v", m, err)
			}
			if len(want.Wake) == 0 {
				want.Wake = nil
			}
			if !reflect.DeepEqual(got, want) {
				t.Fatalf("at %v, said %+v\nRedis  %+v news %+v\nmemory %+v news %+v", now, m, got, got.News, want, want.News)
			}
			exchanges++
			grants += len(want.Grants)
			if !m.Probe && m.Batch == p.batch && rapid.IntRange(0, 9).Draw(t, "lost") > 0 {
				p.hear(&got)
			}
		}
	})
	t.Logf("%d exchanges, %d grants told", exchanges, grants)
}
