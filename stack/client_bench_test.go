package stack_test

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"testing"

	"github.com/seed-4fd17b57/simload/stack"
)

var reply = []byte(`{"id":"x","model":"m","choices":[{"index":0,"message":{"role":"assistant","content":"pong"},` +
	`"finish_reason":"stop"}],"usage":{"prompt_tokens":11,"completion_tokens":3}}`)

// Calls over loopback, one after the other and many at a time, beside a bare http.Client that posts the
// same bytes and reads the answer: the difference is what the client costs.
func BenchmarkClient(b *testing.B) {
	v := newVendor(b, nil)
	v.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write(reply)
	})
	c := newClient(b, setup(v.URL))
	// Each worker's calls have one identity: they are not there to be told apart.
	do := func() error { _, err := c.Do(context.Background(), ask(1, "ping")); return err }
	answers := make(chan error, 1)
	wait := func() error {
		c.Go(context.Background(), ask(1, "ping"), func(_ *stack.Answer, err error) { answers <- err })
		return <-answers
	}
	plain := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 64, DisableCompression: true}}
	defer plain.CloseIdleConnections()
	body := []byte(`{"model":"model-0","messages":[{"role":"user","content":"ping"}],"max_tokens":4096}`)
	bare := func() error {
		resp, err := plain.Post(v.URL+"/chat/completions", "application/json", bytes.NewReader(body))
		if err == nil {
			_, err = io.ReadAll(resp.Body)
			_ = resp.Body.Close()
		}
		return err
	}
	for _, bb := range []struct {
		name string
		call func() error
	}{{"bare", bare}, {"Do", do}, {"Go", wait}} {
		b.Run(bb.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if err := bb.call(); err != nil {
					b.Fatal(err)
				}
			}
		})
		if bb.name == "Go" {
			continue // its answers are those of one caller
		}
		b.Run(bb.name+"/parallel", func(b *testing.B) {
			b.ReportAllocs()
			b.SetParallelism(16)
			b.RunParallel(func(pb *testing.PB) {
				for pb.Next() {
					if err := bb.call(); err != nil {
						b.Error(err)
					}
				}
			})
		})
	}
}

// The client alone: a transport that answers from memory.
func BenchmarkClientOverhead(b *testing.B) {
	cfg := setup("http://memory")
	cfg.Transport = memory{}
	c := newClient(b, cfg)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := c.Do(context.Background(), ask(1, "ping")); err != nil {
			b.Fatal(err)
		}
	}
}

type memory struct{}

func (memory) RoundTrip(r *http.Request) (*http.Response, error) {
	return &http.Response{
		StatusCode: 200, Header: http.Header{"Content-Type": {"application/json"}},
		ContentLength: int64(len(reply)), Body: io.NopCloser(bytes.NewReader(reply)), Request: r,
	}, nil
}
