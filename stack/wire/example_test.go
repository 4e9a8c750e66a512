package wire_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/seed-4fd17b57/simload/stack/wire"
)

// One streamed call. What a provider answers stands for the network.
func Example() {
	req, err := wire.OpenAI.New(context.Background(), &wire.Request{
		BaseURL: "https://api.openai.com/v1", Model: "gpt-4o", MaxOut: 100, Stream: true, Secret: "sk-secret",
		Prompt: &wire.Prompt{Messages: []wire.Message{{Role: "user", Text: "Say \"hi\"."}}},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	body, _ := io.ReadAll(req.Body)
	fmt.Println(req.Method, req.URL)
	fmt.Println(string(body))

	s := wire.NewStream(wire.OpenAI)
	for _, piece := range []string{
		": keep-alive\n\n", `data: {"choices":[{"index":0,"delta":{"content":"h`, "i\"}}]}\r\n\r\n",
		`data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}` + "\n\n",
		`data: {"choices":[],"usage":{"prompt_tokens":11,"completion_tokens":1}}` + "\n\ndata: [DONE]\n\n",
	} {
		text, started := s.Feed([]byte(piece))
		fmt.Printf("%q %v\n", text, started)
	}
	reply, problem := s.End()
	fmt.Println(reply.Text, reply.Finish, reply.Usage, problem == nil)
	// Output:
	// POST https://api.openai.com/v1/chat/completions
	// {"model":"gpt-4o","stream":true,"stream_options":{"include_usage":true},"max_tokens":100,"messages":[{"role":"user","content":"Say \"hi\"."}]}
	// "" false
	// "" false
	// "hi" true
	// "" true
	// "" true
	// hi stop {11 0 1} true
}

// A 429 that a retry cures, and one that it does not.
func ExampleReadProblem() {
	now := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	h := http.Header{}
	h.Set("Retry-After", "Mon, 30 Nov 2026 12:00:30 GMT")
	for _, message := range []string{"Rate limit reached for gpt-4o", "Request too large for gpt-4o"} {
		body := `{"error":{"message":"` + message + `","type":"tokens","code":"rate_limit_exceeded"}}`
		p := wire.ReadProblem(http.StatusTooManyRequests, h, []byte(body), now)
		fmt.Println(p.Kind, p.RetryAfter)
	}
	// Output:
	// rate_limited 30s
	// too_large 30s
}
