package mockupstream

import (
	"testing"
	"time"
)

func TestPromptCache(t *testing.T) {
	cfg := fleet(2, 2)
	for m := range cfg.Models {
		cfg.Models[m].Cache = PromptCache{MinTokens: 1024, Block: 128, TTL: time.Minute}
	}
	p := mustNew(t, cfg)
	for i, s := range []struct {
		at     time.Duration
		call   Call
		cached int64
	}{
		{0, Call{In: 2000, Prefix: 2000, Conversation: 1}, 0},
		{0, Call{In: 3000, Prefix: 2000, Conversation: 1}, 1920},
		{0, Call{In: 3000, Prefix: 2000, Conversation: 2}, 0},
		{0, Call{In: 3000, Prefix: 2000, Conversation: 1, Key: 1}, 0},
		{0, Call{In: 3000, Prefix: 2000, Conversation: 1, Model: 1}, 0},
		{0, Call{In: 3000, Prefix: 1023, Conversation: 1}, 0},
		{time.Minute, Call{In: 3000, Prefix: 1024, Conversation: 1}, 1024},
		{2*time.Minute + 1, Call{In: 3000, Prefix: 3000, Conversation: 1}, 0}, // expired
		{2*time.Minute + 1, Call{In: 1100, Prefix: 3000, Conversation: 1}, 1024},
		{2*time.Minute + 1, Call{In: 3000, Prefix: 3000, Conversation: 1}, 1024}, // only what was sent last
		{2*time.Minute + 1, Call{In: 3000, Prefix: 2000, Conversation: 3, Shared: true}, 1920},
		{2*time.Minute + 1, Call{In: 3000, Prefix: 3000, Conversation: 3}, 2944}, // goes on from it
	} {
		plan := p.Admit(s.at, s.call)
		if u := p.Complete(plan.End, plan.ID); u.Cached != s.cached || u.In != s.call.In {
			t.Errorf("call %d: billed %+v, want %d cached", i, u, s.cached)
		}
		p.now = s.at // the next call may come before this one's end
	}
}

// TestPromptCacheForgets: memory follows the conversations alive, not all there ever were.
func TestPromptCacheForgets(t *testing.T) {
	cfg := single(0, 0)
	cfg.Models[0].Cache = PromptCache{Block: 1, TTL: time.Minute}
	p := mustNew(t, cfg)
	const alive = 100
	for i := range 100 * alive {
		now := time.Duration(i) * time.Minute / alive
		plan := p.Admit(now, Call{ID: uint64(i), In: 10, Conversation: uint64(i)})
		p.Disconnect(now, plan.ID)
	}
	c := &p.models[0].cache
	if len(c.entries) > 2*alive+2 || len(c.index) > len(c.entries) {
		t.Errorf("%d entries and %d in the index for %d conversations alive", len(c.entries), len(c.index), alive)
	}
}

// TestPromptCacheKeysThatCollide: an entry under the same hash is another conversation's.
func TestPromptCacheKeysThatCollide(t *testing.T) {
	var c cache
	cfg := &PromptCache{Block: 1, TTL: time.Minute}
	a := cacheKey{conversation: 5, quota: 0}
	b := cacheKey{conversation: a.hash() ^ cacheKey{quota: 1}.hash(), quota: 1}
	if a.hash() != b.hash() {
		t.Fatal("the keys of this test do not collide")
	}
	c.read(0, cfg, a.quota, &Call{In: 10, Conversation: a.conversation})
	if cached := c.read(0, cfg, b.quota, &Call{In: 10, Prefix: 10, Conversation: b.conversation}); cached != 0 {
		t.Errorf("%d tokens read from another conversation's entry", cached)
	}
	if cached := c.read(0, cfg, b.quota, &Call{In: 10, Prefix: 10, Conversation: b.conversation}); cached != 10 {
		t.Errorf("%d tokens read, want 10", cached)
	}
}
