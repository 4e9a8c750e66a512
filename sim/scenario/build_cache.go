package scenario

import (
	"time"

	"github.com/seed-4fd17b57/simload/stack"
	"github.com/seed-4fd17b57/simload/stack/semcache"
)

// defaultHard is the share of requests that routing takes for hard: mission A8's 80/20.
const defaultHard = 0.2

// cacheOf sets the stack's cache of answers up.
func (c *compiler) cacheOf() {
	s := &c.spec.Stack.Cache
	if !s.Given || s.Off {
		return
	}
	cfg := semcache.Default()
	setNumber(&cfg.Threshold, s.Form.Similarity)
	if s.Form.TTL != nil {
		cfg.TTL = time.Duration(*s.Form.TTL)
	}
	if s.Form.Entries != nil {
		cfg.Entries = int(*s.Form.Entries)
	}
	c.out.Stack.Cache = &cfg
}

// routingOf sets the routing by complexity up. Its threshold is found when the run begins.
func (c *compiler) routingOf() {
	s := &c.spec.Stack.Routing
	for i, name := range s.Names {
		at := []string{"stack", "routing", name}
		from, ok := c.routes[name]
		if !ok {
			c.fail(unknownName("route", name, c.routeNames), at...)
			continue
		}
		to, ok := c.routes[s.Values[i].Simple]
		switch {
		case !ok:
			c.fail(unknownName("route", s.Values[i].Simple, c.routeNames), append(at, "simple")...)
			continue
		case to == from || s.Get(c.routeNames[to]) != nil:
			c.fail(problem{"a route for simple requests that routes too", quote(s.Values[i].Simple), "a route that is not routed itself", "name a model"}, append(at, "simple")...)
			continue
		}
		hard := defaultHard
		if h := s.Values[i].Hard; h != nil {
			hard = float64(*h)
		}
		c.out.Stack.Routes[from].Routing = &stack.Routing{Simple: to}
		c.out.Hard[from] = hard
	}
}
