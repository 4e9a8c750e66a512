package mockupstream

import (
	"bufio"
	"context"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// event is one event of a stream, and the server's instant when the client had all of it.
type event struct {
	text string
	at   time.Duration
}

// events reads a stream to its end.
func (h *host) events(body io.Reader) (list []event) {
	in := bufio.NewReader(body)
	for text := ""; ; {
		line, err := in.ReadString('\n')
		if err != nil {
			return list
		}
		if text += line; line == "\n" {
			list = append(list, event{text, h.Now()})
			text = ""
		}
	}
}

// TestServerPace: the events of a stream come in the order of the plan, each at its instant or
// later, and their contents follow from the plan alone.
func TestServerPace(t *testing.T) {
	cfg := brisk(DialectOpenAI)
	h := launch(t, ServerConfig{Provider: cfg, ChunkEvery: 7 * tms})
	var bodies []string
	for range 2 {
		resp, err := h.client.Do(h.request(context.Background(), hello, true))
		if err != nil {
			t.Fatal(err)
		}
		got := h.events(resp.Body)
		resp.Body.Close()
		plan := h.over().Plan
		p := newPace(&plan, 40, 7*tms)
		var planned []time.Duration
		for p.sent < 40 {
			planned = append(planned, p.at)
			p.step()
		}
		// One event opens the stream; finish_reason, usage and [DONE] close it.
		if len(planned) != 7 || len(got) != 1+len(planned)+3 {
			t.Fatalf("%d events, %d planned:\n%v", len(got), len(planned), got)
		}
		text := ""
		for i, e := range got {
			text += e.text[strings.Index(e.text, "choices")+1:]
			if at := planned[min(max(0, i-1), len(planned)-1)]; e.at < at {
				t.Errorf("event %d came at %v, planned for %v", i, e.at, at)
			}
		}
		bodies = append(bodies, text)
	}
	if bodies[0] != bodies[1] {
		t.Errorf("the same call is told in two ways:\n%s\n%s", bodies[0], bodies[1])
	}
}

// TestServerHeartbeats: signs of life fill the silence before the first token and between slow ones,
// as many as the plan asks for, and keep coming when a stream stalls.
func TestServerHeartbeats(t *testing.T) {
	cfg := brisk(DialectOpenAI)
	cfg.Models[0].Latency.PerOutputToken = 25 * tms
	cfg.Models[0].Heartbeat = 8 * tms
	h := launch(t, ServerConfig{Provider: cfg})
	a := Ask{Stream: true}
	beat := string(h.term.Load().codec.Beat(nil, &a))
	if beat == "" {
		t.Fatal("no heartbeat in OpenAI's form")
	}
	// 2 in the 20 ms before the first token, 3 before each of the next two.
	if got := h.ask(Call{ID: 1, Attempt: 1, Out: 3, MaxOut: 3}, true); strings.Count(got.body, beat) != 8 || !strings.HasPrefix(got.body, beat+beat+"data:") {
		t.Errorf("%d heartbeats, want 8:\n%s", strings.Count(got.body, beat), got.body)
	}
	if got := h.ask(Call{ID: 2, Attempt: 1, Out: 3, MaxOut: 3}, false); strings.Contains(got.body, beat) || got.err != nil {
		t.Errorf("heartbeats in an answer that is no stream: %s", got.body)
	}
	h.over()
	h.over()
	cfg.Faults = []Fault{{Kind: FaultStall, For: time.Hour, Share: 1}}
	h = launch(t, ServerConfig{Provider: cfg})
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	resp, err := h.client.Do(h.request(ctx, Call{ID: 1, Attempt: 1, Out: 3, MaxOut: 3}, true))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	in, beats := bufio.NewReader(resp.Body), 0
	for beats < 10 {
		line, err := in.ReadString('\n')
		if err != nil {
			t.Fatalf("after %d heartbeats: %v", beats, err)
		}
		if line == strings.TrimSuffix(beat, "\n") {
			beats++
		}
	}
	cancel()
	if seen := h.over(); !seen.Gone || seen.Used.Out != 2 {
		t.Errorf("%+v", seen)
	}
}

// TestServerSlowReader: a client that does not read holds nothing for longer than the write timeout;
// one whose answer takes longer than that is not harmed, nor is the next call on its connection.
func TestServerSlowReader(t *testing.T) {
	cfg := brisk(DialectOpenAI)
	cfg.Models[0].Latency = Latency{Base: 100 * tms, PerOutputToken: 100}
	h := launch(t, ServerConfig{Provider: cfg, ChunkEvery: 1, WriteTimeout: 50 * tms})
	for i := range uint64(2) {
		if got := h.ask(Call{ID: i, Attempt: 1, Out: 2, MaxOut: 2}, i == 0); got.status != 200 || got.err != nil {
			t.Fatalf("status %d, error %v", got.status, got.err)
		}
		h.over()
	}
	c := h.dial()
	defer c.Close()
	if err := c.SetReadBuffer(4 << 10); err != nil {
		t.Fatal(err)
	}
	if err := h.request(context.Background(), Call{ID: 3, Attempt: 1, Out: 1e6, MaxOut: 1e6}, true).Write(c); err != nil {
		t.Fatal(err)
	}
	if seen := h.over(); !seen.Gone || seen.Plan.Status != 200 || seen.Ended < 150*tms {
		t.Errorf("gone %v after %v", seen.Gone, seen.Ended) // how much was billed depends on the buffers in between
	}
	if b := h.Books(); b.Running != 0 || b.Received != 3 {
		t.Errorf("%d of %d calls run", b.Running, b.Received)
	}
}

// TestServerH2C: HTTP/2 without TLS; what ends a connection ends one stream there.
func TestServerH2C(t *testing.T) {
	cfg := brisk(DialectOpenAI)
	cfg.Faults = []Fault{
		{Kind: FaultRefuseConnection, Share: 1, Keys: []int{1}, For: time.Hour},
		{Kind: FaultBrokenStream, Share: 1, Keys: []int{2}, For: time.Hour},
		{Kind: FaultBlackhole, Share: 1, Keys: []int{3}, For: time.Hour},
	}
	for _, id := range []string{"refused", "broken", "hanging"} {
		cfg.Keys = append(cfg.Keys, Key{ID: id, Quotas: []int{0}})
	}
	h := launch(t, ServerConfig{Provider: cfg, WriteTimeout: 10 * tms})
	h.client.Transport.(*http.Transport).Protocols = new(http.Protocols)
	h.client.Transport.(*http.Transport).Protocols.SetUnencryptedHTTP2(true)
	as := func(key string, ctx context.Context, stream bool) *http.Request {
		r := h.request(ctx, hello, stream)
		r.Header.Set("Authorization", "Bearer "+key)
		return r
	}
	for _, stream := range []bool{true, false} {
		if got := h.ask(hello, stream); got.status != 200 || got.err != nil || usageOf(t, got.body) != (Usage{In: 100, Out: 40}) {
			t.Errorf("stream %v: status %d, error %v: %s", stream, got.status, got.err, got.body)
		}
		if got := h.send(as("refused", context.Background(), stream)); got.err == nil {
			t.Errorf("stream %v: refused with status %d", stream, got.status)
		}
		if got := h.send(as("broken", context.Background(), stream)); got.status != 200 || got.err == nil || got.body == "" {
			t.Errorf("stream %v: broken with status %d, %q", stream, got.status, got.body)
		}
	}
	for range 6 {
		if seen := h.over(); seen.Gone {
			t.Errorf("taken for gone: %+v", seen)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	answered := make(chan heard)
	go func() { answered <- h.send(as("hanging", ctx, true)) }()
	h.await("the call", func() bool { return h.Books().Running == 1 })
	cancel()
	<-answered
	if seen := h.over(); !seen.Gone {
		t.Errorf("%+v", seen)
	}
	resp, err := h.client.Get(h.url + "/healthz")
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if resp.ProtoMajor != 2 || resp.StatusCode != 200 {
		t.Errorf("%s, status %d", resp.Proto, resp.StatusCode)
	}
}

// TestPace: whatever the plan, the events hold each token once, in order, none before it is made
// and none later than the grain after it; they keep their distance, and the last is at the end.
func TestPace(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		plan := Plan{FirstToken: time.Duration(rapid.Int64Range(0, 1e12).Draw(t, "first"))}
		out := rapid.Int64Range(0, 500).Draw(t, "out")
		length := rapid.SampledFrom([]int64{0, 1, 1e3, 1e9, 1e14}).Draw(t, "scale")
		plan.End = plan.FirstToken + time.Duration(rapid.Int64Range(0, length).Draw(t, "length"))
		every := time.Duration(rapid.Int64Range(1, max(1, length)).Draw(t, "every"))
		p := newPace(&plan, out, every)
		last := plan.FirstToken - every
		for sent, events := int64(0), 0; ; events++ {
			at := p.at
			from, to := p.step()
			if from != sent || to < from || to == from && out > 0 && at < plan.End || at < plan.FirstToken || at > plan.End {
				t.Fatalf("event %d at %v of %v: tokens %d to %d, %d sent", events, at, plan.End, from, to, sent)
			}
			if at < plan.End && at-last < every {
				t.Fatalf("event %d at %v, the last one at %v", events, at, last)
			}
			if from < to && (at < p.made(to) || at-p.made(from+1) >= every && at-p.made(from+1) > 0) {
				t.Fatalf("event %d at %v: its tokens are made from %v to %v", events, at, p.made(from+1), p.made(to))
			}
			if sent, last = to, at; at == plan.End {
				break
			}
		}
		if p.sent != out {
			t.Fatalf("%d tokens sent of %d", p.sent, out)
		}
	})
}

// TestPaceOfHugeStreams: no overflow.
func TestPaceOfHugeStreams(t *testing.T) {
	p := newPace(&Plan{FirstToken: ts, End: 1e6 * time.Hour}, maxLimit, 1)
	if got := p.made(maxLimit); got != 1e6*time.Hour {
		t.Errorf("the last token is made at %v", got)
	}
	if got, want := p.made(maxLimit/2), 500_000*time.Hour; got < want-ts || got > want+ts {
		t.Errorf("the middle one is made at %v, want about %v", got, want)
	}
}
