package mockupstream

import "time"

// cache is one model's prompt cache. It remembers, per quota and conversation, the
// length of the last admitted prompt, from its admission on.
//
// Memory is bounded without a timer or a scan: each new conversation first sweeps two
// entries, in turn, and drops those that have expired. So the table never holds more
// than about twice the conversations that were alive at once.
type cache struct {
	index   map[uint64]int32 // by cacheKey.hash
	entries []cacheEntry
	free    []int32
	hand    int
}

type cacheKey struct {
	conversation uint64
	quota        int64
}

// hash is the map's key. Two conversations that share one, which 64 bits make unlikely, push
// each other out of the cache; an entry's own key tells them apart.
func (k cacheKey) hash() uint64 {
	return k.conversation ^ mix(uint64(k.quota)+golden)
}

type cacheEntry struct {
	key    cacheKey
	tokens int64 // 0: free
	used   time.Duration
}

// peek returns what read would, and remembers nothing.
func (c *cache) peek(now time.Duration, cfg *PromptCache, quota int64, call *Call) int64 {
	if cfg.Block == 0 || call.In == 0 {
		return 0
	}
	if call.Shared {
		return cfg.whole(min(call.Prefix, call.In))
	}
	key := cacheKey{call.Conversation, quota}
	if i, ok := c.index[key.hash()]; ok {
		return c.entries[i].hit(now, cfg, key, call)
	}
	return 0
}

// hit returns how many tokens of the call's prompt the entry holds, in whole blocks.
func (e *cacheEntry) hit(now time.Duration, cfg *PromptCache, key cacheKey, call *Call) (cached int64) {
	if e.key == key && now-e.used <= cfg.TTL {
		cached = min(call.Prefix, e.tokens, call.In)
	}
	return cfg.whole(cached)
}

// whole holds a number of tokens to whole blocks, and to nothing below the least number.
func (cfg *PromptCache) whole(tokens int64) int64 {
	if tokens < cfg.MinTokens {
		return 0
	}
	return tokens - tokens%cfg.Block
}

// read returns how many tokens of the call's prompt are read from the cache, and
// remembers the prompt as the conversation's last.
func (c *cache) read(now time.Duration, cfg *PromptCache, quota int64, call *Call) (cached int64) {
	if cfg.Block == 0 || call.In == 0 {
		return 0
	}
	cached = c.peek(now, cfg, quota, call)
	key := cacheKey{call.Conversation, quota}
	if i, ok := c.index[key.hash()]; ok {
		c.entries[i] = cacheEntry{key, call.In, now}
	} else {
		c.add(now, cfg.TTL, key, call.In)
	}
	return cached
}

func (c *cache) add(now, ttl time.Duration, key cacheKey, tokens int64) {
	for range min(2, len(c.entries)) {
		c.hand++
		if c.hand >= len(c.entries) {
			c.hand = 0
		}
		e := &c.entries[c.hand]
		if e.tokens > 0 && now-e.used > ttl {
			delete(c.index, e.key.hash())
			e.tokens = 0
			c.free = append(c.free, int32(c.hand))
		}
	}
	if c.index == nil {
		c.index = make(map[uint64]int32)
	}
	i := len(c.entries)
	if n := len(c.free); n > 0 {
		i = int(c.free[n-1])
		c.free = c.free[:n-1]
	} else {
		c.entries = append(c.entries, cacheEntry{})
	}
	c.entries[i] = cacheEntry{key, tokens, now}
	c.index[key.hash()] = int32(i)
}
