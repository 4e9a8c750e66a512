package semcache

import (
	"fmt"
	"strings"
	"time"
)

// Entry is an answer as it was stored.
type Entry[V any] struct {
	Text                string // of the prompt, without outer blanks
	Value               V
	TokensIn, TokensOut int64         // what the answer had cost, and what a hit saves
	Stored              time.Duration // the instant
	Hits                int64         // since then, this one included
}

// Counts tells what a cache has done so far. Stored = Len + Evicted + Expired, and
// Exact + Semantic + Misses is the number of lookups.
type Counts struct {
	Exact, Semantic, Misses int64 // lookups by their ending
	Stored                  int64 // new entries
	Replaced                int64 // stores of a text that was there
	Refused                 int64 // stores of a text that is empty or too long
	Evicted, Expired        int64 // entries that gave way to another, and that outlived their TTL
	Unembedded              int64 // texts without a usable vector, at lookups and stores
	TokensIn, TokensOut     int64 // saved by hits
}

// Cache holds values of type V by prompt. It is not safe for concurrent use.
type Cache[V any] struct {
	cfg      Config
	latest   time.Duration // instant
	sequence uint64        // of the latest store
	slots    []slot[V]
	free     []int32 // slots without an entry
	use      chain   // least recently used first
	age      chain   // longest stored first
	exact    map[place]int32
	parts    map[Key]*partition

	dim    int       // of the vectors; 0 until the first one
	rows   []float32 // of slot i from i*rowSize(dim) on
	query  []float32 // scratch: the row of the text in hand
	counts Counts
}

// slot is the place of one entry.
type slot[V any] struct {
	entry    Entry[V]
	key      Key
	sequence uint64 // of the store
	index    int    // in its partition
}

type place struct {
	key  Key
	text string
}

// partition lists the slots of one key, in no order that matters.
type partition struct{ slots []int32 }

// New returns an empty cache, or what is wrong with its configuration.
func New[V any](c Config) (*Cache[V], error) {
	if err := c.Validate(); err != nil {
		return nil, fmt.Errorf("making a semantic cache: %w", err)
	}
	return &Cache[V]{
		cfg: c, use: newChain(), age: newChain(),
		exact: make(map[place]int32), parts: make(map[Key]*partition),
	}, nil
}

// Len returns the number of entries that had not expired at the latest instant.
func (c *Cache[V]) Len() int { return len(c.slots) - len(c.free) }

// Partitions returns the number of keys with entries.
func (c *Cache[V]) Partitions() int { return len(c.parts) }

// Counts returns the counters.
func (c *Cache[V]) Counts() Counts { return c.counts }

// Lookup returns the entry for a prompt, with the similarity of the two texts, or false. An equal text has
// similarity 1; else it is the nearest entry of the key whose similarity is at least the
// threshold, of several equally near the one stored last. A hit counts as a use of the entry and does
// not prolong its life. An empty text, and one that is too long, is always missed.
func (c *Cache[V]) Lookup(now time.Duration, key Key, text string) (Entry[V], float64, bool) {
	c.advance(now)
	text = strings.TrimSpace(text)
	part := c.parts[key]
	if part == nil || !c.admits(text) {
		c.counts.Misses++
		return Entry[V]{}, 0, false
	}
	if i, ok := c.exact[place{key, text}]; ok {
		c.counts.Exact++
		return c.hit(i), 1, true
	}
	if i, near := c.nearest(part, text); i != none {
		c.counts.Semantic++
		return c.hit(i), near, true
	}
	c.counts.Misses++
	return Entry[V]{}, 0, false
}

// Store keeps the value for a prompt, with the tokens that it had cost (below 0: 0), and
// reports whether it did: not if the text is empty or too long. A text that is there under the same
// key is replaced, with a new life. If the cache is full, the least recently used entry goes.
func (c *Cache[V]) Store(now time.Duration, key Key, text string, value V, tokensIn, tokensOut int64) bool {
	c.advance(now)
	text = strings.TrimSpace(text)
	if !c.admits(text) {
		c.counts.Refused++
		return false
	}
	i, known := c.exact[place{key, text}]
	if known {
		c.counts.Replaced++
		text = c.slots[i].entry.Text
		c.use.toLast(i)
		c.age.toLast(i)
	} else {
		text = strings.Clone(text) // the caller's may be part of something large
		i = c.insert(key, text)
	}
	c.sequence++
	s := &c.slots[i]
	s.sequence = c.sequence
	s.entry = Entry[V]{
		Text: text, Value: value, Stored: c.latest,
		TokensIn: max(0, tokensIn), TokensOut: max(0, tokensOut),
	}
	return true
}

// admits says which texts can be in the cache. Empty ones cannot: they come from callers that looked
// for the prompt in the wrong place, and would all get one answer.
func (c *Cache[V]) admits(text string) bool {
	return text != "" && len(text) <= c.cfg.MaxTextBytes
}

// advance moves time on, never back, and drops what has expired. All have the same TTL, so they
// expire in the order in which they were stored.
func (c *Cache[V]) advance(now time.Duration) {
	c.latest = max(c.latest, now)
	for i := c.age.first; i != none && c.latest-c.slots[i].entry.Stored >= c.cfg.TTL; i = c.age.first {
		c.counts.Expired++
		c.remove(i)
	}
}

func (c *Cache[V]) hit(i int32) Entry[V] {
	e := &c.slots[i].entry
	e.Hits++
	c.counts.TokensIn += e.TokensIn
	c.counts.TokensOut += e.TokensOut
	c.use.toLast(i)
	return *e
}

// insert makes room for a new text and enters it everywhere.
func (c *Cache[V]) insert(key Key, text string) int32 {
	if c.Len() == c.cfg.Entries {
		c.counts.Evicted++
		c.remove(c.use.first)
	}
	c.counts.Stored++
	var i int32
	if n := len(c.free); n > 0 {
		i, c.free = c.free[n-1], c.free[:n-1]
	} else {
		i = int32(len(c.slots))
		c.slots = append(c.slots, slot[V]{})
	}
	part := c.parts[key]
	if part == nil {
		part = new(partition)
		c.parts[key] = part
	}
	c.slots[i].key, c.slots[i].index = key, len(part.slots)
	part.slots = append(part.slots, i)
	c.exact[place{key, text}] = i
	c.use.push(i)
	c.age.push(i)
	c.keepRow(i, text)
	return i
}

func (c *Cache[V]) remove(i int32) {
	s := &c.slots[i]
	part := c.parts[s.key]
	end := len(part.slots) - 1
	moved := part.slots[end]
	part.slots[s.index] = moved
	c.slots[moved].index = s.index
	part.slots = part.slots[:end]
	if end == 0 {
		delete(c.parts, s.key)
	}
	delete(c.exact, place{s.key, s.entry.Text})
	c.use.remove(i)
	c.age.remove(i)
	c.slots[i] = slot[V]{} // lets go of the text and the value
	c.free = append(c.free, i)
}
