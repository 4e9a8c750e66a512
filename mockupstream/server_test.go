package mockupstream

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"
)

// host is a server on loopback, and a client of it.
type host struct {
	*Server
	t      testing.TB
	url    string
	seen   chan Sighting // of calls that are over
	client *http.Client
	stop   func() // ends the server and waits for it
}

// launch starts a server that the test's end stops. Then nothing may be left.
func launch(t testing.TB, cfg ServerConfig) *host {
	t.Helper()
	before := goleak.IgnoreCurrent()
	h := &host{t: t, seen: make(chan Sighting, 1000), client: &http.Client{Transport: &http.Transport{}}}
	cfg.Observe = func(s Sighting) { h.seen <- s }
	var err error
	if h.Server, err = NewServer(cfg); err != nil {
		t.Fatal(err)
	}
	l, err := Listen("127.0.0.1:0", false)
	if err != nil {
		t.Fatal(err)
	}
	h.url = "http://" + l.Addr().String()
	ctx, cancel := context.WithCancel(context.Background())
	served := make(chan error, 1)
	go func() { served <- h.Serve(ctx, l) }()
	h.stop = sync.OnceFunc(func() {
		cancel()
		if err := <-served; err != nil {
			t.Errorf("Serve: %v", err)
		}
	})
	t.Cleanup(func() {
		h.client.CloseIdleConnections()
		h.stop()
		if n := h.Books().Running; n != 0 {
			t.Errorf("%d calls still run", n)
		}
		goleak.VerifyNone(t, before)
	})
	return h
}

// brisk is a provider that answers in 20 ms and 1 ms a token, and refuses in 1 ms.
func brisk(d Dialect) Config {
	cfg := single(0, 0)
	cfg.Models[0].Dialect = d
	cfg.Models[0].Latency = Latency{Base: 20 * tms, PerOutputToken: tms, Refusal: tms}
	return cfg
}

// request is a call in OpenAI's form.
func (h *host) request(ctx context.Context, c Call, stream bool) *http.Request {
	body := fmt.Sprintf(`{"model":"m","stream":%v,"stream_options":{"include_usage":true},"messages":[{"role":"user","content":"hello"}]}`, stream)
	if !stream {
		body = `{"model":"m","messages":[{"role":"user","content":"hello"}]}`
	}
	r, err := http.NewRequestWithContext(ctx, "POST", h.url+"/v1/chat/completions", strings.NewReader(body))
	if err != nil {
		panic(err)
	}
	r.Header.Set("Authorization", "Bearer k")
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set(CallHeader, c.Text())
	return r
}

// heard is what a client saw of a call.
type heard struct {
	status int
	header http.Header
	body   string
	err    error
}

// ask sends a call and reads the answer to its end.
func (h *host) ask(c Call, stream bool) (a heard) {
	return h.send(h.request(context.Background(), c, stream))
}

