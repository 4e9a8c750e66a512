package stack

import (
	"github.com/seed-4fd17b57/simload/stack/complexity"
	"github.com/seed-4fd17b57/simload/stack/semcache"
)

// Routing sends simple requests of a route to another one.
type Routing struct {
	Simple int // index into Config.Routes; it is not routed on
	// Threshold: a request whose score is not above it is simple. See [complexity.Calibrate].
	Threshold float64
	Scorer    complexity.Scorer // nil: the built-in rules
}

// rules are the built-in scorer, with its default mix.
func rules() complexity.Scorer {
	r, err := complexity.New(complexity.Default())
	if err != nil {
		panic("stack: the default of complexity is not valid: " + err.Error())
	}
	return r
}

// answers is the cache of a core; its values are the drivers' own.
type answers = semcache.Cache[any]

// newAnswers returns the cache that is configured, or nil.
func newAnswers(cfg *semcache.Config) (*answers, error) {
	if cfg == nil {
		return nil, nil
	}
	return semcache.New[any](*cfg)
}

// cacheKey is the partition that a request's answer belongs to: nobody else's, and of no other
// model or parameters (INV-60).
func (r *Request) cacheKey() semcache.Key {
	return semcache.Key{Tenant: r.Tenant, Model: r.Route, Params: r.Params}
}

// cacheable reports whether the request may be answered from the cache.
func (r *Request) cacheable() bool { return r.Text != "" && !r.Write && !r.Tools }

// remembered ends a request that was answered before.
func (c *Core) remembered(i int32) bool {
	s := &c.slots[i]
	if c.answers == nil || !s.req.cacheable() {
		return false
	}
	found, _, ok := c.answers.Lookup(c.now, s.req.cacheKey(), s.req.Text)
	if !ok {
		return false
	}
	c.end(i, Succeeded, ReasonNone)
	r := c.effects[len(c.effects)-1].Result
	r.CacheHit, r.Value = true, found.Value
	return true
}

// remember keeps the answer of a request for those that ask the same. What a stand-in said, or was
// said of a summary, is not what was asked for.
func (c *Core) remember(s *slot, o *Outcome) {
	a := semcache.Answer{OK: o.Kind == Success, Write: s.req.Write, ToolCalls: s.req.Tools, Truncated: o.Partial}
	if c.answers != nil && s.req.cacheable() && s.step == 0 && s.contextCap == 0 && !s.req.Summarised && a.Cacheable() {
		c.answers.Store(c.now, s.req.cacheKey(), s.req.Text, o.Value, o.Usage.In, o.Usage.Out)
	}
}

// direct picks the route of a request: that asked for, or the one for what is simple.
func (c *Core) direct(s *slot) {
	s.route = s.req.Route
	r := c.cfg.Routes[s.route].Routing
	if r == nil || s.req.Text == "" {
		return
	}
	scorer := r.Scorer
	if scorer == nil {
		if c.rules == nil {
			c.rules = rules()
		}
		scorer = c.rules
	}
	if scorer.Score(complexity.Features{Tokens: s.req.EstIn, Text: s.req.Text}) <= r.Threshold {
		s.route = r.Simple
	}
}

// Remembered returns how often the cache was asked and what it did; zero without one.
func (c *Core) Remembered() semcache.Counts {
	if c.answers == nil {
		return semcache.Counts{}
	}
	return c.answers.Counts()
}
