package plan

import (
	"errors"
	"fmt"
	"slices"
	"sort"
	"strconv"
	"strings"

	"github.com/seed-4fd17b57/simload/sim/scenario"
)

// fits tries the ends of every axis, and drops the variants that the axes do not reach.
func (p *Plan) fits() error {
	if len(p.axes) == 2 {
		if p.axes[0].Path == p.axes[1].Path {
			return wrong(fromVary, p.axes[0].Path, "a path twice", p.axes[1].Range, "two different paths", "make one range of them")
		}
		if n := len(p.axes[0].Values) * len(p.axes[1].Values); n > MaxPoints {
			return wrong(fromVary, p.axes[0].Path, "too many points", fmt.Sprint(n), fmt.Sprintf("up to %d", MaxPoints), "give steps, such as 4..40:4")
		}
	}
	last := make([]int, len(p.axes))
	for i := range p.axes {
		last[i] = len(p.axes[i].Values) - 1
	}
	low, err := p.end(make([]int, len(p.axes)))
	if err != nil {
		return err
	}
	high, err := p.end(last)
	if err != nil {
		return err
	}
	return p.subjects(low, high)
}

// end is the scenario at one end of the axes. The error says what part of the range the scenario goes with.
func (p *Plan) end(index []int) (*scenario.Scenario, error) {
	sc, err := p.at(nil, index).load()
	if err == nil {
		return sc, nil
	}
	return nil, p.narrowed(p.misfit(err), index)
}

// narrowed puts in front of errors about an end of the axes which values would go: of keys those that a fault names must be there, say.
func (p *Plan) narrowed(err error, index []int) error {
	var list scenario.Errors
	if !errors.As(err, &list) || list[0].File == fromVary {
		return err // the value itself is wrong
	}
	var front scenario.Errors
	for i := range p.axes {
		values := p.goes(i, index)
		if len(values) == 0 {
			continue
		}
		a := &p.axes[i]
		hint := "write --vary " + a.Path + "=" + a.rangeOf(values) + ", or change what the scenario says there"
		if strings.Contains(list[0].Path, ".faults.") {
			hint += "; a fault that names the pool, and not its keys, goes with any number of them"
		}
		front = append(front, scenario.Error{
			File: fromVary, Path: a.Path, Problem: "the scenario does not go with all of the range, see below", Found: a.Values[index[i]],
			Allowed: values[0] + " to " + values[len(values)-1], Hint: hint,
		})
	}
	return append(front, list...)
}

// rangeOf writes some of the values, in order, as the axis does.
func (a *Axis) rangeOf(values []string) string {
	_, step, stepped := strings.Cut(a.Range, ":")
	switch {
	case !strings.Contains(a.Range, ".."):
		return strings.Join(values, ",")
	case stepped:
		return values[0] + ".." + values[len(values)-1] + ":" + step
	}
	return values[0] + ".." + values[len(values)-1]
}

// goes finds the part of an axis that the scenario goes with where it does not at an end, the other axis being at its other one;
// a range of whole numbers of which nothing goes is looked for beyond. That it is one stretch is taken for granted. None: it is not the axis, or
// there is none.
func (p *Plan) goes(axis int, index []int) []string {
	a, n := &p.axes[axis], len(p.axes[axis].Values)
	values := append(slices.Clone(a.Values), a.beyond(64*n)...)
	good := func(i int) bool {
		var sets []string
		for k := range p.axes {
			if k != axis {
				sets = append(sets, p.axes[k].set(len(p.axes[k].Values)-1-index[k]))
			}
		}
		_, err := p.sc.With(append(sets, a.Path+"="+values[i])...)
		return err == nil
	}
	if good(index[axis]) {
		return nil
	}
	if index[axis] > 0 { // the most does not go
		return values[:sort.Search(n, func(i int) bool { return !good(i) })]
	}
	for end := n - 1; end < len(values); end = 2*end + 1 {
		if good(end) {
			first, last := sort.Search(end, good), n
			if end >= n { // as many as were asked for
				last = min(first+n, len(values))
			}
			return values[first:last]
		}
	}
	return nil
}

// beyond is how a range of whole numbers goes on; of any other nothing.
func (a *Axis) beyond(n int) []string {
	last, err1 := strconv.ParseInt(a.Values[len(a.Values)-1], 10, 64)
	before, err2 := strconv.ParseInt(a.Values[len(a.Values)-2], 10, 64)
	if err1 != nil || err2 != nil || !strings.Contains(a.Range, "..") {
		return nil
	}
	out := make([]string, n)
	for i := range out {
		out[i] = strconv.FormatInt(last+int64(i+1)*(last-before), 10)
	}
	return out
}

// renamed says of errors about an override whose path begins so that another flag is at fault.
func renamed(err error, path, place string) error {
	var list scenario.Errors
	if !errors.As(err, &list) {
		return err
	}
	for i := range list {
		if e := &list[i]; e.File == "--set" && strings.HasPrefix(e.Path, path) {
			if e.File = place; place == fromSLO {
				e.Path = ""
			}
		}
	}
	return list
}

// misfit says of errors about an axis that --vary is at fault, and what would help.
func (p *Plan) misfit(err error) error {
	for _, a := range p.axes {
		err = renamed(err, a.Path, fromVary)
	}
	var list scenario.Errors
	if errors.As(err, &list) {
		for i := range list {
			if e := &list[i]; e.File != fromVary {
				e.Hint = "it is a value of --vary that the scenario does not go with" // what a typing error would be hinted at is no help
			}
		}
	}
	return err
}
