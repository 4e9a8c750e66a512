package sim

import (
	"context"
	"encoding/json"
	"math"
	"os"
	"os/exec"
	"slices"
	"testing"
	"time"

	"github.com/seed-4fd17b57/simload/mockupstream"
	"github.com/seed-4fd17b57/simload/stack"
	sharing "github.com/seed-4fd17b57/simload/stack/fleet"
	"github.com/seed-4fd17b57/simload/stack/redisstore"
	"github.com/seed-4fd17b57/simload/stack/redisstore/redistest"
)

// timetable of a fleet's run, from its start.
type timetable struct {
	kill, stop, resume, end time.Duration
	lease                   time.Duration
}

func (tt timetable) full() bool { return tt.end >= 2*time.Minute }

// processes is a fleet of real processes against one mock, sharing through one Redis server, or not at all.
type processes struct {
	t       *testing.T
	host    *mockHost
	redis   *redistest.Server // nil: they do not share
	start   time.Time
	cmds    []*exec.Cmd
	results chan []childCall
}

func newProcesses(t *testing.T, tt timetable, share bool) *processes {
	p := &processes{t: t, results: make(chan []childCall, fleetSize)}
	var err error
	p.host, err = newMockHost(fleetMock(), nil, func(mockupstream.Sighting) {})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = p.host.close() })
	if share {
		p.redis = redistest.Start(t)
	}
	p.start = time.Now().Add(1500 * time.Millisecond)
	for i := range fleetSize {
		p.begin(i, tt, share)
	}
	return p
}

// begin starts a process.
func (p *processes) begin(i int, tt timetable, share bool) {
	setup := childSetup{
		Index: i, Mock: p.host.url, Namespace: "fleet", Start: p.start.UnixNano(), For: tt.end, Lease: tt.lease, Alone: !share,
		Agents: fleetAgents, Flood: 0,
	}
	if i == flooder {
		setup.Agents, setup.Flood = 0, floodRate-(fleetSize-1)
	} else {
		setup.Flood = 1
	}
	if share {
		setup.Redis = p.redis.URL()
	}
	text, err := json.Marshal(setup)
	if err != nil {
		p.t.Fatal(err)
	}
	r, w, err := os.Pipe()
	if err != nil {
		p.t.Fatal(err)
	}
	cmd := exec.Command(os.Args[0], "-test.run=^TestFleetChild$", "-test.timeout=10m")
	cmd.Env = append(os.Environ(), childEnv+"="+string(text))
	cmd.ExtraFiles = []*os.File{w}
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		p.t.Fatal(err)
	}
	_ = w.Close()
	p.cmds = append(p.cmds, cmd)
	p.t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	go func() {
		calls, _ := readCalls(r) // of one that was killed: nothing
		_ = r.Close()
		p.results <- calls
	}()
}

// until waits for an instant of the timetable, and counts meanwhile what the mock has received, every tenth of a second.
func (p *processes) until(at time.Duration) (counts []int64) {
	last := p.host.server.Books().Received
	for end := p.start.Add(at); time.Now().Before(end); {
		time.Sleep(100 * time.Millisecond)
		n := p.host.server.Books().Received
		counts = append(counts, n-last)
		last = n
	}
	return counts
}

// gather waits for what all processes tell.
func (p *processes) gather() (all []childCall) {
	for range fleetSize {
		all = append(all, <-p.results...)
	}
	slices.SortFunc(all, func(a, b childCall) int { return int(a.Submitted - b.Submitted) })
	return all
}

// observer is a member of the fleet that only looks.
type observer struct {
	t     *testing.T
	store *redisstore.Store
	m     *sharing.Member
	start time.Time
}

func (p *processes) observer(lease time.Duration) *observer {
	store, err := redisstore.Open(p.redis.URL(), redisstore.Config{Namespace: "fleet"})
	if err != nil {
		p.t.Fatal(err)
	}
	p.t.Cleanup(func() { _ = store.Close() })
	cfg := fleetStack("http://x").Stack
	books := cfg.Fleet()
	books.Lease = lease
	start := time.Now()
	m, err := sharing.NewMember(books, sharing.MemberConfig{Name: "observer", Offset: time.Duration(start.UnixMicro()) * time.Microsecond})
	if err != nil {
		p.t.Fatal(err)
	}
	return &observer{p.t, store, m, start}
}

// look returns how many processes are alive and what is in flight, as the books have it.
func (o *observer) look() (members, inFlight int) {
	o.m.Wake()
	news := (*sharing.News)(nil)
	for try := range 3 {
		msg, ok := o.m.Begin(time.Since(o.start))
		if !ok {
			continue
		}
		msg.Known = 0 // tell all
		r, err := o.store.Exchange(context.Background(), msg)
		if err != nil {
			o.t.Fatalf("looking at the books, try %d: %v", try, err)
		}
		o.m.Heard(time.Since(o.start), &r)
		if told := o.m.Told(); told.News != nil {
			news = told.News
			break
		}
	}
	if news == nil {
		o.t.Fatal("the books tell no news")
	}
	return o.m.Members() - 1, news.Gates[0].InFlight
}

