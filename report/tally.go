package report

import "github.com/seed-4fd17b57/simload/stack"

// tokens counts tokens as billed; cached ones and those written to the cache are part of
// in, and those with the long price of all the others.
type tokens struct {
	in, cached, out, written                 int64
	longIn, longCached, longOut, longWritten int64
}

func (t *tokens) add(b *Bill) {
	t.in += b.In
	t.cached += b.Cached
	t.out += b.Out
	if b.priced() {
		t.addPriced(b)
	}
}

// addPriced counts what has a price of its own.
func (t *tokens) addPriced(b *Bill) {
	t.written += b.CacheWrite
	if b.Long {
		t.longIn += b.In
		t.longCached += b.Cached
		t.longOut += b.Out
		t.longWritten += b.CacheWrite
	}
}

func (t *tokens) plus(o *tokens) {
	t.in += o.in
	t.cached += o.cached
	t.out += o.out
	t.written += o.written
	t.longIn += o.longIn
	t.longCached += o.longCached
	t.longOut += o.longOut
	t.longWritten += o.longWritten
}

// cell counts what one profile did at one model: over the measured requests, and, what
// was served, over the window.
type cell struct {
	endings        [stack.NumEndings]int64 // requests whose last attempt was at the model
	open           int64                   // the same, of requests that have not ended
	attempts, r429 int64
	// Requests that succeeded, and tokens of attempts that did, within the window,
	// whenever they were intended.
	served, servedTokens int64
	billed, wasted       tokens // wasted ones are part of billed
}

func (c *cell) plus(o *cell) {
	for i := range c.endings {
		c.endings[i] += o.endings[i]
	}
	c.open += o.open
	c.attempts += o.attempts
	c.r429 += o.r429
	c.billed.plus(&o.billed)
	c.wasted.plus(&o.wasted)
	c.served += o.served
	c.servedTokens += o.servedTokens
}

// follow notes that the request's last attempt is at the model, by the key.
func (r *Recorder) follow(j *Job, model, key int) {
	m, k := int32(model+1), int32(key+1)
	if j.model == m && j.key == k {
		return
	}
	r.leave(j)
	r.cell(j.Profile, model).open++
	r.keyOpen[key]++
	j.model, j.key = m, k
}

// leave notes that the request is nowhere any more.
func (r *Recorder) leave(j *Job) {
	if j.model > 0 {
		r.cell(j.Profile, int(j.model-1)).open--
		r.keyOpen[j.key-1]--
		j.model, j.key = 0, 0
	}
}

// unfinished counts requests that had not ended when a run ended by itself: failures.
// Those of an interrupted run are none; they might have succeeded.
type unfinished struct {
	profiles, models, keys []int64
}

func newUnfinished(s *Setup) unfinished {
	return unfinished{make([]int64, len(s.Profiles)), make([]int64, len(s.Models)), make([]int64, len(s.Keys))}
}

// close counts what is left at the end of a run.
func (u *unfinished) close(r *Recorder) {
	for p := range u.profiles {
		g := r.group(By{}, func(i int) bool { return i == p })
		u.profiles[p] = g.InFlight
	}
	for m := range u.models {
		for p := range u.profiles {
			u.models[m] += r.cell(p, m).open
		}
	}
	copy(u.keys, r.keyOpen)
}

func (u *unfinished) plus(o *unfinished) {
	sum(u.profiles, o.profiles)
	sum(u.models, o.models)
	sum(u.keys, o.keys)
}

func (c *tokens) carry(t *tape) {
	t.counts(&c.in, &c.cached, &c.out, &c.written, &c.longIn, &c.longCached, &c.longOut, &c.longWritten)
}

func (c *cell) carry(t *tape) {
	t.each(c.endings[:])
	t.counts(&c.open, &c.attempts, &c.r429, &c.served, &c.servedTokens)
	c.billed.carry(t)
	c.wasted.carry(t)
}

func (u *unfinished) carry(t *tape, s *Setup) {
	t.column(&u.profiles, len(s.Profiles))
	t.column(&u.models, len(s.Models))
	t.column(&u.keys, len(s.Keys))
}
