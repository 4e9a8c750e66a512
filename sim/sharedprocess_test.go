package sim

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/seed-4fd17b57/simload/mockupstream"
	"github.com/seed-4fd17b57/simload/sim/scenario"
	"github.com/seed-4fd17b57/simload/stack"
	"github.com/seed-4fd17b57/simload/stack/jitter"
	"github.com/seed-4fd17b57/simload/stack/redisstore"
	"github.com/seed-4fd17b57/simload/stack/wire"
)

// childEnv makes a process of the test binary one of a fleet's.
const childEnv = "SIMLOAD_FLEET_CHILD"

const (
	fleetKeys   = 20
	fleetRPM    = 240 // of a key; so the fleet's limit is 80 requests/s
	fleetAgents = 250
	fleetSize   = 8
	flooder     = fleetSize - 1
	// The agents ask 0.0167 times a second, 29 a second in all, and the flood is 67 a second: 1.2 times the limits.
	askEvery  = 60 * time.Second
	floodRate = 67
)

// childSetup says what a process is to do.
type childSetup struct {
	Index         int
	Mock, Redis   string
	Namespace     string
	Start         int64 // Unix nanoseconds
	For, Lease    time.Duration
	Alone, Open   bool
	Agents, Flood int
}

// childCall is one request of a process that ended. Instants are Unix nanoseconds.
type childCall struct {
	Class           stack.Class
	Submitted, Sent int64
	Queued          time.Duration
	Refused         int // attempts with 429
	Attempts        int
	OK              bool
}

// fleetStack is the stack that all processes have.
func fleetStack(mock string) stack.ClientConfig {
	cfg := stack.ClientConfig{Stack: stack.Default()}
	s := &cfg.Stack
	s.AgentCap.PerMinute = 0
	s.Queue = stack.QueueConfig{Bound: 20_000, MaxWait: 10 * time.Minute}
	s.Timeouts.FirstToken = time.Minute
	t := stack.Target{Name: "m", Vendor: "v"}
	for k := range fleetKeys {
		id := fmt.Sprintf("key-%02d", k)
		s.Keys = append(s.Keys, stack.Key{ID: id})
		s.Quotas = append(s.Quotas, stack.Quota{Name: id, RPM: fleetRPM})
		t.Keys = append(t.Keys, stack.KeyUse{Key: k, Quota: k, Weight: 1})
		cfg.Secrets = append(cfg.Secrets, stack.NewSecret(id))
	}
	s.Targets = []stack.Target{t}
	s.Routes = []stack.Route{{Name: "m", Steps: []stack.RouteStep{{}}}}
	cfg.Endpoints = []stack.Endpoint{{BaseURL: mock + "/v1"}}
	return cfg
}

// fleetMock is the provider that they share.
func fleetMock() *scenario.Built {
	set := &scenario.Built{}
	set.Upstream.Models = []mockupstream.Model{{
		Name: "m", Vendor: "v", Latency: mockupstream.Latency{Base: 100 * time.Millisecond, PerOutputToken: 20 * time.Millisecond},
	}}
	for k := range fleetKeys {
		id := fmt.Sprintf("key-%02d", k)
		set.Upstream.Keys = append(set.Upstream.Keys, mockupstream.Key{ID: id, Quotas: []int{k}})
		set.Upstream.Quotas = append(set.Upstream.Quotas, mockupstream.Quota{Name: id, RPM: fleetRPM})
	}
	return set
}

// child is a process of the fleet at work.
type child struct {
	setup  childSetup
	client *stack.Client
	mu     sync.Mutex
	calls  []childCall
	origin time.Time
}

