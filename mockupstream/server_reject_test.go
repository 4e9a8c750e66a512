package mockupstream

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"
)

// vendorPaths is a path of each vendor, for the model m.
var vendorPaths = map[Dialect]string{
	DialectOpenAI:     "/v1/chat/completions",
	DialectAnthropic:  "/v1/messages",
	DialectGemini:     "/v1beta/models/m:generateContent",
	DialectDeepSeek:   "/chat/completions",
	DialectAzure:      "/openai/deployments/m/chat/completions",
	DialectOpenRouter: "/api/v1/chat/completions",
}

// TestServerUnread: a request whose body was not read is answered in the form of the vendor whose path it is.
func TestServerUnread(t *testing.T) {
	const large, late, cut = "Content-Length: 1001\r\n\r\n", "Content-Length: 100\r\n\r\n{", "Transfer-Encoding: chunked\r\n\r\nxyz\r\n"
	h := launch(t, ServerConfig{Provider: brisk(DialectOpenAI), BodyMax: 1000, ReadTimeout: 250 * tms})
	for i, c := range []struct {
		path, rest string
		status     int
		id         string // the header that names the request
		want       string
	}{
		{vendorPaths[DialectOpenAI], large, 413, "X-Request-Id", `{"error":{"message":"The request is larger than 1000 bytes.","type":"invalid_request_error","param":null,"code":"request_too_large"}}`},
		{vendorPaths[DialectAnthropic], large, 413, "Request-Id", `{"type":"error","error":{"type":"request_too_large","message":"Request exceeds the maximum size"},"request_id":"`},
		{vendorPaths[DialectGemini], large, 400, "", `{"error":{"code":400,"message":"Request payload size exceeds the limit: 1000 bytes.","status":"INVALID_ARGUMENT"}}`},
		{"/v1beta/models/m:streamGenerateContent", large, 400, "", `[{"error":{"code":400,"message":"Request payload size exceeds the limit: 1000 bytes.","status":"INVALID_ARGUMENT"}}]`},
		{vendorPaths[DialectAzure], large, 413, "Apim-Request-Id", `{"error":{"code":"RequestEntityTooLarge","message":"The request is larger than 1000 bytes."}}`},
		{vendorPaths[DialectOpenRouter], large, 413, "", `{"error":{"code":413,"message":"The request is larger than 1000 bytes."}}`},
		{vendorPaths[DialectDeepSeek], large, 413, "", `{"error":{"message":"The request is larger than 1000 bytes.","type":"invalid_request_error",`},
		{vendorPaths[DialectOpenAI], late, 408, "X-Request-Id", `{"error":{"message":"Timed out reading request body. `},
		{vendorPaths[DialectAnthropic], late, 408, "Request-Id", `{"type":"error","error":{"type":"timeout_error","message":"Request timed out"},"request_id":"`},
		{vendorPaths[DialectGemini], late, 408, "", `{"error":{"code":408,"message":"Timed out reading`},
		{vendorPaths[DialectAzure], late, 408, "Apim-Request-Id", `{"error":{"code":"Timeout","message":"The operation was timeout."}}`},
		{vendorPaths[DialectOpenAI], cut, 400, "X-Request-Id", `{"error":{"message":"The body of the request could not be read.","type":"invalid_request_error","param":null,"code":null}}`},
		{vendorPaths[DialectAnthropic], cut, 400, "Request-Id", `{"type":"error","error":{"type":"invalid_request_error","message":"The body of the request could not be read."}`},
		{vendorPaths[DialectGemini], cut, 400, "", `{"error":{"code":400,"message":"The body of the request could not be read.","status":"INVALID_ARGUMENT"}}`},
		{vendorPaths[DialectAzure], cut, 400, "Apim-Request-Id", `{"error":{"code":"BadRequest",`},
	} {
		t.Run(fmt.Sprint(i, " ", c.path), func(t *testing.T) {
			conn := h.dial()
			defer conn.Close()
			_ = conn.SetDeadline(time.Now().Add(20 * time.Second))
			_, _ = io.WriteString(conn, "POST "+c.path+" HTTP/1.1\r\nHost: h\r\n"+c.rest)
			resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
			if err != nil {
				t.Fatal(err)
			}
			body, err := io.ReadAll(resp.Body)
			if err != nil || resp.StatusCode != c.status || !strings.HasPrefix(string(body), c.want) || !resp.Close {
				t.Errorf("status %d, closed %v, error %v\ngot  %s\nwant %s", resp.StatusCode, resp.Close, err, body, c.want)
			}
			if c.id != "" && resp.Header.Get(c.id) == "" {
				t.Errorf("no %s: %v", c.id, resp.Header)
			}
		})
	}
	if got, want := h.Stats().Rejected, map[int]int64{400: 6, 408: 4, 413: 5}; !maps.Equal(got, want) {
		t.Errorf("rejected %v, want %v", got, want)
	}
}

