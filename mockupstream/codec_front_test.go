package mockupstream

import (
	"net/http"
	"strings"
	"time"
)

// front is a provider of one model and its codec.
type front struct {
	t     fataler
	p     *Provider
	codec *Codec
}

// newFront has the model gpt of the vendor acme, and the key k of the group g.
func newFront(t fataler, d Dialect) front {
	cfg := speaking(d, Quota{Name: "q", Group: "g"})
	cfg.Models[0].Name, cfg.Models[0].Vendor = "gpt", "acme"
	cfg.Models[0].Cache = PromptCache{Block: 4, TTL: time.Hour}
	cfg.Models[0].Price = Price{Input: 1_250_000, Cached: 125_000, Output: 10_000_000, CacheWrite: 1_562_500}
	p := mustNew(t, cfg)
	return front{t, p, NewCodec(p, CodecConfig{})}
}

// request is a request with the key k, wherever the path's vendor looks for it.
func (f front) request(path, body string) *http.Request {
	f.t.Helper()
	r, err := http.NewRequest(http.MethodPost, "http://mock"+path, strings.NewReader(body))
	if err != nil {
		f.t.Fatalf("%v", err)
	}
	r.Header.Set("Authorization", "Bearer k")
	if strings.HasSuffix(path, "/messages") {
		r.Header.Set("Anthropic-Version", "2023-06-01")
	}
	return r
}

// call admits a request at 500 ms.
func (f front) call(path, body string) (Ask, Plan, Usage) {
	f.t.Helper()
	a, page := f.codec.Read(0, f.request(path, body), []byte(body))
	if page != nil {
		f.t.Fatalf("%s: %d %s", path, page.Status, page.Body)
	}
	plan := f.p.Admit(500*time.Millisecond, a.Call)
	return a, plan, f.p.Usage(plan.ID)
}

// stream is a whole stream, in pieces of so many tokens.
func (f front) stream(a *Ask, plan *Plan, used Usage, piece int64) (b []byte) {
	b = f.codec.Begin(b, a, plan, used)
	for at := int64(0); at < used.Out; at += piece {
		b = f.codec.Tokens(b, a, plan, at, min(at+piece, used.Out))
	}
	return f.codec.Close(b, a, plan, used)
}