// TestFleetChild is a process of a fleet, where another test has made it one.
func TestFleetChild(t *testing.T) {
	text := os.Getenv(childEnv)
	if text == "" {
		t.Skip("only as a process of a fleet")
	}
	var c child
	if err := json.Unmarshal([]byte(text), &c.setup); err != nil {
		t.Fatal(err)
	}
	c.origin = time.Now()
	cfg := fleetStack(c.setup.Mock)
	cfg.Observer, cfg.Origin = &c, c.origin
	cfg.Stack.Seed = uint64(c.setup.Index)
	cfg.Header = func(a *stack.Attempt, h http.Header) {
		out := int64(5)
		if c.setup.Index == 0 {
			out = 100 // two seconds: this process always has something in flight
		}
		call := mockupstream.Call{ID: uint64(a.Request), Attempt: a.Number, In: 20, MaxOut: 100, Out: out}
		h.Set(mockupstream.CallHeader, call.Text())
	}
	if !c.setup.Alone {
		store, err := redisstore.Open(c.setup.Redis, redisstore.Config{Namespace: c.setup.Namespace})
		if err != nil {
			t.Fatal(err)
		}
		defer store.Close()
		cfg.Fleet = &stack.FleetConfig{Store: store, Lease: c.setup.Lease, Open: c.setup.Open, Processes: fleetSize, Name: fmt.Sprint("process-", c.setup.Index)}
	}
	client, err := stack.NewClient(cfg)
	if err != nil {
		t.Fatal(err)
	}
	c.client = client
	c.work()
	_ = client.Close()
	out, err := os.OpenFile("/dev/fd/3", os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.NewEncoder(out).Encode(c.calls); err != nil {
		t.Fatal(err)
	}
	_ = out.Close()
}

// work has the agents ask until the time is over, or the process is told to end.
func (c *child) work() {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	start := time.Unix(0, c.setup.Start)
	ctx, cancel := context.WithDeadline(ctx, start.Add(c.setup.For))
	defer cancel()
	id := uint64(c.setup.Index) << 40
	next := func() uint64 { id++; return id }
	type agent struct {
		at    time.Time
		class stack.Class
	}
	agents := make([]agent, c.setup.Agents)
	for i := range agents {
		spread := time.Duration(jitter.Hash(uint64(c.setup.Index), uint64(i), 7) % uint64(askEvery))
		agents[i] = agent{start.Add(spread), stack.Class(i % 2)} // P0 and P1
	}
	flood := 0
	for tick := time.NewTicker(5 * time.Millisecond); ctx.Err() == nil; <-tick.C {
		now := time.Now()
		for i := range agents {
			if a := &agents[i]; !now.Before(a.at) {
				c.ask(next(), i, a.class)
				a.at = a.at.Add(askEvery)
			}
		}
		// The flood's agents take turns. The others ask for a little of P2 too, for the order of the line to show.
		for due := int(now.Sub(start).Seconds() * float64(c.setup.Flood)); flood < due; flood++ {
			c.ask(next(), flood%fleetAgents, stack.P2)
		}
	}
}

func (c *child) ask(id uint64, agent int, class stack.Class) {
	c.client.Go(context.Background(), stack.Call{
		Request: stack.Request{ID: stack.RequestID(id), Agent: uint32(agent), Class: class, EstIn: 20, MaxOut: 100},
		Prompt:  &wire.Prompt{Messages: []wire.Message{{Role: "user", Text: "what do we know of this?"}}},
	}, nil)
}

func (*child) Sent(time.Duration, *stack.Attempt)               {}
func (*child) Ended(time.Duration, *stack.Attempt, *stack.Step) {}

// Done implements stack.Observer.
func (c *child) Done(_ time.Duration, r *stack.Result) {
	if r.Ending == stack.Cancelled {
		return // it had not ended when the time was over
	}
	at := func(d time.Duration) int64 { return c.origin.Add(d).UnixNano() }
	call := childCall{Class: r.Request.Class, Submitted: at(r.Submitted), Queued: r.Queued, Attempts: len(r.Steps), OK: r.Ending == stack.Succeeded}
	for _, s := range r.Steps {
		if s.Outcome.Status == http.StatusTooManyRequests {
			call.Refused++
		}
	}
	if len(r.Steps) > 0 {
		call.Sent = at(r.Steps[0].Sent)
	}
	c.mu.Lock()
	c.calls = append(c.calls, call)
	c.mu.Unlock()
}

// readCalls reads what a process tells at its end.
func readCalls(r io.Reader) (calls []childCall, err error) {
	err = json.NewDecoder(r).Decode(&calls)
	return calls, err
}