// TestServerCountsRejections: what never became a call is counted by its status, and in no book.
func TestServerCountsRejections(t *testing.T) {
	h := launch(t, ServerConfig{Provider: brisk(DialectOpenAI)})
	for _, c := range []struct{ method, path, key, body string }{
		{"POST", "/v1/chat/completions", "sesame", greeting},
		{"POST", "/v1/messages", "sesame", greeting},
		{"POST", "/v1/chat/completion", "k", greeting},
		{"GET", "/", "k", ""},
		{"POST", "/v1/chat/completions", "k", `{"model":"x"}`},
		{"GET", "/v1/chat/completions", "k", ""},
		{"POST", "/v1/chat/completions", "k", `{`},
		{"GET", "/v1/models", "k", ""}, // is answered
		{"GET", "/healthz", "", ""},
	} {
		h.send(h.plain(c.method, c.path, c.key, c.body))
	}
	var st Stats
	if err := json.Unmarshal([]byte(h.get("/stats").body), &st); err != nil {
		t.Fatal(err)
	}
	if want := map[int]int64{400: 1, 401: 2, 404: 3, 405: 1}; !maps.Equal(st.Rejected, want) || st.Books.Received != 0 {
		t.Errorf("rejected %v, want %v; %d calls", st.Rejected, want, st.Books.Received)
	}
	if got := h.get("/metrics").body; !strings.Contains(got, `simload_mock_rejected_total{status="404"} 3`) {
		t.Errorf("/metrics:\n%s", got)
	}
	if err := h.Reset(); err != nil || len(h.Stats().Rejected) != 0 {
		t.Errorf("after a reset: %v, %v", h.Stats().Rejected, err)
	}
}

// TestUnauthorizedLooksTheSame: a key that nobody has, one that may not use the model, and a guest's that came
// too late meet the same headers and, where the answer is an array, an array.
func TestUnauthorizedLooksTheSame(t *testing.T) {
	for vendor, path := range vendorPaths {
		cfg := brisk(vendor)
		cfg.Keys = append(cfg.Keys, Key{ID: "foreign", Quotas: []int{-1}}, Key{ID: "guest", Quotas: []int{0}})
		for _, stream := range []bool{false, true} {
			if stream {
				if vendor != DialectGemini {
					continue
				}
				path = strings.Replace(path, ":generate", ":streamGenerate", 1)
			}
			var heads []http.Header
			for guests := range 2 {
				h := launch(t, ServerConfig{Provider: cfg, Codec: CodecConfig{FirstGuest: 2, Guests: guests}})
				if guests == 1 {
					h.send(h.plain("POST", path, "first", greetingTo(path)))
				}
				for _, key := range []string{"nobody", "foreign"} {
					got := h.send(h.plain("POST", path, key, greetingTo(path)))
					if got.status != 401 || strings.HasPrefix(got.body, "[") != stream {
						t.Errorf("%v, key %s: %d %s", vendor, key, got.status, got.body)
					}
					heads = append(heads, got.header)
				}
			}
			for _, h := range heads[1:] {
				if got, want := slices.Sorted(maps.Keys(h)), slices.Sorted(maps.Keys(heads[0])); !slices.Equal(got, want) {
					t.Errorf("%v: headers %q and %q", vendor, got, want)
				}
			}
		}
	}
}

