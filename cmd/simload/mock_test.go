//go:build unix

package main

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/seed-4fd17b57/simload/report"
)

// slowMock has room for four calls, and takes a second for each token but the first.
const slowMock = `
name: slow
duration: 1m
workload:
  profiles: {ask: {class: P0, model: m, interval: 10s, context: 1k, output: 100, max_output: 200}}
  agents: {crew: {count: 1, phases: [{profile: ask, rounds: 1}]}}
upstreams:
  v:
    models: {m: {latency: {base: 10ms, per_output_token: 1s}}}
    keys: {k: {limits: {"*": {rpm: 4, tpm: 1M}}}}
prices: {models: {m: {input: 1, output: 2}}}
`

// served is the verb mock, in this process.
type served struct {
	t         *testing.T
	base      string
	out, errs buffer
	code      chan int
}

// serve starts the verb on slowMock. Its clock goes on by a second whenever it is asked.
func serve(ctx context.Context, t *testing.T, args ...string) *served {
	t.Helper()
	file := filepath.Join(t.TempDir(), "slow.yaml")
	if err := os.WriteFile(file, []byte(slowMock), 0o600); err != nil {
		t.Fatal(err)
	}
	s := &served{t: t, code: make(chan int, 1)}
	a := newApp(strings.NewReader(""), &s.out, &s.errs)
	var asked atomic.Int64
	a.now = func() time.Time { return time.Unix(asked.Add(1), 0) }
	go func() { s.code <- a.execute(ctx, append([]string{"mock", file, "--listen", "127.0.0.1:0"}, args...)) }()
	address := regexp.MustCompile(`simload mock: (http://\S+) `)
	waitFor(t, "the mock", func() bool {
		if m := address.FindStringSubmatch(s.errs.String()); m != nil {
			s.base = m[1]
		}
		return s.base != ""
	})
	return s
}

// post asks for a chat completion and returns the answer, whose body is still to be read.
func (s *served) post(key, body string, header ...string) *http.Response {
	s.t.Helper()
	r, err := http.NewRequest(http.MethodPost, s.base+"/v1/chat/completions", strings.NewReader(body))
	if err != nil {
		s.t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+key)
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		s.t.Fatal(err)
	}
	return resp
}

// status is post's, when the answer has come in whole.
func (s *served) status(key, body string, header ...string) int {
	s.t.Helper()
	resp := s.post(key, body, header...)
	defer resp.Body.Close()
	if _, err := io.Copy(io.Discard, resp.Body); err != nil {
		s.t.Error(err)
	}
	return resp.StatusCode
}

// say is a body with a text and more fields.
func say(text, more string) string {
	return `{"model":"m",` + more + `"messages":[{"role":"user","content":"` + text + `"}]}`
}

// misbehave does whatever a client should not.
func (s *served) misbehave() {
	s.t.Helper()
	const one = `"max_tokens":1,`
	for i, c := range []struct {
		want   int
		key    string
		body   string
		header []string
	}{
		{200, "k", say("put it there", one), []string{"Simload-Write", "1"}},
		{200, "k", say("put it there", one), []string{"Simload-Write", "1", "X-Stainless-Retry-Count", "1"}}, // twice
		{200, "k", say("put it there", one), []string{"Simload-Write", "1"}},                                 // another one
		{429, "k", say("a", one), nil},
		{429, "k", say("b", one), nil},
		{429, "k", say("c", one), nil},
		{429, "k", say("d", one), nil},
		{429, "k", say("a", one), nil}, // early
		{401, "nobody's", say("a", one), nil},
		{404, "k", `{"model":"n","messages":[]}`, nil},
	} {
		if got := s.status(c.key, c.body, c.header...); got != c.want {
			s.t.Errorf("call %d: status %d, want %d", i, got, c.want)
		}
	}
}

