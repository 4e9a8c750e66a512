package conformance

import (
	"strings"
	"testing"
	"time"

	"github.com/openai/openai-go/v3/option"
	up "github.com/seed-4fd17b57/simload/mockupstream"
)

// both asks two questions, the second one as soon as the first has arrived, and returns the replies and what
// the mock saw, in the order in which the calls were over. The first lasts for a fifth of a second at least.
func both(t *testing.T, cfg up.ServerConfig, q question) (m *mock, replies [2]reply, seen [2]up.Sighting) {
	t.Helper()
	cfg.Provider.Models[0].Latency.Base = 200 * time.Millisecond
	m = start(t, cfg)
	q.Base, q.Key, q.Model, q.Turns = m.url, secret, model, []string{"Why is the sky blue?"}
	first := make(chan reply)
	go func() { first <- askDeepSeek(t, q) }()
	for m.Books().Received == 0 {
		time.Sleep(time.Millisecond) // nobody tells
	}
	q.Turns = []string{"And why is grass green?"}
	replies[1] = askDeepSeek(t, q)
	replies[0] = <-first
	return m, replies, [2]up.Sighting{m.next(), m.next()}
}

// TestDeepSeekQueue: of two calls at once one waits in line, while blank lines or comments come. The SDK reads
// over them.
func TestDeepSeekQueue(t *testing.T) {
	for _, stream := range []bool{false, true} {
		cfg := scenario(up.DialectDeepSeek)
		cfg.Provider.Models[0].Capacity = []up.CapacityStep{{Slots: 1}}
		m, replies, seen := both(t, cfg, question{Stream: stream, MaxOut: 200})
		for _, r := range replies {
			if r.Failure != nil || r.Used.Out == 0 || int64(len(r.Text)) != 4*r.Used.Out {
				t.Errorf("stream %v: %+v, %+v", stream, r, r.Failure)
			}
		}
		if wait := seen[1].Plan.FillUntil - seen[1].Plan.At; wait < 50*time.Millisecond {
			t.Errorf("stream %v: the second call waited in line for %v", stream, wait)
		}
		filler := up.DialectDeepSeek.Filler(stream)
		if n := strings.Count(m.sent(), filler); stream && n < 2 || !stream && !strings.Contains(m.sent(), filler+filler) {
			t.Errorf("stream %v: too few fillers:\n%q", stream, m.sent())
		}
	}
}

// TestDeepSeekCloses: a call that waited in line for too long is an error, and is not sent again.
func TestDeepSeekCloses(t *testing.T) {
	for _, stream := range []bool{false, true} {
		cfg := scenario(up.DialectDeepSeek)
		cfg.Provider.Models[0].Capacity = []up.CapacityStep{{Slots: 1}}
		cfg.Provider.Models[0].MaxWait = 50 * time.Millisecond
		m, replies, seen := both(t, cfg, question{Stream: stream, MaxOut: 200, Retries: 1})
		replies[1].failed(t, failure{Class: cutOff, Message: "EOF"})
		if replies[0].Failure != nil || m.tries() != 2 || seen[0].Plan.Fate != up.FateClosed {
			t.Errorf("stream %v: %+v, %d requests, first over: %+v", stream, replies[0].Failure, m.tries(), seen[0].Plan)
		}
	}
}

// TestDeepSeekConcurrency: a call too many is refused without a wait, so the SDK waits as it thinks best.
func TestDeepSeekConcurrency(t *testing.T) {
	cfg := scenario(up.DialectDeepSeek)
	cfg.Provider.Quotas[0].Concurrency = 1
	m, replies, seen := both(t, cfg, question{MaxOut: 10, Retries: 1})
	if replies[0].Failure != nil || replies[1].Failure != nil {
		t.Errorf("%+v, %+v", replies[0].Failure, replies[1].Failure)
	}
	if refused := seen[0].Plan; refused.Code != up.CodeConcurrency || refused.HasRetryAfter {
		t.Errorf("%+v", refused)
	}
	if b := m.Books(); b.Received != 3 || b.Admitted != 2 || b.Refused429 != 1 {
		t.Errorf("books %+v", b)
	}
}

// TestOpenRouterWait: the wait stands in a header that no SDK reads, so it asks too early, and then again.
func TestOpenRouterWait(t *testing.T) {
	m, q := limited(t, client{vendor: up.DialectOpenRouter, ask: askOpenRouter})
	q.Retries = 3
	if r := askOpenRouter(t, q); r.Failure != nil {
		t.Fatalf("%+v", *r.Failure)
	}
	if b := m.Books(); b.Refused429 != 2 || b.EarlyRetries != 1 || b.Admitted != 2 {
		t.Errorf("books %+v", b)
	}
}

// TestOpenRouterFills: comments come until the first token, or blank lines.
func TestOpenRouterFills(t *testing.T) {
	for _, stream := range []bool{false, true} {
		cfg := scenario(up.DialectOpenRouter)
		cfg.Provider.Models[0].Latency.Base = 200 * time.Millisecond
		m := start(t, cfg)
		q := m.question("Why is the sky blue?")
		q.Stream = stream
		r := askOpenRouter(t, q)
		r.check(t, client{vendor: up.DialectOpenRouter}, m.next())
		if n := strings.Count(m.sent(), up.DialectOpenRouter.Filler(stream)); n < 5 {
			t.Errorf("stream %v: %d fillers", stream, n)
		}
	}
}

// TestOpenRouterErrorIn200: an answer of status 200 that is an error. In a stream, the SDK sees it (see
// scenes). A whole answer it takes for a success without text: its caller must look.
func TestOpenRouterErrorIn200(t *testing.T) {
	cfg := scenario(up.DialectOpenRouter)
	overloaded(&cfg, up.FaultStreamError)
	m := start(t, cfg)
	q := m.question("Why is the sky blue?")
	q.Retries = 1
	r := askOpenRouter(t, q)
	if r.Failure != nil || r.Text != "" || m.tries() != 1 || !strings.Contains(m.sent(), `"error":{"code":503`) {
		t.Errorf("%+v, %+v, %d requests: %s", r, r.Failure, m.tries(), m.sent())
	}
}

// TestOtherPaths: paths in OpenAI's form that the clients do not use: Azure's without deployments, DeepSeek's with
// a version, Gemini's of OpenAI's form.
func TestOtherPaths(t *testing.T) {
	for path, vendor := range map[string]up.Dialect{
		"/openai/v1":     up.DialectAzure,
		"/v1":            up.DialectDeepSeek,
		"/v1beta/openai": up.DialectGemini,
	} {
		for _, stream := range []bool{false, true} {
			m := start(t, scenario(vendor))
			q := m.question("Why is the sky blue?")
			q.Stream = stream
			r := viaOpenAI(q, option.WithBaseURL(m.url+path), option.WithAPIKey(secret))
			s := m.next()
			if r.Failure != nil || r.Used != s.Used || r.Finish != "stop" || int64(len(r.Text)) != 4*s.Used.Out {
				t.Errorf("%s, stream %v: %+v, %+v; billed %+v", path, stream, r, r.Failure, s.Used)
			}
		}
	}
}
