package shard

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// Ensure every run is of one shard, the shards' sizes differ by one at most, and Deal, Has and Count say the same.
func TestEveryRunIsDealtOnce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		runs, n := rapid.IntRange(0, 200).Draw(t, "runs"), rapid.IntRange(1, 40).Draw(t, "shards")
		list := make([]int, runs)
		for i := range list {
			list[i] = i
		}
		var all []int
		for i := 1; i <= n; i++ {
			s := Shard{i, n}
			if back, err := Parse(s.String()); err != nil || back != s {
				t.Fatalf("%v is read as %v (%v)", s, back, err)
			}
			mine := Deal(s, list)
			if len(mine) != Count(s, runs) || len(mine) != runs/n && len(mine) != runs/n+1 {
				t.Fatalf("shard %v has %d runs of %d, and says %d", s, len(mine), runs, Count(s, runs))
			}
			for _, r := range mine {
				if !s.Has(r) {
					t.Fatalf("run %d is not shard %v's", r, s)
				}
			}
			all = append(all, mine...)
		}
		slices.Sort(all)
		if !slices.Equal(all, list) {
			t.Fatalf("%d runs were dealt, of %d", len(all), runs)
		}
	})
}

func TestParse(t *testing.T) {
	for text, want := range map[string]string{
		"0/8": "shards count from 1", "9/8": "no such shard", "-1/8": "no such shard", "3": "not a shard", "": "not a shard",
		"a/b": "not a shard", "1/0": "not from 1 to 100000 shards", "1/-2": "not from", "1/100001": "not from", "1/2/3": "not a shard", "1.5/2": "not a shard",
	} {
		s, err := Parse(text)
		var wrong *Error
		if !errors.As(err, &wrong) || !strings.HasPrefix(err.Error(), want) || wrong.Hint == "" || s != (Shard{}) {
			t.Errorf("%q: %v, %v, want %q", text, s, err, want)
		}
	}
	if _, err := Parse("0/8"); !strings.Contains(err.(*Error).Hint, "$((JOB_COMPLETION_INDEX + 1))/8") {
		t.Errorf("the hint about 0/8: %v", err)
	}
	if (Shard{}).String() != "" {
		t.Error("no shard has a name")
	}
}
