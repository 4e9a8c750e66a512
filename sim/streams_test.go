package sim

import (
	"context"
	"os"
	"runtime"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/seed-4fd17b57/simload/mockupstream"
	"github.com/seed-4fd17b57/simload/sim/scenario"
	"github.com/seed-4fd17b57/simload/stack"
	"github.com/seed-4fd17b57/simload/stack/wire"
	"go.uber.org/goleak"
)

// streamsScenario has no limits: it is about sockets. A token every 100 ms is an event of its own.
const streamsScenario = `name: streams
duration: 10m
workload:
  profiles: {p: {class: P1, model: m, context: 100, output: 600, max_output: 600}}
  streams: {s: {profile: p, rate: 1}}
upstreams:
  v:
    models: {m: {heartbeat: 50ms, latency: {base: 20ms, per_prompt_token: 0s, per_output_token: 100ms, first_token_noise: 0, output_noise: 0, load: 0}}}
    keys: {k: {limits: {"*": {}}}}
prices: {models: {m: {input: 1, output: 2}}}
stack: none
`

// socketsBench reports what is asked for by "make bench-wall"; without it the tests are small.
func socketsBench() bool { return os.Getenv("SIMLOAD_BENCH_WALL") != "" }

// wallParts are a mock on loopback and a client of it, that a test drives by hand.
type wallParts struct {
	host   *mockHost
	client *stack.Client
	set    *scenario.Built
}

func newWallParts(t *testing.T, text string, see func(mockupstream.Sighting)) *wallParts {
	t.Helper()
	sc, err := scenario.Parse("parts.yaml", []byte(text), nil)
	if err != nil {
		t.Fatal(err)
	}
	set, err := sc.Variants()[0].Build(1)
	if err != nil {
		t.Fatal(err)
	}
	p := &wallParts{set: set}
	if p.host, err = newMockHost(set, see); err != nil {
		t.Fatal(err)
	}
	p.client, err = stack.NewClient(stack.ClientConfig{
		Stack: stackOf(set, 0), Endpoints: endpoints(set, p.host.url), Secrets: mockSecrets(set),
	})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func (p *wallParts) close(t *testing.T) {
	t.Helper()
	if err := p.client.Close(); err != nil {
		t.Error(err)
	}
	if err := p.host.close(); err != nil {
		t.Error(err)
	}
}

func descriptors(t *testing.T) int {
	t.Helper()
	list, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Skip("no /proc/self/fd to count descriptors in: ", err)
	}
	return len(list)
}

// TestStreams: many streams of ten events a second with heartbeats. None is lost or cut, nothing is
// left behind, and how late events are is printed.
func TestStreams(t *testing.T) {
	streams, tokens := 50, int64(20)
	if socketsBench() {
		streams, tokens = 2000, 600
	}
	before := descriptors(t)
	var mu sync.Mutex
	first := map[uint64]time.Duration{} // planned, by call
	p := newWallParts(t, streamsScenario, func(s mockupstream.Sighting) {
		mu.Lock()
		first[s.Ask.Call.ID] = s.Plan.FirstToken
		mu.Unlock()
	})
	var at [][]time.Duration // arrival of the events, by stream
	at = make([][]time.Duration, streams)
	heap := heapInUse()
	var wg sync.WaitGroup
	var held uint64
	for i := range streams {
		wg.Go(func() {
			at[i] = make([]time.Duration, 0, tokens)
			prompt := &wire.Prompt{Messages: []wire.Message{{Role: "user", Text: "stream " + strconv.Itoa(i)}}}
			call := stack.Call{Request: stack.Request{ID: stack.RequestID(i + 1), MaxOut: tokens}, Prompt: prompt, Stream: true}
			answer, err := p.client.Stream(context.Background(), call, func(stack.Piece) error {
				at[i] = append(at[i], p.host.server.Now())
				return nil
			})
			if err != nil || answer.Usage.Out != tokens {
				t.Errorf("stream %d: %v", i, err)
			}
		})
	}
	time.AfterFunc(time.Duration(tokens)*50*time.Millisecond, func() { held = heapInUse() }) // in the middle
	wg.Wait()
	p.close(t)
	lateness(t, at, first, streams)
	if held > heap {
		t.Logf("memory of a stream, client and server: %d KiB", (held-heap)/uint64(streams)/1024)
	}
	goleak.VerifyNone(t)
	if after := descriptors(t); after > before+5 {
		t.Errorf("%d descriptors before, %d after", before, after)
	}
}

// lateness prints how long after its instant an event arrived. Which stream is which call is not
// known: both are in the order of their first tokens.
func lateness(t *testing.T, at [][]time.Duration, first map[uint64]time.Duration, streams int) {
	t.Helper()
	if len(first) != streams {
		t.Fatalf("%d streams, the mock saw %d", streams, len(first))
	}
	var planned []time.Duration
	for _, f := range first {
		planned = append(planned, f)
	}
	slices.Sort(planned)
	slices.SortFunc(at, func(a, b []time.Duration) int { return int(a[0] - b[0]) })
	var late []time.Duration
	for i, events := range at {
		for k, e := range events {
			late = append(late, max(0, e-planned[i]-time.Duration(k)*100*time.Millisecond))
		}
	}
	slices.Sort(late)
	t.Logf("%d streams, %d events: late by p50 %v, p99 %v, max %v", streams, len(late),
		late[len(late)/2].Round(time.Microsecond), late[len(late)*99/100].Round(time.Microsecond), late[len(late)-1].Round(time.Microsecond))
}

func heapInUse() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapInuse + m.StackInuse
}