func (h *host) send(r *http.Request) (a heard) {
	resp, err := h.client.Do(r)
	if err != nil {
		return heard{err: err}
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	return heard{resp.StatusCode, resp.Header, string(body), err}
}

// over returns the next call that is over.
func (h *host) over() Sighting {
	h.t.Helper()
	select {
	case s := <-h.seen:
		return s
	case <-time.After(20 * time.Second):
		h.t.Fatal("no call came to an end")
		panic("unreachable")
	}
}

// await waits for what nobody tells.
func (h *host) await(what string, is func() bool) {
	h.t.Helper()
	for range 20_000 {
		if is() {
			return
		}
		time.Sleep(tms)
	}
	h.t.Fatalf("waited in vain for %s", what)
}

// usageOf returns the last usage that is told in an answer, a stream or not.
func usageOf(t testing.TB, body string) (u Usage) {
	t.Helper()
	for line := range strings.SplitSeq(body, "\n") {
		var v struct {
			Usage *struct {
				In      int64 `json:"prompt_tokens"`
				Out     int64 `json:"completion_tokens"`
				Details struct {
					Cached int64 `json:"cached_tokens"`
				} `json:"prompt_tokens_details"`
			} `json:"usage"`
		}
		line = strings.TrimPrefix(line, "data: ")
		if json.Unmarshal([]byte(line), &v) == nil && v.Usage != nil {
			u = Usage{In: v.Usage.In, Cached: v.Usage.Details.Cached, Out: v.Usage.Out}
		}
	}
	return u
}

var hello = Call{ID: 1, Attempt: 1, In: 100, MaxOut: 100, Out: 40}

// TestServerFates: what a client sees of each fate, streamed and not, and how it is billed.
func TestServerFates(t *testing.T) {
	half := Usage{In: 100, Out: 20}
	for name, c := range map[string]struct {
		fault  Fault
		stream bool
		status int
		err    error
		has    string // in the body
		hasNot string
		used   Usage
	}{
		"answer":         {status: 200, has: `"finish_reason":"stop"`, used: Usage{In: 100, Out: 40}},
		"stream":         {stream: true, status: 200, has: "data: [DONE]", used: Usage{In: 100, Out: 40}},
		"429":            {fault: Fault{Kind: FaultBurst429, RetryAfter: 7 * ts}, status: 429, has: "rate_limit_exceeded"},
		"429 for stream": {fault: Fault{Kind: FaultBurst429, RetryAfter: 7 * ts}, stream: true, status: 429, has: "rate_limit_exceeded"},
		"503":            {fault: Fault{Kind: FaultError, Status: 503}, status: 503, has: "error"},
		"refused":        {fault: Fault{Kind: FaultRefuseConnection}, err: syscall.ECONNRESET},
		"break":          {fault: Fault{Kind: FaultBrokenStream}, status: 200, err: io.ErrUnexpectedEOF, has: "{", used: half},
		"stream breaks":  {fault: Fault{Kind: FaultBrokenStream}, stream: true, status: 200, err: io.ErrUnexpectedEOF, has: "data: {", hasNot: "[DONE]", used: half},
		"late error":     {fault: Fault{Kind: FaultStreamError, Status: 503}, status: 200, has: `"error"`, hasNot: "finish_reason", used: half},
		"stream error":   {fault: Fault{Kind: FaultStreamError, Status: 503}, stream: true, status: 200, has: `"error"`, hasNot: "[DONE]", used: half},
	} {
		t.Run(name, func(t *testing.T) {
			cfg := brisk(DialectOpenAI)
			if c.fault.Kind != 0 || c.fault.RetryAfter != 0 {
				c.fault.For, c.fault.Share = time.Hour, 1
				cfg.Faults = []Fault{c.fault}
			}
			h := launch(t, ServerConfig{Provider: cfg})
			got := h.ask(hello, c.stream)
			if got.status != c.status || !errors.Is(got.err, c.err) {
				t.Errorf("status %d, error %v; want %d, %v", got.status, got.err, c.status, c.err)
			}
			if !strings.Contains(got.body, c.has) || c.hasNot != "" && strings.Contains(got.body, c.hasNot) {
				t.Errorf("must hold %q and not %q:\n%s", c.has, c.hasNot, got.body)
			}
			if c.status == 429 && got.header.Get("Retry-After") != "7" {
				t.Errorf("Retry-After %q, want 7", got.header.Get("Retry-After"))
			}
			if seen := h.over(); seen.Used != c.used || seen.Gone || seen.Ended < seen.Plan.End {
				t.Errorf("used %+v, gone %v, ended at %v of %v; want %+v", seen.Used, seen.Gone, seen.Ended, seen.Plan.End, c.used)
			}
			if c.status == 200 && c.err == nil && c.hasNot == "" && usageOf(t, got.body) != c.used {
				t.Errorf("told usage %+v, billed %+v", usageOf(t, got.body), c.used)
			}
		})
	}
}

// TestServerSilence: calls that are never answered, or not to the end, last until the client goes, and
// then hold nothing any more.
func TestServerSilence(t *testing.T) {
	for name, c := range map[string]struct {
		fault  Fault
		stream bool
		used   Usage
	}{
		"black hole":        {fault: Fault{Kind: FaultBlackhole}},
		"black hole stream": {fault: Fault{Kind: FaultBlackhole}, stream: true},
		"stall":             {fault: Fault{Kind: FaultStall}, used: Usage{In: 100, Out: 20}},
		"stalled stream":    {fault: Fault{Kind: FaultStall}, stream: true, used: Usage{In: 100, Out: 20}},
		"slow first token":  {fault: Fault{Kind: FaultSlowdown, Factor: 1e5}},
		"slow, streamed":    {fault: Fault{Kind: FaultSlowdown, Factor: 1e5}, stream: true},
	} {
		t.Run(name, func(t *testing.T) {
			cfg := brisk(DialectOpenAI)
			c.fault.For, c.fault.Share = time.Hour, 1
			cfg.Faults = []Fault{c.fault}
			h := launch(t, ServerConfig{Provider: cfg})
			ctx, cancel := context.WithCancel(context.Background())
			defer cancel()
			answered := make(chan heard)
			go func() { answered <- h.send(h.request(ctx, hello, c.stream)) }()
			h.await("the call", func() bool { return h.Books().Running == 1 })
			if c.fault.Kind == FaultStall {
				h.await("the half", func() bool { return h.Now() > 60*tms })
			}
			cancel()
			if got := <-answered; !errors.Is(got.err, context.Canceled) {
				t.Errorf("status %d, error %v before the client gave up", got.status, got.err)
			}
			if seen := h.over(); !seen.Gone || seen.Used != c.used {
				t.Errorf("gone %v, used %+v; want true, %+v", seen.Gone, seen.Used, c.used)
			}
			if b := h.Books(); b.Running != 0 || b.Billed != c.used {
				t.Errorf("books %+v", b)
			}
		})
	}
}

// TestServerQueue: DeepSeek's waiting line: fillers while a call waits, and a closed connection once
// it has waited for too long.
func TestServerQueue(t *testing.T) {
	for _, stream := range []bool{true, false} {
		t.Run(fmt.Sprint("stream ", stream), func(t *testing.T) {
			cfg := brisk(DialectDeepSeek)
			cfg.Models[0].Capacity = []CapacityStep{{0, 1}}
			cfg.Models[0].MaxWait = 100 * tms
			h := launch(t, ServerConfig{Provider: cfg, FillEvery: 30 * tms})
			long := hello
			long.Out, long.MaxOut = 50_000, 50_000
			ctx, cancel := context.WithCancel(context.Background())
			first := make(chan heard)
			go func() { first <- h.send(h.request(ctx, long, true)) }()
			h.await("the first call", func() bool { return h.Books().Running == 1 })
			got := h.ask(Call{ID: 2, Attempt: 1}, stream)
			if got.status != 200 || !errors.Is(got.err, io.ErrUnexpectedEOF) {
				t.Errorf("status %d, error %v; want 200, %v", got.status, got.err, io.ErrUnexpectedEOF)
			}
			filler := DialectDeepSeek.Filler(stream)
			if want := strings.Repeat(filler, 3); got.body != want {
				t.Errorf("body %q, want %q", got.body, want)
			}
			if seen := h.over(); seen.Plan.Fate != FateClosed || seen.Gone || seen.Used != (Usage{}) {
				t.Errorf("%+v", seen)
			}
			cancel()
			<-first
			if b := h.Books(); b.Admitted != 1 || b.Faulted != 1 {
				t.Errorf("%d admitted, %d not carried out; want 1 of each", b.Admitted, b.Faulted)
			}
		})
	}
}

// TestServerFreesBeforeTheEnd: with room for one call at a time, a client that sends the next one as soon as it
// has the last byte of the one before is never refused.
func TestServerFreesBeforeTheEnd(t *testing.T) {
	cfg := brisk(DialectOpenAI)
	cfg.Models[0].Capacity = []CapacityStep{{0, 1}}
	cfg.Models[0].Latency = Latency{Base: tms}
	h := launch(t, ServerConfig{Provider: cfg})
	for i := range uint64(100) {
		if got := h.ask(Call{ID: i, Attempt: 1, Out: 2, MaxOut: 2}, i%2 == 0); got.status != 200 || got.err != nil {
			t.Fatalf("call %d: status %d, error %v: %s", i, got.status, got.err, got.body)
		}
	}
}

// TestServerResets: a call that runs over a reset ends on the provider that it began on.
func TestServerResets(t *testing.T) {
	cfg := brisk(DialectOpenAI)
	cfg.Quotas[0].RPM = 1
	h := launch(t, ServerConfig{Provider: cfg})
	old := h.Server.term.Load()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	long := hello
	long.Out, long.MaxOut = 50_000, 50_000
	answered := make(chan heard)
	go func() { answered <- h.send(h.request(ctx, long, true)) }()
	h.await("the call", func() bool { return h.Books().Running == 1 })
	r, _ := http.NewRequest("POST", h.url+"/reset", nil)
	if got := h.send(r); got.status != 204 {
		t.Fatalf("reset: status %d, %v", got.status, got.err)
	}
	if b := h.Books(); b.Received != 0 || b.Running != 0 {
		t.Errorf("after the reset: %+v", b)
	}
	if got := h.ask(hello, false); got.status != 200 {
		t.Errorf("the new provider has used up its limit: %d %s", got.status, got.body)
	}
	if seen := h.over(); seen.Plan.At > old.now() || seen.Gone {
		t.Errorf("%+v", seen)
	}
	cancel()
	<-answered
	if seen := h.over(); !seen.Gone {
		t.Errorf("%+v", seen)
	}
	if b := old.books(); b.Received != 1 || b.Running != 0 {
		t.Errorf("the old provider: %+v", b)
	}
}

// TestServerRetries: a client that does not say that it tries again is found out by its words, and the
// fault that met its first attempt is drawn anew.
func TestServerRetries(t *testing.T) {
	cfg := brisk(DialectOpenAI)
	cfg.Faults = []Fault{{Kind: FaultBurst429, For: time.Hour, Share: .5, RetryAfter: ts}}
	h := launch(t, ServerConfig{Provider: cfg})
	refused := 0
	for i := range 20 {
		for {
			r := h.request(context.Background(), Call{}, false)
			r.Header.Del(CallHeader)
			r.Body = io.NopCloser(strings.NewReader(fmt.Sprintf(`{"model":"m","max_tokens":1,"messages":[{"role":"user","content":"question %d"}]}`, i)))
			r.ContentLength = -1
			if h.send(r).status == 200 {
				break
			}
			refused++
		}
	}
	b := h.Books()
	if refused == 0 || b.Refused429 != int64(refused) || b.EarlyRetries != int64(refused) || b.Received != int64(20+refused) {
		t.Errorf("%d refused, books: %d of %d received, %d early retries", refused, b.Refused429, b.Received, b.EarlyRetries)
	}
}

// TestHistorySteps: what comes after a failure is its retry, what comes after an answer is new, and a write is
// another one only after an answer.
func TestHistorySteps(t *testing.T) {
	type step struct {
		at      time.Duration
		end     string // "ok" or "bad": of the call that came so many steps before; "": it is under way
		back    int
		said    int // attempt, as the client says it; 0: 1
		attempt int
		id      uint64 // which logical request it is
		write   uint64
	}
	for name, steps := range map[string][]step{
		"answers": {
			{attempt: 1, id: 0, write: 0}, {end: "ok", back: 1, attempt: 1, id: 1, write: 1}, {end: "ok", back: 1, attempt: 1, id: 2, write: 2},
		},
		"failures": {
			{attempt: 1},
			{at: ts, end: "bad", back: 1, attempt: 2},
			{at: 2 * ts, end: "bad", back: 1, attempt: 3},
			{at: 3 * ts, end: "ok", back: 1, attempt: 1, id: 1, write: 1},
			{at: 4 * ts, end: "bad", back: 1, attempt: 2, id: 1, write: 1},
		},
		"a failure long ago":           {{attempt: 1}, {at: ts, end: "bad", back: 1, attempt: 2}, {at: 2*ts + retryWithin, attempt: 1, id: 1}},
		"a failure just as long ago":   {{attempt: 1}, {at: ts, end: "bad", back: 1, attempt: 2}, {at: 2 * ts, end: "bad", back: 1, attempt: 3}},
		"hedges":                       {{attempt: 1}, {attempt: 1, id: 1}, {end: "ok", back: 2, attempt: 1, id: 2, write: 1}},
		"two fail":                     {{attempt: 1}, {attempt: 1, id: 1}, {end: "bad", back: 2, attempt: 2}, {end: "bad", back: 2, attempt: 2, id: 1}},
		"a retry ahead of the news":    {{attempt: 1}, {said: 2, attempt: 2}, {said: 3, attempt: 3}},
		"an answer that was not heard": {{attempt: 1}, {end: "ok", back: 1, said: 2, attempt: 2}, {end: "ok", back: 1, attempt: 1, id: 1, write: 2}},
		"a client that counts":         {{attempt: 1}, {end: "bad", back: 1, said: 2, attempt: 2}, {end: "bad", back: 1, said: 7, attempt: 7}},
		"a first one that is a second": {{said: 2, attempt: 2}, {said: 3, attempt: 3}},
	} {
		const body = 77
		var h history
		var calls []Call
		for i, s := range steps {
			if s.end != "" {
				h.note(s.at, body, &calls[i-s.back], s.end == "ok")
			}
			c := Call{ID: body, Attempt: max(1, s.said), Write: true}
			if h.identify(s.at, &c) != body || c.Attempt != s.attempt || c.ID != nth(body, s.id) || c.WriteID != nth(body, s.write) {
				t.Errorf("%s, step %d: %+v, want attempt %d, the request %x and the write %x", name, i, c, s.attempt, nth(body, s.id), nth(body, s.write))
			}
			calls = append(calls, c)
		}
	}
}

// TestHistoryIsBounded: bodies that were not heard of for long are forgotten, and never have an
// identity again that they had before.
func TestHistoryIsBounded(t *testing.T) {
	var h history
	seen := map[uint64]bool{}
	for round := range 3 {
		for i := range uint64(2*pastMost + 1) {
			c := Call{ID: i + 1, Attempt: 1, Write: true}
			h.note(0, h.identify(0, &c), &c, true)
			if i%1000 != 0 {
				continue
			}
			if seen[c.ID] || seen[c.WriteID+1<<63] || c.Attempt != 1 {
				t.Fatalf("round %d: body %d has the identity %x or the write %x again", round, i, c.ID, c.WriteID)
			}
			seen[c.ID], seen[c.WriteID+1<<63] = true, true
		}
	}
	if n := len(h.young) + len(h.old); n > 2*pastMost {
		t.Errorf("%d bodies held, at most %d", n, 2*pastMost)
	}
	for range 2 * failedMost {
		c := Call{ID: 1, Attempt: 1}
		h.note(0, 1, &c, false)
	}
	if n := len(h.of(1).failed); n > failedMost {
		t.Errorf("%d failures held, at most %d", n, failedMost)
	}
}

// TestServerDrawsAnew: the same body, sent again and again, does not meet the same fault and latency for
// ever, and meets the same ones in the same order if all begins anew.
func TestServerDrawsAnew(t *testing.T) {
	cfg := brisk(DialectOpenAI)
	cfg.Models[0].Latency = Latency{Base: tms, FirstTokenSigma: .5, Refusal: 1}
	cfg.Faults = []Fault{{Kind: FaultBurst429, For: time.Hour, Share: .5, RetryAfter: ts}}
	h := launch(t, ServerConfig{Provider: cfg})
	var runs [2][]string
	for i := range runs {
		refused, latencies := 0, map[time.Duration]bool{}
		for range 40 {
			h.send(h.plain("POST", "/v1/chat/completions", "k", `{"model":"m","max_tokens":1,"messages":[{"role":"user","content":"again"}]}`))
			s := h.over()
			if s.Plan.Status == 429 {
				refused++
			} else {
				latencies[s.Plan.End-s.Plan.At] = true
			}
			runs[i] = append(runs[i], fmt.Sprint(s.Plan.Status, s.Plan.End-s.Plan.At, s.Ask.Call.ID, s.Ask.Call.Attempt))
		}
		if refused < 8 || refused > 32 || len(latencies) != 40-refused {
			t.Errorf("%d of 40 refused, %d latencies", refused, len(latencies))
		}
		if err := h.Reset(); err != nil {
			t.Fatal(err)
		}
	}
	if !slices.Equal(runs[0], runs[1]) {
		t.Errorf("two runs differ:\n%q\n%q", runs[0], runs[1])
	}
}

// TestServerWrites: a write that is posted again after an answer is another one; after a failure that did not
// undo it, it was carried out twice.
func TestServerWrites(t *testing.T) {
	for name, c := range map[string]struct {
		faults           []Fault
		committed, twice int64
	}{
		"answered": {nil, 3, 0},
		"broken":   {[]Fault{{Kind: FaultBrokenStream, For: time.Hour, Share: 1}}, 1, 2},
		"refused":  {[]Fault{{Kind: FaultError, For: time.Hour, Share: 1, Status: 500}}, 0, 0},
	} {
		cfg := brisk(DialectOpenAI)
		cfg.Faults = c.faults
		h := launch(t, ServerConfig{Provider: cfg})
		for range 3 {
			r := h.plain("POST", "/v1/chat/completions", "k", `{"model":"m","max_tokens":1,"messages":[{"role":"user","content":"put"}]}`)
			r.Header.Set(WriteHeader, "1")
			h.send(r)
		}
		if b := h.Books(); b.CommittedWrites != c.committed || b.DuplicateWrites != c.twice {
			t.Errorf("%s: %d writes, %d of them twice; want %d and %d", name, b.CommittedWrites, b.DuplicateWrites, c.committed, c.twice)
		}
	}
}

// plain is a request as anybody's client sends it.
func (h *host) plain(method, path, key, body string) *http.Request {
	r, err := http.NewRequest(method, h.url+path, strings.NewReader(body))
	if err != nil {
		panic(err)
	}
	r.Header.Set("Authorization", "Bearer "+key)
	r.Header.Set("Content-Type", "application/json")
	if strings.HasPrefix(path, "/v1/messages") {
		r.Header.Set("Anthropic-Version", "2023-06-01")
	}
	return r
}

// dial opens a bare connection.
func (h *host) dial() *net.TCPConn {
	h.t.Helper()
	c, err := net.Dial("tcp", strings.TrimPrefix(h.url, "http://"))
	if err != nil {
		h.t.Fatal(err)
	}
	return c.(*net.TCPConn)
}
