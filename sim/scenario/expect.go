package scenario

import (
	"errors"
	"strconv"

	"github.com/seed-4fd17b57/simload/report"
	"github.com/seed-4fd17b57/simload/stack"
)

// expect parses the expectations and checks the names in their selectors. Those that
// are about another variant are checked there.
func (c *compiler) expect(v *Variant) {
	for i, text := range c.spec.Expect {
		at, _ := c.tree.at("expect", strconv.Itoa(i))
		e, err := report.ParseExpect(text)
		if err != nil {
			c.ofNoVariant(func() { c.badExpect(at, err) })
			continue
		}
		c.term(v, at, &e.Num)
		if e.Den != nil {
			c.term(v, at, e.Den)
		}
		c.out.Expect = append(c.out.Expect, e)
	}
}

// ofNoVariant runs f with the name of the variant left out of its errors.
func (c *compiler) ofNoVariant(f func()) {
	name := c.variant
	c.variant = ""
	f()
	c.variant = name
}

func (c *compiler) badExpect(at *node, err error) {
	const example = "write for example p99{profile=hypothesis} < 6s"
	var ee *report.ExpectError
	if !errors.As(err, &ee) {
		c.add(at, problem{"not an expectation: " + err.Error(), at.found(), "metric, selector, comparison, value", example})
		return
	}
	place := *at
	if at.inner > 0 {
		place.column = at.inner + ee.Column - 1
	}
	found := "the end"
	if ee.Found != "" {
		found = quote(ee.Found)
	}
	c.add(&place, problem{"not an expectation", found, ee.Allowed, orElse(ee.Hint, example)})
}

// term checks the names in a selector.
func (c *compiler) term(v *Variant, at *node, t *report.Term) {
	if t.Variant != "" {
		c.ofNoVariant(func() { c.selector(at, "variant", t.Variant, v.scenario.variantNames()) })
		if t.Variant != v.Name {
			return
		}
	}
	var classes []string
	for class := stack.P0; class < stack.NumClasses; class++ {
		classes = append(classes, class.String())
	}
	c.selector(at, "profile", t.By.Profile, c.profileNames)
	c.selector(at, "class", t.By.Class, classes)
	c.selector(at, "model", t.By.Model, c.modelNames)
	c.selector(at, "key", t.By.Key, c.out.Report.Keys)
	c.judgeable(at, t)
}

// judgeable checks that something can fall under a selector of names that exist. What
// metrics can be selected by has been looked at by report.ParseExpect.
func (c *compiler) judgeable(at *node, t *report.Term) {
	const hint = "nothing would ever be counted: leave it out, or say which variant is meant"
	var profiles, classes []string
	for i, name := range c.profileNames {
		if c.asked[i] {
			profiles = append(profiles, name)
			classes = append(classes, c.out.Profiles[i].Class.String())
		}
	}
	p, isProfile := c.profiles[t.By.Profile]
	_, isClass := classOf(t.By.Class)
	switch {
	case isProfile && !c.asked[p]:
		c.add(at, problem{"no request is of this profile", t.By.Profile, list(profiles), hint})
	case isProfile && isClass && c.out.Profiles[p].Class.String() != t.By.Class:
		c.add(at, problem{"profile " + t.By.Profile + " is of another class", t.By.Class, c.out.Profiles[p].Class.String(), hint})
	case t.By.Profile == "" && isClass && !contains(classes, t.By.Class):
		c.add(at, problem{"no request is of this class", t.By.Class, list(unique(classes)), hint})
	}
	m, isModel := c.models[t.By.Model]
	k, isKey := c.keys[t.By.Key]
	if isModel && isKey && c.out.Upstream.Keys[k].Quotas[m] < 0 {
		c.add(at, problem{"the key may not be used for this model", t.By.Key + " for " + t.By.Model, "a key of the model", hint})
	}
}

// unique drops repeated names.
func unique(names []string) []string {
	var out []string
	for _, name := range names {
		if !contains(out, name) {
			out = append(out, name)
		}
	}
	return out
}

func (c *compiler) selector(at *node, kind, name string, names []string) {
	if name != "" && !contains(names, name) {
		c.add(at, unknownName(kind, name, names))
	}
}

// variantNames returns the names of the variants as written, "base" without any.
func (s *Scenario) variantNames() []string {
	if overlays := s.tree.child("variants"); overlays != nil && len(overlays.names) > 0 {
		return overlays.names
	}
	return []string{"base"}
}