// sum is what the calls of a class came to.
type sum struct {
	calls, attempts, refused, failed int
	waits                            []time.Duration
}

func (s *sum) wait(percent int) time.Duration {
	if len(s.waits) == 0 {
		return 0
	}
	slices.Sort(s.waits)
	return s.waits[(len(s.waits)-1)*percent/100]
}

func sums(calls []childCall, keep func(*childCall) bool) (by [stack.NumClasses]sum, all sum) {
	for i := range calls {
		c := &calls[i]
		if !keep(c) {
			continue
		}
		for _, s := range []*sum{&by[c.Class], &all} {
			s.calls++
			s.attempts += c.Attempts
			s.refused += c.Refused
			s.waits = append(s.waits, c.Queued)
			if !c.OK {
				s.failed++
			}
		}
	}
	return by, all
}

// Eight processes with 250 agents each, on twenty keys, with a flood of P2 from one of them: 1.2 times the limits. They share
// through a real Redis server. INV-11: no key is above 80 % of its limit in any sliding minute, by the mock's books, and hardly
// anything is refused. INV-30: P0 does not wait behind the flood, and P2 goes in the order in which it came, whatever the process.
// kill -9 of a process: it leaves the books within the lease, and what it held with it. Redis stands still: nothing is sent, and then no storm.
func TestEightProcesses(t *testing.T) {
	notUnderRace(t)
	tt := timetable{kill: 9 * time.Second, stop: 15 * time.Second, resume: 19 * time.Second, end: 26 * time.Second, lease: 3 * time.Second}
	if os.Getenv("SIMLOAD_FULL") != "" {
		tt = timetable{kill: 100 * time.Second, stop: 120 * time.Second, resume: 130 * time.Second, end: 220 * time.Second, lease: 10 * time.Second}
	}
	p := newProcesses(t, tt, true)
	look := p.observer(tt.lease)
	p.until(tt.kill)
	members, held := look.look()
	if members != fleetSize || held == 0 {
		t.Errorf("%d members, %d in flight before the kill", members, held)
	}
	_ = p.cmds[0].Process.Kill()
	killed := time.Now()
	for members == fleetSize && time.Since(killed) < tt.lease+3*time.Second {
		time.Sleep(100 * time.Millisecond)
		members, _ = look.look()
	}
	freed := time.Since(killed)
	if members != fleetSize-1 || freed > tt.lease+2*time.Second {
		t.Errorf("%d members %v after the kill, lease %v", members, freed, tt.lease)
	}
	checkHeld(t, p.redis.URL(), "fleet")
	p.until(tt.stop)
	p.redis.Stop()
	silence := p.until(tt.resume)
	p.redis.Continue()
	after := p.until(min(tt.resume+5*time.Second, tt.end))
	p.until(tt.end)
	calls := p.gather()
	time.Sleep(200 * time.Millisecond)
	members, held = look.look()
	if members != 0 || held != 0 {
		t.Errorf("at the end the books have %d members and %d in flight (INV-21)", members, held)
	}
	p.judgeOutage(silence, after)
	p.judge(tt, calls)
	t.Logf("freed %.1f s after kill -9, lease %v; in each tenth of a second of the silence %v, and after it %v", freed.Seconds(), tt.lease, silence, after)
}

// fleetRate is what the fleet may send in a second when the limits bind: 80 % of them over 62 s.
const fleetRate = float64(fleetKeys) * fleetRPM * .8 / 62

// judgeOutage: closed, nothing is sent without the books but what was granted before, and when they are back the fleet
// goes on at its smooth rate, without a burst: no storm.
func (p *processes) judgeOutage(silence, after []int64) {
	var sent, most int64
	for i, n := range silence {
		if i >= 10 { // a second for what was on its way
			sent += n
		}
	}
	if sent > 0 {
		p.t.Errorf("%d sent while the store was gone: %v", sent, silence)
	}
	for i := range after {
		n := int64(0)
		for _, m := range after[i:min(len(after), i+10)] {
			n += m
		}
		most = max(most, n)
	}
	// Of each key what its rate makes of a second, and one more for where the second begins; and P0 has its part of the
	// burst, half a second's worth. A burst would be five seconds' worth: 310.
	perKey := fleetRate / fleetKeys
	if bound := int64(fleetKeys * (math.Floor(perKey) + 1 + math.Ceil(perKey/2))); most > bound {
		p.t.Errorf("%d in one second after the store was back, at most %d: %v", most, bound, after)
	}
	if len(after) > 30 && most == 0 {
		p.t.Error("nothing is sent after the store is back")
	}
}

