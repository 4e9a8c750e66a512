package semcache

// none ends a chain, and stands for no slot.
const none = -1

// chain is an order of slots from which any one can be taken out in O(1): a doubly linked
// list over indices.
type chain struct {
	prev, next  []int32
	first, last int32
}

func newChain() chain { return chain{first: none, last: none} }

// push puts slot i last. Slots are numbered from 0 without gaps.
func (c *chain) push(i int32) {
	if int(i) == len(c.prev) {
		c.prev = append(c.prev, none)
		c.next = append(c.next, none)
	}
	c.prev[i], c.next[i] = c.last, none
	if c.last == none {
		c.first = i
	} else {
		c.next[c.last] = i
	}
	c.last = i
}

func (c *chain) remove(i int32) {
	p, n := c.prev[i], c.next[i]
	if p == none {
		c.first = n
	} else {
		c.next[p] = n
	}
	if n == none {
		c.last = p
	} else {
		c.prev[n] = p
	}
}

func (c *chain) toLast(i int32) {
	c.remove(i)
	c.push(i)
}
