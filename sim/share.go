package sim

import (
	"fmt"
	"slices"

	"github.com/seed-4fd17b57/simload/sim/scenario"
	"github.com/seed-4fd17b57/simload/stack"
	"github.com/seed-4fd17b57/simload/workload"
)

// ShareError says why a run cannot be divided among so many processes.
type ShareError struct {
	Workers int
	Problem string
	Allowed string
	Hint    string
}

// Error implements error.
func (e *ShareError) Error() string {
	return fmt.Sprintf("dividing the run among %d workers: %s", e.Workers, e.Problem)
}

// shareOf makes a setup that of one of several processes, which together are the setup:
//
//   - the demand is that of its share of the agents and streams;
//   - keys are dealt out, so that no limit is counted on twice. Keys that have a quota in common stay together; such groups go to
//     the processes in turn, in the order of the scenario, those that serve the same models first;
//   - what a stack may have open, waiting and saved up for retries is divided, to the one, but each has at least 1.
//
// The last two are done unless the stacks share their books, or the scenario has as many stacks as there are processes: then each process
// is one of them, with all keys and a whole configuration, as it is when one process has them all. dealt reports whether it was done.
//
// A model with fewer groups of keys than there are processes is a [*ShareError], and so are another number of stacks, and shared books
// that are not in a store.
func shareOf(set *scenario.Built, s workload.Share) (dealt bool, err error) {
	if s.Whole() {
		return true, nil
	}
	set.Workload.Share = s
	set.Stack.Seed += uint64(s.Index) // as several stacks have in one process
	each := set.Instances > 1 && set.Instances == s.Count
	switch {
	case each:
		set.Instances = 1
	case set.Instances > 1:
		return false, &ShareError{
			s.Count, fmt.Sprintf("the scenario has %d stacks", set.Instances), fmt.Sprintf("stack.instances: 1, or %d", s.Count),
			"every worker is a process with a stack of its own",
		}
	}
	if set.Shared != nil && set.Shared.Redis == "" {
		return false, &ShareError{
			s.Count, "the limits that its stacks share are in the memory of one process", "a Redis server: stack.shared.redis, or --redis",
			"or leave stack.shared out, and every worker has keys of its own",
		}
	}
	if each || set.Stack.Shared {
		return false, nil
	}
	if err := dealKeys(set, s); err != nil {
		return false, err
	}
	divideStack(&set.Stack, s)
	return true, nil
}

// dealKeys leaves a process the keys that are its own.
func dealKeys(set *scenario.Built, s workload.Share) error {
	owner := keyOwners(set, s.Count)
	for m := range set.Stack.Targets {
		t := &set.Stack.Targets[m]
		groups := make([]int, s.Count) // of keys that can be picked, by owner
		var own []stack.KeyUse
		for _, u := range t.Keys {
			if u.Weight > 0 {
				groups[owner[u.Key]]++
			}
			if owner[u.Key] == s.Index {
				own = append(own, u)
			}
		}
		if have := s.Count - count(groups, 0); have < s.Count && len(t.Keys) > 0 {
			return &ShareError{
				s.Count, fmt.Sprintf("model %s has keys for %d of them, as a key's limits must not be counted on twice", t.Name, have),
				"at most as many workers as there are keys with a quota of their own",
				"use fewer workers, or more keys, or share the limits through Redis",
			}
		}
		t.Keys = own
	}
	return nil
}

func count(list []int, what int) (n int) {
	for _, x := range list {
		if x == what {
			n++
		}
	}
	return n
}

// keyOwners returns for each key which of n processes has it.
func keyOwners(set *scenario.Built, n int) []int {
	groups := keyGroups(set)
	owner := make([]int, len(set.Upstream.Keys))
	var kinds []string // what models a group serves, in the order in which they come
	byKind := make(map[string][]int)
	for first, g := range groups {
		if g != first {
			continue
		}
		kind := models(set, groups, first)
		if byKind[kind] == nil {
			kinds = append(kinds, kind)
		}
		byKind[kind] = append(byKind[kind], first)
	}
	turn := 0
	for _, kind := range kinds {
		for _, first := range byKind[kind] {
			for k, g := range groups {
				if g == first {
					owner[k] = turn
				}
			}
			turn = (turn + 1) % n
		}
	}
	return owner
}

// keyGroups returns for each key the first one that it has a quota in common with, directly or by way of others.
func keyGroups(set *scenario.Built) []int {
	group := make([]int, len(set.Upstream.Keys))
	holder := make(map[int]int) // by quota: a key that counts against it
	for k := range group {
		group[k] = k
		u := &set.Upstream.Keys[k]
		quotas := slices.Clone(u.Quotas)
		quotas = append(quotas, slices.Concat(u.Extra...)...)
		quotas = append(quotas, slices.Concat(u.Long...)...)
		for _, q := range quotas {
			if q < 0 {
				continue
			}
			other, met := holder[q]
			holder[q] = k
			if !met || group[other] == group[k] {
				continue
			}
			from, to := max(group[other], group[k]), min(group[other], group[k])
			for i := range k + 1 {
				if group[i] == from {
					group[i] = to
				}
			}
		}
	}
	return group
}

// models names the targets that keys of a group may be used for.
func models(set *scenario.Built, groups []int, group int) string {
	text := make([]byte, len(set.Stack.Targets))
	for m := range set.Stack.Targets {
		text[m] = '-'
		for _, u := range set.Stack.Targets[m].Keys {
			if groups[u.Key] == group {
				text[m] = '+'
			}
		}
	}
	return string(text)
}

// divideStack leaves a process its part of what the scenario's stack may hold.
func divideStack(c *stack.Config, s workload.Share) {
	c.Queue.Bound = partOf(c.Queue.Bound, s)
	if c.Retry.BudgetBurst > 0 {
		c.Retry.BudgetBurst = partOf(c.Retry.BudgetBurst, s)
	}
	divideConcurrency(&c.Concurrency, s)
	for i := range c.Targets {
		if own := c.Targets[i].Concurrency; own != nil {
			divided := *own
			divideConcurrency(&divided, s)
			c.Targets[i].Concurrency = &divided
		}
	}
}

func divideConcurrency(c *stack.ConcurrencyConfig, s workload.Share) {
	c.Start, c.Min, c.Max = partOf(c.Start, s), partOf(c.Min, s), partOf(c.Max, s)
}

// partOf is a process's part of n: the first ones have one more where it does not divide, and each has at least 1.
func partOf(n int, s workload.Share) int {
	part := n / s.Count
	if s.Index < n%s.Count {
		part++
	}
	return max(part, 1)
}
