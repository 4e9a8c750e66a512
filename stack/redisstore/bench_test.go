package redisstore_test

import (
	"context"
	"fmt"
	"os"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/seed-4fd17b57/simload/stack"
	"github.com/seed-4fd17b57/simload/stack/fleet"
	"github.com/seed-4fd17b57/simload/stack/redisstore/redistest"
)

// speed is what a way to be granted something comes to.
type speed struct {
	name      string
	perSecond float64
	p50, p99  time.Duration
}

// measure has so many workers be granted something, one after the other each, for a while.
func measure(name string, workers, per int, grant func(worker int) error) (speed, error) {
	const length = 1500 * time.Millisecond
	took := make([][]time.Duration, workers)
	errs := make([]error, workers)
	var wg sync.WaitGroup
	start := time.Now()
	for w := range workers {
		wg.Go(func() {
			for time.Since(start) < length && errs[w] == nil {
				at := time.Now()
				errs[w] = grant(w)
				took[w] = append(took[w], time.Since(at))
			}
		})
	}
	wg.Wait()
	el := time.Since(start)
	all := slices.Concat(took...)
	slices.Sort(all)
	for _, err := range errs {
		if err != nil {
			return speed{}, err
		}
	}
	return speed{name, float64(len(all)*per) / el.Seconds(), all[len(all)/2], all[len(all)*99/100]}, nil
}

// gateGrant is a grant of the gate in memory: admitted and settled.
func gateGrant(tb testing.TB) func(int) error {
	core, err := stack.New(clientConfig(20, vendor{}).Stack)
	if err != nil {
		tb.Fatal(err)
	}
	now, id := time.Duration(0), uint64(0)
	return func(int) error {
		for range 100 {
			now += 10 * time.Microsecond
			id++
			core.Submit(now, stack.Request{ID: stack.RequestID(id), EstIn: 1000, MaxOut: 100})
			e := &core.Effects()[0]
			if e.Kind != stack.EffectSend {
				return fmt.Errorf("effect %v", e.Kind)
			}
			core.Finish(now, e.Attempt.ID, stack.Outcome{Kind: stack.Success, Usage: stack.Usage{In: 990, Out: 50}})
			core.Effects()
		}
		return nil
	}
}

// storeGrant is a grant of the books at a server for each of some connections: so many are asked for in an exchange, in which those before
// are settled.
func storeGrant(tb testing.TB, server *redistest.Server, namespace string, connections, batch int) func(int) error {
	cfg := clientConfig(20, vendor{}).Stack
	books := cfg.Fleet()
	type link struct {
		say  func(ops []fleet.Op) (fleet.Reply, error)
		ops  []fleet.Op
		next uint64
	}
	links := make([]*link, connections)
	for i := range links {
		store := open(tb, server, namespace)
		m := fleet.Message{Member: fmt.Sprint("m", i), Config: &books, Fingerprint: books.Fingerprint()}
		links[i] = &link{say: func(ops []fleet.Op) (fleet.Reply, error) {
			m.Batch++
			m.Join, m.Given, m.Ops = m.Batch == 1, time.Duration(time.Now().UnixMicro())*time.Microsecond, ops
			r, err := store.Exchange(context.Background(), &m)
			for _, g := range r.Grants {
				m.Ack = g.Number
			}
			if r.News != nil {
				m.Known = r.News.Version
			}
			return r, err
		}}
		if _, err := links[i].say(nil); err != nil {
			tb.Fatal(err)
		}
	}
	time.Sleep(600 * time.Millisecond) // books begin without a burst, of which a tenth is P0's
	return func(w int) error {
		l := links[w]
		for range batch {
			l.next++
			l.ops = append(l.ops, fleet.Op{Kind: fleet.OpAsk, ID: l.next, Class: 1, Quota: -1, Tokens: 1000, Output: 100})
		}
		r, err := l.say(l.ops)
		l.ops = l.ops[:0]
		if err == nil && len(r.Grants) != batch {
			err = fmt.Errorf("%d of %d granted: %+v", len(r.Grants), batch, r)
		}
		for _, g := range r.Grants {
			l.ops = append(l.ops, fleet.Op{Kind: fleet.OpSettle, ID: g.ID, Known: true, Tokens: 990, Output: 50, Signal: -1})
		}
		return err
	}
}

// TestBenchFleet prints grants a second through Redis, and how long one takes, beside the gate in memory: make bench-fleet.
func TestBenchFleet(t *testing.T) {
	if os.Getenv("SIMLOAD_BENCH_FLEET") == "" {
		t.Skip("only with SIMLOAD_BENCH_FLEET=1 (make bench-fleet)")
	}
	server := redistest.Start(t)
	var rows []speed
	add := func(name string, workers, per int, grant func(int) error) {
		r, err := measure(name, workers, per, grant)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		rows = append(rows, r)
	}
	add("gate in memory, admit and settle", 1, 100, gateGrant(t))
	rows[0].p50, rows[0].p99 = rows[0].p50/100, rows[0].p99/100 // of a hundred
	for _, n := range []int{1, 8} {
		for _, batch := range []int{1, 16} {
			name := fmt.Sprintf("books in Redis, %d connection(s), %d a message", n, batch)
			add(name, n, batch, storeGrant(t, server, fmt.Sprintf("b-%d-%d", n, batch), n, batch))
		}
	}
	ctx := context.Background()
	call := func(clients []*stack.Client) func(int) error {
		var mu sync.Mutex
		id := 0
		return func(w int) error {
			mu.Lock()
			id++
			k := id
			mu.Unlock()
			_, err := clients[w%len(clients)].Do(ctx, ask(k))
			return err
		}
	}
	alone, err := stack.NewClient(clientConfig(20, vendor{}))
	if err != nil {
		t.Fatal(err)
	}
	defer alone.Close()
	add("client, 128 callers, limits of its own", 128, 1, call([]*stack.Client{alone}))
	for _, n := range []int{1, 8} {
		var clients []*stack.Client
		for range n {
			clients = append(clients, newClient(t, clientConfig(20, vendor{}), stack.FleetConfig{Store: open(t, server, fmt.Sprintf("c-%d", n))}))
		}
		if err := call(clients)(0); err != nil { // books begin without a burst
			t.Fatal(err)
		}
		add(fmt.Sprintf("%d client(s), 128 callers, limits in Redis", n), 128, 1, call(clients))
		for _, c := range clients {
			_ = c.Close()
		}
	}
	fmt.Printf("%-48s %12s %10s %10s %12s\n", "", "grants/s", "p50", "p99", "of the gate")
	for _, r := range rows {
		fmt.Printf("%-48s %12.0f %10v %10v %11.2f%%\n", r.name, r.perSecond, r.p50.Round(10*time.Nanosecond), r.p99.Round(10*time.Nanosecond), 100*r.perSecond/rows[0].perSecond)
	}
}
