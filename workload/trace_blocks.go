package workload

import "slices"

// blockTokens is the length of a block of prompt tokens that a hash id stands for.
const blockTokens = 512

// blockCache remembers the blocks of prompts. Bounded, it forgets the block least
// recently used, where of one prompt the head counts as used after the tail, since a
// tail is of no use without its head.
type blockCache struct {
	most  int // 0: unbounded, ring is not used
	index map[int64]int32
	ring  []blockEntry // doubly linked, most recent first; [0] is the anchor

	// Unbounded, index holds the conversation that has a block, from 1 on, or manyHave it.
	lengths []int32 // blocks of the latest prompt of each conversation
	latest  int32   // conversation of the latest prompt; 0: not known
}

// manyHave stands for the conversation of a block that more than one has.
const manyHave = -1

type blockEntry struct {
	id         int64
	next, prev int32
}

func newBlockCache(most int) *blockCache {
	return &blockCache{most: most, index: make(map[int64]int32), ring: make([]blockEntry, 1)}
}

// visit returns how many leading blocks of a prompt are known, and learns all.
func (c *blockCache) visit(ids []int64) (known int64) {
	for int(known) < len(ids) {
		if _, ok := c.index[ids[known]]; !ok {
			break
		}
		known++
	}
	if c.most == 0 {
		c.learn(ids, int(known))
		return known
	}
	for _, id := range slices.Backward(ids) {
		c.use(id)
	}
	return known
}

// learn notes the blocks of a prompt, of which some are known, with the conversation it belongs
// to: that of the last known one, if the prompt has all of it so far but the last block.
func (c *blockCache) learn(ids []int64, known int) {
	c.latest = 0
	if len(ids) == 0 {
		return
	}
	if known > 0 {
		if has := c.index[ids[known-1]]; has > 0 && known >= int(c.lengths[has-1])-1 {
			c.latest = has
		}
	}
	if c.latest == 0 {
		c.lengths = append(c.lengths, 0)
		c.latest = int32(len(c.lengths))
	}
	for i, id := range ids {
		switch {
		case i >= known:
			c.index[id] = c.latest
		case c.index[id] != c.latest:
			c.index[id] = manyHave
		}
	}
	c.lengths[c.latest-1] = int32(len(ids))
}

// use makes a block the most recent.
func (c *blockCache) use(id int64) {
	i, ok := c.index[id]
	switch {
	case ok:
		c.unlink(i)
	case len(c.ring) <= c.most:
		i = int32(len(c.ring))
		c.ring = append(c.ring, blockEntry{})
	default:
		i = c.ring[0].prev
		delete(c.index, c.ring[i].id)
		c.unlink(i)
	}
	e, anchor := &c.ring[i], &c.ring[0]
	e.id, e.next, e.prev = id, anchor.next, 0
	c.ring[anchor.next].prev = i
	anchor.next = i
	c.index[id] = i
}

func (c *blockCache) unlink(i int32) {
	e := &c.ring[i]
	c.ring[e.prev].next = e.next
	c.ring[e.next].prev = e.prev
}
