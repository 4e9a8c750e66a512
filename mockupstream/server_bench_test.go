package mockupstream

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"testing"
	"time"
)

// BenchmarkServer is parallel calls over loopback, for orientation: of a handler that writes a
// document of JSON ("bare"), and of the mock without latency, not streamed and in a stream of 20 events.
func BenchmarkServer(b *testing.B) {
	b.Run("bare", func(b *testing.B) {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			b.Fatal(err)
		}
		srv := &http.Server{Handler: http.HandlerFunc(bare)}
		go func() { _ = srv.Serve(l) }()
		defer srv.Close()
		hammer(b, &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 100}}, func() *http.Request {
			h := host{url: "http://" + l.Addr().String()}
			return h.request(context.Background(), hello, false)
		})
	})
	for _, stream := range []bool{false, true} {
		b.Run(fmt.Sprintf("stream=%v", stream), func(b *testing.B) {
			cfg := brisk(DialectOpenAI)
			cfg.Models[0].Latency = Latency{PerOutputToken: time.Microsecond}
			if !stream {
				cfg.Models[0].Latency = Latency{}
			}
			s, err := NewServer(ServerConfig{Provider: cfg, ChunkEvery: 2 * time.Microsecond})
			if err != nil {
				b.Fatal(err)
			}
			l, err := net.Listen("tcp", "127.0.0.1:0")
			if err != nil {
				b.Fatal(err)
			}
			ctx, cancel := context.WithCancel(context.Background())
			done := make(chan error)
			go func() { done <- s.Serve(ctx, l) }()
			h := host{url: "http://" + l.Addr().String()}
			client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 100}}
			hammer(b, client, func() *http.Request { return h.request(context.Background(), hello, stream) })
			client.CloseIdleConnections()
			cancel()
			<-done
			if n := s.Books().Received; n < int64(b.N) {
				b.Errorf("%d of %d calls arrived", n, b.N)
			}
		})
	}
}

// bare answers with a document of about the size of an answer of the mock's.
func bare(w http.ResponseWriter, r *http.Request) {
	_, _ = io.Copy(io.Discard, r.Body)
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(map[string]any{
		"id": "chatcmpl-0123456789", "object": "chat.completion", "created": 1, "model": "m",
		"choices": []map[string]any{{"index": 0, "finish_reason": "stop", "message": map[string]string{"role": "assistant", "content": "hello hello hello hello"}}},
		"usage":   map[string]int{"prompt_tokens": 100, "completion_tokens": 40, "total_tokens": 140},
	})
}

func hammer(b *testing.B, client *http.Client, request func() *http.Request) {
	b.ReportAllocs()
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			resp, err := client.Do(request())
			if err != nil {
				b.Error(err)
				return
			}
			if _, err := io.Copy(io.Discard, resp.Body); err != nil || resp.StatusCode != 200 {
				b.Errorf("status %d, %v", resp.StatusCode, err)
			}
			resp.Body.Close()
		}
	})
	client.CloseIdleConnections()
}
