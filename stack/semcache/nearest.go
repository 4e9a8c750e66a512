package semcache

// embed makes the row of a text in query and reports whether it has one.
func (c *Cache[V]) embed(text string) bool {
	v := c.cfg.Embedder.Embed(text)
	if c.dim == 0 && len(v) > 0 {
		c.dim = len(v)
		c.query = make([]float32, rowSize(c.dim))
		c.rows = make([]float32, len(c.slots)*rowSize(c.dim)) // of texts without a vector so far
	}
	if c.dim == 0 || len(v) != c.dim || !fillRow(c.query, v) {
		c.counts.Unembedded++
		return false
	}
	return true
}

func (c *Cache[V]) row(i int32) []float32 {
	size := rowSize(c.dim)
	return c.rows[int(i)*size : (int(i)+1)*size]
}

// keepRow keeps the row of slot i. A text without one gets zeros, whose
// similarity to anything is 0 and so below every threshold.
func (c *Cache[V]) keepRow(i int32, text string) {
	if c.cfg.Threshold == 1 {
		return
	}
	ok := c.embed(text)
	if missing := len(c.slots)*rowSize(c.dim) - len(c.rows); missing > 0 {
		c.rows = append(c.rows, make([]float32, missing)...)
	}
	if ok {
		copy(c.row(i), c.query)
	} else {
		clear(c.row(i))
	}
}

// nearest returns the slot of the partition whose text is nearest, and how near, or none if no one
// is within the threshold. Of equals the one stored last has the freshest answer.
func (c *Cache[V]) nearest(part *partition, text string) (slot int32, near float64) {
	if c.cfg.Threshold == 1 || !c.embed(text) {
		return none, 0
	}
	slot, near = none, c.cfg.Threshold
	for _, i := range part.slots {
		s, within := compare(c.query, c.row(i), c.dim, near)
		if within && (s > near || s == near && (slot == none || c.slots[i].sequence > c.slots[slot].sequence)) {
			slot, near = i, s
		}
	}
	return slot, near
}
