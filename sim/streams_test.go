package sim

import (
	"context"
	"net/http"
	"os"
	"runtime/debug"
	"runtime/metrics"
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

// streamsScenario has no limits: it is about sockets. Heartbeats fill the wait for the first token; then
// a token every 100 ms is an event of its own.
const streamsScenario = `name: streams
duration: 10m
workload:
  profiles: {p: {class: P1, model: m, context: 100, output: 600, max_output: 600}}
  streams: {s: {profile: p, rate: 1}}
upstreams:
  v:
    models: {m: {heartbeat: 1s, latency: {base: 2500ms, per_prompt_token: 0s, per_output_token: 100ms, first_token_noise: 0, output_noise: 0, load: 0}}}
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
	if p.host, err = newMockHost(set, nil, see); err != nil {
		t.Fatal(err)
	}
	p.client, err = stack.NewClient(stack.ClientConfig{
		Stack: stackOf(set, 0), Endpoints: endpoints(set, p.host.url), Secrets: mockSecrets(set),
		Header: func(a *stack.Attempt, h http.Header) { // the model says all that it may
			call := mockupstream.Call{ID: uint64(a.Request), Attempt: a.Number, In: a.EstIn, MaxOut: a.MaxOut, Out: a.MaxOut}
			h.Set(mockupstream.CallHeader, call.Text())
		},
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
		defer debug.SetGCPercent(debug.SetGCPercent(400)) // as the command does on the wall clock
	}
	before := descriptors(t)
	var mu sync.Mutex
	first := make([]time.Duration, streams) // tokens, as planned
	p := newWallParts(t, streamsScenario, func(s mockupstream.Sighting) {
		mu.Lock()
		first[s.Ask.Call.ID-1] = s.Plan.FirstToken
		mu.Unlock()
	})
	at := make([][]time.Duration, streams) // arrival of each token, by stream
	heap := heapInUse()
	var wg sync.WaitGroup
	var held uint64
	for i := range streams {
		wg.Go(func() {
			time.Sleep(time.Duration(i) * time.Duration(tokens) * 10 * time.Millisecond / time.Duration(streams)) // not all in one instant
			at[i] = make([]time.Duration, 0, tokens)
			prompt := &wire.Prompt{Messages: []wire.Message{{Role: "user", Text: "stream " + strconv.Itoa(i)}}}
			call := stack.Call{Request: stack.Request{ID: stack.RequestID(i + 1), MaxOut: tokens}, Prompt: prompt}
			answer, err := p.client.Stream(context.Background(), call, func(piece stack.Piece) error {
				now := p.host.server.Now()
				for range len(piece.Text) / charsPerToken { // the mock's words are tokens; late ones may come together
					at[i] = append(at[i], now)
				}
				return nil
			})
			if err != nil || answer.Usage.Out != tokens || len(at[i]) != int(tokens) {
				t.Errorf("stream %d: %+v, %v", i, answer.Usage, err)
			}
		})
	}
	time.AfterFunc(time.Duration(tokens)*50*time.Millisecond, func() { held = heapInUse() }) // in the middle
	wg.Wait()
	p.close(t)
	lateness(t, at, first)
	if held > heap {
		t.Logf("memory of a stream, client and server: %d KiB", (held-heap)/uint64(streams)/1024)
	}
	goleak.VerifyNone(t)
	if after := descriptors(t); after > before+5 {
		t.Errorf("%d descriptors before, %d after", before, after)
	}
}

// lateness prints how long after its instant an event arrived. A token every 100 ms is an event.
func lateness(t *testing.T, at [][]time.Duration, first []time.Duration) {
	t.Helper()
	var late []time.Duration
	for i, events := range at {
		for k, e := range events {
			late = append(late, e-first[i]-time.Duration(k)*100*time.Millisecond)
		}
	}
	slices.Sort(late)
	if late[0] < 0 {
		t.Errorf("an event came %v before its instant", -late[0])
	}
	t.Logf("%d streams, %d events: late by p50 %v, p99 %v, max %v", len(at), len(late),
		late[len(late)/2].Round(time.Microsecond), late[len(late)*99/100].Round(time.Microsecond), late[len(late)-1].Round(time.Microsecond))
}

// heapInUse is the memory of heap and stacks as the runtime counts it, without a collection: that would
// be seen in the measurement.
func heapInUse() uint64 {
	list := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}, {Name: "/memory/classes/heap/stacks:bytes"}}
	metrics.Read(list)
	return list[0].Value.Uint64() + list[1].Value.Uint64()
}
