package sim

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/seed-4fd17b57/simload/mockupstream"
	"github.com/seed-4fd17b57/simload/sim/scenario"
	"github.com/seed-4fd17b57/simload/stack"
	"github.com/seed-4fd17b57/simload/workload"
)

// keyed makes a setup of keys with quotas in common: of[k][m] is the quota of key k at model m, -1: none.
func keyed(of [][]int, project []int) *scenario.Built {
	set := &scenario.Built{Instances: 1}
	set.Stack.Targets = make([]stack.Target, len(of[0]))
	set.Upstream.Keys = make([]mockupstream.Key, len(of))
	for k, quotas := range of {
		set.Upstream.Keys[k].Quotas = quotas
		if project != nil && project[k] >= 0 {
			set.Upstream.Keys[k].Extra = [][]int{{project[k]}}
		}
		for m, q := range quotas {
			if q >= 0 {
				set.Stack.Targets[m].Keys = append(set.Stack.Targets[m].Keys, stack.KeyUse{Key: k, Quota: q, Weight: 1})
			}
		}
	}
	return set
}

// Ensure every key is one worker's, those with a quota in common are the same one's, every worker has one for each model, and where that
// cannot be, all workers say so.
func TestKeysAreDealtOut(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		keys, models := rapid.IntRange(1, 12).Draw(t, "keys"), rapid.IntRange(1, 3).Draw(t, "models")
		quota := rapid.IntRange(-1, 2*keys)
		of := make([][]int, keys)
		for k := range of {
			of[k] = rapid.SliceOfN(quota, models, models).Draw(t, "quotas")
		}
		n := rapid.IntRange(2, 5).Draw(t, "workers")
		owner := make([]int, keys)
		for k := range owner {
			owner[k] = -1
		}
		refused := 0
		for i := range n {
			set := keyed(of, nil)
			err := dealKeys(set, workload.Share{Index: i, Count: n})
			var bad *ShareError
			if errors.As(err, &bad) {
				refused++
				continue
			}
			for m, target := range set.Stack.Targets {
				before := keyed(of, nil).Stack.Targets[m].Keys
				if len(before) > 0 && len(target.Keys) == 0 {
					t.Fatalf("worker %d has no key for model %d", i, m)
				}
				for _, u := range target.Keys {
					if owner[u.Key] >= 0 && owner[u.Key] != i {
						t.Fatalf("key %d is worker %d's and %d's", u.Key, owner[u.Key], i)
					}
					owner[u.Key] = i
				}
			}
		}
		if refused > 0 {
			if refused < n {
				t.Fatalf("%d of %d workers say that the keys do not suffice", refused, n)
			}
			return
		}
		for k := range of {
			for j := range of {
				for _, q := range of[k] {
					if q >= 0 && slices.Contains(of[j], q) && owner[k] != owner[j] {
						t.Fatalf("keys %d and %d share quota %d, and belong to %d and %d", k, j, q, owner[k], owner[j])
					}
				}
			}
			if owner[k] < 0 && slices.Max(of[k]) >= 0 {
				t.Fatalf("key %d is nobody's", k)
			}
		}
	})
}

// Ensure keys of one project stay together, whatever their groups are.
func TestProjectsStayTogether(t *testing.T) {
	set := keyed([][]int{{0}, {1}, {2}, {3}}, []int{9, -1, 9, -1})
	if got := keyOwners(set, 2); got[0] != got[2] || got[0] == got[1] {
		t.Errorf("owners %v: keys 0 and 2 are of one project", got)
	}
}

// Ensure eight keys go to workers in turn, and each gets its part of what the stack may hold, so that nothing is lost or gained.
func TestStacksAreDivided(t *testing.T) {
	base := func() *scenario.Built {
		sc := parseText(t, string(scenario.Starter()))
		set, err := sc.Variants()[0].Build(1)
		if err != nil {
			t.Fatal(err)
		}
		return set
	}
	whole := base()
	const n = 3
	bound, start, most, keys := 0, 0, 0, 0
	for i := range n {
		set := base()
		if dealt, err := shareOf(set, workload.Share{Index: i, Count: n}); err != nil || !dealt {
			t.Fatal(dealt, err)
		}
		bound += set.Stack.Queue.Bound
		start += set.Stack.Concurrency.Start
		most += set.Stack.Concurrency.Max
		keys += len(set.Stack.Targets[0].Keys)
		if len(set.Stack.Keys) != len(whole.Stack.Keys) || set.Stack.Seed != whole.Stack.Seed+uint64(i) {
			t.Errorf("worker %d: %d keys are known, seed %d", i, len(set.Stack.Keys), set.Stack.Seed)
		}
	}
	if c := whole.Stack.Concurrency; bound != whole.Stack.Queue.Bound || start != c.Start || most != c.Max || keys != len(whole.Stack.Targets[0].Keys) {
		t.Errorf("together: line %d, start %d, limit %d, keys %d of %d", bound, start, most, keys, len(whole.Stack.Targets[0].Keys))
	}
	shared := base()
	shared.Stack.Shared = true
	if dealt, err := shareOf(shared, workload.Share{Index: 1, Count: 99}); dealt || err != nil || len(shared.Stack.Targets[0].Keys) != len(whole.Stack.Targets[0].Keys) {
		t.Errorf("with shared budgets: %v, %d keys", err, len(shared.Stack.Targets[0].Keys))
	}
}

func TestShareErrors(t *testing.T) {
	for _, tc := range []struct {
		name   string
		set    *scenario.Built
		share  workload.Share
		refuse string
	}{
		{"whole", keyed([][]int{{0}}, nil), workload.Share{}, ""},
		{"one worker", keyed([][]int{{0}}, nil), workload.Share{Count: 1}, ""},
		{"enough", keyed([][]int{{0}, {1}}, nil), workload.Share{Count: 2}, ""},
		{"too few keys", keyed([][]int{{0}, {1}}, nil), workload.Share{Count: 3}, "dividing the run among 3 workers: model  has keys for 2 of them"},
		{"one group", keyed([][]int{{0}, {0}}, nil), workload.Share{Count: 2}, "has keys for 1 of them"},
		{"stacks", &scenario.Built{Instances: 2}, workload.Share{Count: 3}, "the scenario has 2 stacks"},
		{"a stack for each", &scenario.Built{Instances: 3}, workload.Share{Count: 3}, ""},
		{"shared in memory", &scenario.Built{Instances: 1, Shared: &scenario.SharedBooks{}}, workload.Share{Count: 3}, "in the memory of one process"},
		{"shared in a store", &scenario.Built{Instances: 1, Shared: &scenario.SharedBooks{Redis: "redis://h"}, Stack: stack.Config{Shared: true}}, workload.Share{Count: 3}, ""},
	} {
		_, err := shareOf(tc.set, tc.share)
		if tc.refuse == "" && err != nil || tc.refuse != "" && (err == nil || !strings.Contains(err.Error(), tc.refuse)) {
			t.Errorf("%s: %v", tc.name, err)
		}
	}
}