// judge holds the run to what is promised of it.
func (p *processes) judge(tt timetable, calls []childCall) {
	t, b := p.t, p.host.server.Books()
	by, all := sums(calls, func(*childCall) bool { return true })
	// Those of the outage waited for the store.
	from, to := p.start.Add(tt.stop).UnixNano(), p.start.Add(tt.resume+3*time.Second).UnixNano()
	calm, _ := sums(calls, func(c *childCall) bool { return c.Submitted < from-int64(time.Second) || c.Submitted > to })
	if float64(b.Refused429) > .005*float64(b.Received) {
		t.Errorf("%d of %d refused", b.Refused429, b.Received)
	}
	capacity := int64(fleetRPM * 8 / 10)
	worst := int64(0)
	for i, q := range b.Quotas {
		worst = max(worst, q.PeakRequests)
		total := int64(0)
		for _, m := range q.Minutes {
			total += m.Requests
		}
		if most := capacity*int64((tt.end+8*time.Second)/time.Second)/62 + 1; total > most {
			t.Errorf("key %d: %d requests in %v, the schedule allows %d", i, total, tt.end, most)
		}
	}
	if worst > capacity {
		t.Errorf("%d requests on one key in a sliding minute, at most %d (INV-11)", worst, capacity)
	}
	if served := float64(b.Received) / (tt.end - (tt.resume - tt.stop)).Seconds(); tt.full() && served < fleetRate*.9 {
		t.Errorf("%.1f requests/s, want nearly %.1f (INV-13)", served, fleetRate*.9)
	}
	for class := range by {
		s := &calm[class]
		t.Logf("%v: %d ended, waits p50 %v, p95 %v, p99 %v; %d refused", stack.Class(class), by[class].calls, s.wait(50), s.wait(95), s.wait(99), by[class].refused)
	}
	t.Logf("mock: %d received, %d refused; worst sliding minute of a key %d of %d; %d attempts", b.Received, b.Refused429, worst, fleetRPM, all.attempts)
	if by[stack.P0].calls < 50 || by[stack.P0].failed > 0 {
		t.Errorf("of %d P0 %d failed", by[stack.P0].calls, by[stack.P0].failed)
	}
	if w := calm[stack.P0].wait(95); w > time.Second || w > calm[stack.P2].wait(50) {
		t.Errorf("P0 waits %v at the 95th percentile, P2 %v at the 50th", w, calm[stack.P2].wait(50))
	}
	p.judgeOrder(calls)
}

// judgeOrder: what came a second later is not sent a second earlier (INV-30). A second is for the ways to the books, and for clocks.
func (p *processes) judgeOrder(calls []childCall) {
	const tolerance = int64(time.Second)
	var p2 []childCall
	for _, c := range calls {
		if c.Class == stack.P2 && c.Sent > 0 && c.Attempts == 1 {
			p2 = append(p2, c)
		}
	}
	latest, j, wrong := int64(0), 0, 0
	for i := range p2 { // by the instant of submission
		for ; j < i && p2[j].Submitted+tolerance < p2[i].Submitted; j++ {
			latest = max(latest, p2[j].Sent)
		}
		if p2[i].Sent+tolerance < latest {
			wrong++
		}
	}
	if wrong > 0 || len(p2) < 100 {
		p.t.Errorf("%d of %d P2 overtook others (INV-30)", wrong, len(p2))
	}
}

// The same fleet without sharing breaks the limits: each process takes them for its own. In real time it takes minutes until the mock's
// buckets are empty and it refuses; the claim shared-limits shows the same in virtual time.
func TestEightProcessesAlone(t *testing.T) {
	if os.Getenv("SIMLOAD_FULL") == "" {
		t.Skip("minutes of real time: SIMLOAD_FULL=1; the claim shared-limits is the same in virtual time")
	}
	tt := timetable{end: 400 * time.Second} // the mock's buckets are full at first: at 1.2 times their rate they last for 300 s
	p := newProcesses(t, tt, false)
	calls := p.gather()
	b := p.host.server.Books()
	_, all := sums(calls, func(*childCall) bool { return true })
	worst := int64(0)
	for _, q := range b.Quotas {
		worst = max(worst, q.PeakRequests)
	}
	t.Logf("mock: %d received, %d refused (%.1f %%); worst sliding minute of a key %d of %d; %d attempts",
		b.Received, b.Refused429, 100*float64(b.Refused429)/float64(b.Received), worst, fleetRPM, all.attempts)
	if worst <= fleetRPM || b.Refused429 == 0 {
		t.Errorf("the fleet kept the limits without sharing them: worst minute %d, %d refused", worst, b.Refused429)
	}
}