// greetingTo is a body for the path.
func greetingTo(path string) string {
	if strings.Contains(path, ":") {
		return `{"contents":[{"parts":[{"text":"hello"}]}]}`
	}
	return `{"model":"m","max_tokens":5,"messages":[{"role":"user","content":"hello"}]}`
}

// TestServerIsQuiet: net/http's own lines go where they are told to.
func TestServerIsQuiet(t *testing.T) {
	var std bytes.Buffer
	defer log.SetOutput(log.Writer())
	log.SetOutput(&std)
	var own bytes.Buffer
	for _, to := range []*log.Logger{nil, log.New(&own, "", 0)} {
		h := launch(t, ServerConfig{Provider: brisk(DialectOpenAI), ErrorLog: to, Observe: nil})
		h.Server.term.Load().metrics = nil // which panics
		h.get("/metrics")
		h.stop()
	}
	if std.Len() > 0 || !strings.Contains(own.String(), "panic serving") {
		t.Errorf("the log holds %q, ours %q", std.String(), own.String())
	}
}

// TestStatsOfGuests: quotas that are a guest's alone are told when they were used.
func TestStatsOfGuests(t *testing.T) {
	cfg := fleet(1, 4)
	cfg.Models[0].Latency = Latency{Base: tms}
	h := launch(t, ServerConfig{Provider: cfg, Codec: CodecConfig{FirstGuest: 1, Guests: 3}})
	quotas := func() (list []int) {
		for _, q := range h.Stats().Books.Quotas {
			list = append(list, q.Quota)
		}
		return list
	}
	if got := quotas(); !slices.Equal(got, []int{0}) || len(h.Stats().Quotas) != 1 {
		t.Errorf("unused: %v, %q", got, h.Stats().Quotas)
	}
	for _, key := range []string{"one", "two"} {
		h.send(h.plain("POST", "/v1/chat/completions", key, greetingTo("")))
	}
	if got := quotas(); !slices.Equal(got, []int{0, 1, 2}) || len(h.Stats().Quotas) != 3 {
		t.Errorf("used: %v, %q", got, h.Stats().Quotas)
	}
}

// TestServerNeverCompresses: whatever a client would take, streams and answers are as they are.
func TestServerNeverCompresses(t *testing.T) {
	h := launch(t, ServerConfig{Provider: brisk(DialectOpenAI)})
	for _, stream := range []bool{false, true} {
		r := h.request(t.Context(), hello, stream)
		r.Header.Set("Accept-Encoding", "gzip, br, zstd")
		got := h.send(r)
		if got.status != 200 || got.header.Get("Content-Encoding") != "" || !strings.Contains(got.body, `"object":"chat.completion`) {
			t.Errorf("stream %v: %d, %v: %.80q", stream, got.status, got.header, got.body)
		}
	}
}

// TestServerCut: a second order ends the grace at once.
func TestServerCut(t *testing.T) {
	cfg := brisk(DialectOpenAI)
	cfg.Faults = []Fault{{Kind: FaultBlackhole, For: time.Hour, Share: 1}}
	cut := make(chan struct{})
	h := launch(t, ServerConfig{Provider: cfg, Grace: time.Hour, Cut: cut})
	answered := make(chan heard)
	go func() { answered <- h.ask(hello, true) }()
	h.await("the call", func() bool { return h.Books().Running == 1 })
	close(cut)
	h.stop()
	if got := <-answered; got.err == nil {
		t.Errorf("status %d", got.status)
	}
}
