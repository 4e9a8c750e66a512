package scenario

import (
	"fmt"
	"time"

	"github.com/seed-4fd17b57/simload/report"
	"github.com/seed-4fd17b57/simload/stack"
	"github.com/seed-4fd17b57/simload/stack/compaction"
)

// defaultSummaryWait is the longest wait for a summary: some 25 s are what one of 500 tokens takes of a prompt of 64K.
const defaultSummaryWait = time.Minute

// defaultKeep is what is left of a prompt that has outgrown its cap, in percent of that.
const defaultKeep = 50

// Summary is how the conversations of a profile are held to their cap.
type Summary struct {
	Policy  compaction.Policy // zero: not by summaries
	Profile int               // of the summaries, among Built.Profiles
	MaxWait time.Duration     // for a summary; 0: no end
}

// summaries gives each profile with a context cap a policy, and a profile for its summaries behind those of the
// workload. They go in under the class of the profile, and their kind has no cap.
func (c *compiler) summaries() {
	s := &c.spec.Stack.Summaries
	if !s.Given || c.spec.Stack.Client == "none" {
		return
	}
	route, ok := c.routes[s.Form.Model]
	if !ok {
		c.fail(unknownName("route", s.Form.Model, c.routeNames), "stack", "summaries", "model")
		return
	}
	kind := len(c.out.Stack.Kinds)
	c.out.Stack.Kinds = append(c.out.Stack.Kinds, stack.Kind{Name: "summary"})
	keep := int64(defaultKeep)
	if s.Form.Keep != nil {
		keep = int64(*s.Form.Keep)
	}
	asked, capped := len(c.out.Profiles), false
	c.out.Summaries = make([]Summary, asked)
	for p := range asked {
		limit := c.out.Stack.Kinds[c.out.Profiles[p].Kind].Context
		if limit == 0 {
			continue
		}
		capped = true
		policy := compaction.Policy{Cap: limit, Keep: limit * keep / 100, Output: int64(s.Form.Output)}
		if policy.Validate() != nil {
			c.fail(problem{
				"a summary as long as the prompt it is for", c.found("stack", "summaries", "output"),
				fmt.Sprintf("less than %d %% of the cap of %s, %d tokens", keep, c.profileNames[p], policy.Keep), "lower output, or raise keep",
			}, "stack", "summaries", "output")
			continue
		}
		c.summaryProfile(p, policy, Entry{Class: c.out.Profiles[p].Class, Route: route, Kind: kind})
	}
	if !capped {
		c.fail(problem{"summaries, and no prompt that could need one", "no cap", "a cap for a kind that is asked", "add context: {default: 16k}"}, "stack", "context")
	}
}

func (c *compiler) summaryProfile(of int, policy compaction.Policy, entry Entry) {
	name := c.profileNames[of] + "/summary"
	if _, taken := c.profiles[name]; taken {
		c.fail(problem{"the name of the summaries of " + c.profileNames[of], quote(name), "another name", "rename it"}, "workload", "profiles", name)
		return
	}
	c.out.Summaries[of] = Summary{policy, len(c.out.Profiles), defaultSummaryWait}
	setDuration(&c.out.Summaries[of].MaxWait, c.spec.Stack.Summaries.Form.MaxWait)
	c.profiles[name] = len(c.profileNames)
	c.profileNames = append(c.profileNames, name)
	c.out.Profiles = append(c.out.Profiles, entry)
	c.out.Report.Profiles = append(c.out.Report.Profiles, report.ProfileInfo{Name: name, Class: entry.Class})
}
