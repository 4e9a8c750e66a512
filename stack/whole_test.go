package stack_test

import (
	"testing"
	"time"

	"github.com/seed-4fd17b57/simload/stack"
)

// TestWholeAnswersAreWaitedFor: an answer that is not streamed has no first token to be missed: it is given up
// after Timeouts.Whole, and one that is streamed after Timeouts.FirstToken.
func TestWholeAnswersAreWaitedFor(t *testing.T) {
	for _, whole := range []bool{false, true} {
		cfg := stack.Default()
		cfg.Keys, cfg.Quotas = []stack.Key{{ID: "k"}}, []stack.Quota{{Name: "q"}}
		cfg.Targets = []stack.Target{{Name: "m", Vendor: "v", Keys: []stack.KeyUse{{Weight: 1}}}}
		cfg.Routes = []stack.Route{{Name: "m", Steps: []stack.RouteStep{{}}}}
		cfg.Retry.Attempts = 1
		cfg.Timeouts.PrefillPerToken = 0
		c, err := stack.New(cfg)
		if err != nil {
			t.Fatal(err)
		}
		want := cfg.Timeouts.FirstToken
		if whole {
			want = cfg.Timeouts.Whole
		}
		c.Submit(0, stack.Request{ID: 1, EstIn: 10, MaxOut: 10, Whole: whole})
		if e := c.Effects(); len(e) != 1 || e[0].Attempt.FirstTokenBy != want {
			t.Fatalf("whole %t: effects %+v", whole, e)
		}
		for _, at := range []time.Duration{want - 1, want} {
			c.Advance(at)
			ended := len(c.Effects()) > 0
			if ended != (at == want) {
				t.Errorf("whole %t: at %v ended %t", whole, at, ended)
			}
		}
	}
}