// ended waits for the verb's end and returns what it printed.
func (s *served) ended(code int) string {
	s.t.Helper()
	select {
	case got := <-s.code:
		if got != code {
			s.t.Errorf("exit code %d, want %d; stderr: %s", got, code, s.errs.String())
		}
	case <-time.After(30 * time.Second):
		s.t.Fatalf("it does not end; stderr: %s", s.errs.String())
	}
	return s.out.String()
}

func interrupt(t *testing.T) {
	t.Helper()
	if err := syscall.Kill(os.Getpid(), syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
}

// Ensure the mock says what its client did, that it tells on Ctrl-C what it waits for, and that it waits no
// longer when told so again.
func TestMockJudgesItsClient(t *testing.T) {
	s := serve(t.Context(), t)
	// It is a stream that lasts for minutes, and must come uncompressed, whatever is accepted.
	stream := s.post("k", say("tell me all", `"stream":true,"max_tokens":1000,`), "Accept-Encoding", "gzip")
	defer stream.Body.Close()
	begin := make([]byte, 6)
	if _, err := io.ReadFull(stream.Body, begin); err != nil || string(begin) != "data: " || stream.Header.Get("Content-Encoding") != "" {
		t.Errorf("the stream begins with %q, %v; headers %v", begin, err, stream.Header)
	}
	s.misbehave()
	interrupt(t)
	waitFor(t, "word of the call under way", func() bool {
		return strings.Contains(s.errs.String(), "simload: stopping, 1 call under way (Ctrl-C again cuts them)\n")
	})
	interrupt(t)
	if _, err := io.ReadAll(stream.Body); err == nil {
		t.Error("the stream came to an end")
	}
	out := s.ended(0)
	for _, want := range []string{
		"FAULTS", "9 calls, 3 answered", "5 of 9 calls were told 429: ", "1 retry came before the wait", "1 write carried out again: ",
		"2 requests never reached a model (401 1, 404 1): wrong key, path or", "429 5 (55.6", "broken off 1 (11.1",
		"early 1", "carried out 2   again 1", "m          9   3    5",
	} {
		if !strings.Contains(strings.ReplaceAll(out, "\u2009", " "), want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
}

// Ensure the verdict in JSON holds the same.
func TestMockJudgesInJSON(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	s := serve(ctx, t, "--format", "json")
	if got := s.status("k", say("first", `"max_tokens":1,`)); got != 200 {
		t.Errorf("status %d", got)
	}
	s.misbehave()
	cancel()
	var a report.Audit
	if err := json.Unmarshal([]byte(s.ended(0)), &a); err != nil {
		t.Fatal(err)
	}
	if a.Verdict != "faults" || len(a.Faults) != 4 || a.Calls != 9 || a.Answered != 4 || a.Broken != 0 || a.HTTP429 != 5 || a.EarlyRetries != 1 ||
		a.CommittedWrites != 2 || a.DuplicateWrites != 1 || a.Rejected[401] != 1 || a.Rejected[404] != 1 || len(a.Keys) != 1 || a.Keys[0].Answered != 4 {
		t.Errorf("%+v", a)
	}
	if strings.Contains(s.errs.String(), "under way") {
		t.Errorf("nothing was under way: %s", s.errs.String())
	}
}

// Ensure a client that does as it should is told so, and that a client which never got through is not taken for
// nobody.
func TestMockVerdicts(t *testing.T) {
	for name, c := range map[string]struct {
		key, verdict string
	}{
		"good":     {"k", "GOOD        1 call, 1 answered"},
		"rejected": {"nobody's", "FAULTS      0 calls, 0 answered"},
	} {
		ctx, cancel := context.WithCancel(t.Context())
		s := serve(ctx, t)
		s.status(c.key, say("hello", `"max_tokens":1,`))
		cancel()
		if out := s.ended(0); !strings.Contains(out, c.verdict) {
			t.Errorf("%s: no %q in\n%s", name, c.verdict, out)
		}
	}
}
